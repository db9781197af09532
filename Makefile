# One-line targets; the plain commands behind them are in README.md.
# PYTHON chooses the interpreter (3.11, 3.12 or 3.13), VENV the environment's folder.
PYTHON ?= python3
VENV ?= .venv
BIN := $(abspath $(VENV))/bin
# nbgrader calls the program alembic, which must be found on PATH.
export PATH := $(BIN):$(PATH)
NB ?=
DIR ?= ../students
SITE ?= ../site
# pip says what it does, since it takes a minute; CI passes --quiet.
PIPFLAGS ?= --disable-pip-version-check
# `make INSTALLER=uv` takes a third of the time. It is not the default because uv does not read pip's settings (a mirror,
# a certificate of one's own).
INSTALLER ?= pip

.PHONY: help setup lab demo grade report publish site doctor bench test quick text apply sync execute check audit release requirements clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 16

setup: $(VENV)/.ready  ## Make the environment (.venv) with everything in it

$(VENV)/.ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if (3, 11) <= v <= (3, 13) else "Python 3.11, 3.12 or 3.13 is needed, this is %d.%d. Name one: make PYTHON=python3.12" % v)'
	@echo "Making the environment $(VENV): about 190 packages, 2 GB, a minute or more"
	@$(PYTHON) -m venv $(VENV) || { echo "No venv module: on Debian and Ubuntu, apt-get install python3-venv"; exit 1; }
	@[ $(INSTALLER) != uv ] || { $(BIN)/python -m pip install $(PIPFLAGS) "$$(grep ^uv== requirements.txt)" && \
		$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python -r requirements.txt; } || \
		echo "uv could not install everything; pip goes on"
	@$(BIN)/python -m pip install $(PIPFLAGS) -r requirements.txt
	@$(BIN)/python -m pip install $(PIPFLAGS) --no-deps -e .
	@touch $@

lab: setup  ## Open JupyterLab on a copy of the students' notebooks, in build/lab
	@mkdir -p build && { [ -d build/lab ] || cp -R notebooks build/lab; }  # remove the folder to begin anew
	$(BIN)/jupyter lab build/lab

demo: setup  ## Grade the bundled sample class
	$(BIN)/grader demo

grade: setup  ## Mark the submissions in grader/local/submitted
	$(BIN)/grader grade $(NB)

doctor: setup  ## Report how far this machine can isolate students' code
	$(BIN)/grader doctor

report: setup  ## Write a page about how the class did
	$(BIN)/grader report $(NB)

publish: setup  ## Write the students' repository: make publish DIR=../students
	$(BIN)/grader publish $(DIR)

site: setup  ## Write the course as web pages: make site SITE=../site
	$(BIN)/grader publish --site $(SITE)

bench: setup  ## Measure what marking costs, next to stock nbgrader
	$(BIN)/grader bench $(NB)

# Quick ones first, then whole notebooks and classes (four at a time on two cores, since some wait for hostile code to
# run out of its time; the longest first, and those together that share a process, see tests/conftest.py).
# Machines made for one run may forbid bytecode; the tests start hundreds of processes, and each would compile it anew.
test quick: export PYTHONDONTWRITEBYTECODE =
test: quick  ## Run every test
	$(BIN)/python -m pytest -v -m slow -n 4 --dist loadgroup --no-loadscope-reorder --durations 10

# Three at a time on two cores: a quarter of their time they wait for something to start, to end or to be forbidden.
# Those that take Keras run by themselves: the others fork their process, which takes longer with TensorFlow in it.
quick: setup  ## Run the tests that take seconds
	$(BIN)/python -m pytest -q -m "not slow" -n 3 --durations 10 --keras without
	$(BIN)/python -m pytest -q -m "not slow" -n 3 --durations 10 --keras with

text apply sync execute check audit release: setup  ## Work on notebooks: make text NB=02 (see CONTRIBUTING.md)
	$(BIN)/grader $@ $(NB)

requirements: setup  ## Pin the requirements anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --no-header -o requirements.txt

clean:  ## Remove the environment and everything made
	rm -rf $(VENV) build grader/local
