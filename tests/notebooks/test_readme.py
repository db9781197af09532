"""The README's commands, run as a new user runs them: a fresh copy of the repository and a fresh environment."""

import csv
import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from interpreters import find_interpreters

from grader.core.notebook import read_notebook
from grader.demo import read_sample_class

ROOT = Path(__file__).parents[2]
#: The notebook that costs least to mark, for the demo of one notebook.
LIGHT = "05_positional_encoding"


def blocks(heading):
    """Give the commands of the code blocks below a heading of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = re.split(r"^##+ ", text.split(f"{heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    return [block.strip().splitlines() for block in re.findall(r"```bash\n(.*?)```", section, re.S)]


def fresh_copy(folder):
    """Copy what git tracks or would track."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def clean_environment():
    """Hide the environment that runs this test."""
    hidden = ("VIRTUAL_ENV", "PYTHONPATH", "PYTEST_CURRENT_TEST", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    hidden += ("VENV", "PYTHON", "INSTALLER")  # of the make that runs this test
    env = {k: v for k, v in os.environ.items() if k not in hidden}
    own = str(Path(sys.executable).parent)
    env["PATH"] = os.pathsep.join(p for p in env["PATH"].split(os.pathsep) if p != own)
    return env


def run(command, folder):
    done = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, text=True, shell=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def check_demo(folder, printed, notebooks):
    """Check what `demo` promises: marks, feedback, a table, and nothing changed in the repository."""
    students, _ = read_sample_class(ROOT / "grader/sample_class.toml")
    local = folder / "grader/local/demo"
    with (local / "marks.csv").open() as lines:
        marks = {(r["student_id"], r["assignment"]): float(r["raw_score"]) for r in csv.DictReader(lines)}
    assert marks == {(s.name, n): s.expected[n] for s in students for n in notebooks}
    for student in students:
        assert re.search(rf"^{re.escape(student.name)} ", printed, re.M)
        for name in notebooks:
            page = local / "feedback" / student.name / name / f"{name}.html"
            assert name in page.read_text(encoding="utf-8")
    for name in notebooks:
        path = f"notebooks/{name}/{name}.ipynb"
        assert (folder / path).read_bytes() == (ROOT / path).read_bytes()


@pytest.mark.slow
def test_make_demo_from_nothing(tmp_path):
    """The README's first command to the letter: environment, and the sample class in every notebook.

    On another interpreter than this one where the machine has one: `.ci/run` has just made this one's environment from
    nothing by the same target. The commands without make are those behind it, as the next test shows; those that make
    an environment need not be run twice for that.
    """
    others = find_interpreters(*(minor for minor in (13, 12, 11) if minor != sys.version_info[1]))
    folder = fresh_copy(tmp_path)
    assert ["make demo"] in blocks("## Two commands")
    notebooks = sorted(p.stem for p in (folder / "notebooks").glob("*/*.ipynb"))
    assert notebooks == sorted(p.stem for p in (ROOT / "solutions").glob("*/*.ipynb"))
    python = others[0] if others else sys._base_executable
    check_demo(folder, run(f"make demo PYTHON={python}", folder), notebooks)

    setup, [plain_demo], _ = blocks("### Without make")
    assert setup[0].startswith("python3 ")
    version = run(".venv/bin/python --version", folder)
    assert version.startswith(f"Python 3.{sys.version_info[1]}.") is not bool(others)
    assert run(".venv/bin/grader --version", folder).strip()
    run(".venv/bin/grader doctor", folder)
    check_demo(folder, run(f"{plain_demo} {LIGHT}", folder), [LIGHT])
    if not others:
        pytest.skip("all but another interpreter was tried: no other one of 3.11, 3.12 or 3.13 on this machine")


def test_plain_commands_are_those_behind_make():
    # Without make's quiet flags for pip, and without those of a make that runs this test.
    dry = run("make -n -B test demo VENV=.venv PIPFLAGS=", ROOT)
    planned = dry.replace(f"{ROOT}/", "").replace("install  ", "install ")
    for command in itertools.chain.from_iterable(blocks("### Without make")):
        assert command in planned, f"{command} is not what make runs:\n{planned}"


def test_ci_calls_the_test_command_of_the_readme():
    assert ["make test"] in blocks("## Two commands")
    assert re.search(r"^make test ", (ROOT / ".ci/run").read_text(), re.M)


PAGES = ["README.md", "CONTRIBUTING.md", "grader/README.md", "grader/MEASUREMENTS.md", "grader/lms/README.md"]


def anchors(page):
    """Return what a link may name behind the `#`: the headings of a page as GitHub writes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    page = ROOT / name
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    assert targets
    for path, _, anchor in (t.partition("#") for t in targets if not t.startswith("http")):
        to = (page.parent / path).resolve() if path else page
        assert to.exists(), f"{name}: {path}"
        assert not anchor or anchor in anchors(to), f"{name}: {path}#{anchor}"


def test_the_map_says_what_the_notebooks_say():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[\d+\. [^]]+\]\((\S+)\) \|.*\| (\d+) \| (\d+ \+ \d+) \|$", text, re.M)
    stated = []
    for path in sorted((ROOT / "notebooks").glob("*/*.ipynb")):
        first = read_notebook(path).cells[0].source
        minutes, points = re.search(r"About (\d+) minutes", first), re.search(r"(\d+) points, and (\d+)", first)
        stated.append((path.relative_to(ROOT).as_posix(), minutes[1], f"{points[1]} + {points[2]}"))
    assert rows == stated
