"""A notebook in another language runs as the English one does, alone, and has a letter for all that its figures say.

What a translation may not change is code (`grader check`); what it can break is code that looks something up by a word
that is shown. Trainings take a step here: nothing that is asked depends on how good a model is.
"""

import re
import sys
from pathlib import Path

import pytest
from as_students_run import after_setup, briefly, errors, printed, run
from nbformat.v4 import new_code_cell
from offline import need_network_namespaces

from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.languages.building import translated, translated_release
from grader.languages.catalogues import languages, translations

#: Warnings count too where a cell has asked not to see them, as test cells do.
LISTEN = """
def _listen():
    import warnings

    warn, heard = warnings.warn, []

    def louder(message, *args, **options):
        if "missing from" in str(message):
            heard.append(str(message))
        return warn(message, *args, **options)

    warnings.warn = louder
    return heard


_without_letters = _listen()
"""
TELL = "print('\\n'.join(_without_letters))"


def known_to(course, assignment, language, source):
    """Return the translations of a notebook and of its helpers."""
    helpers = {c.metadata.get("course", {}).get("include") for c in source.cells} - {None}
    names = [assignment, *(f"helpers/{Path(name).stem}" for name in sorted(helpers))]
    return {text: said for name in names for text, said in translations(course, language, name).items()}


def still_english(nb, messages):
    """Return the lines that a notebook prints in English though they are translated."""
    said = {line for cell in nb.cells if cell.cell_type == "code" for line in printed(cell).split("\n")}
    return said & {text for text, translation in messages.items() if text != translation and " " in text.strip()}


@pytest.mark.slow
@pytest.mark.parametrize("language", languages(Course.find()))
def test_the_translated_source_runs_alone_and_says_nothing_in_english(course, assignment, language, tmp_path):
    need_network_namespaces()
    source = read_notebook(course.source(assignment))
    _, left = translated_release(course, assignment, language)
    assert left == 0
    nb, _ = translated(course, assignment, language, source)  # model answers, rubrics and their comments stay English
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    for number, (name, code) in enumerate([("briefly", briefly()), ("listen", LISTEN)]):
        nb.cells.insert(after_setup(nb) + number, new_code_cell(code, id=name))
    nb.cells.append(new_code_cell(TELL, id="tell"))
    outcome, executed = run(sys.executable, nb, tmp_path)

    assert errors(executed) == {}
    checks = [c for c in executed.cells if kind_of(c) is CellKind.SELF_CHECK]
    assert checks
    assert [c.id for c in checks if re.search(r"^--  ", printed(c), re.M)] == []
    total = len(exercises(source))
    last = next(c for c in executed.cells if c.id == source.cells[-1].id)
    assert len(re.findall(rf"\b{total}\b", printed(last))) >= 2, "all exercises are written, and all pass"
    assert outcome["cells"]["tell"]["text"].split() == []
    assert still_english(executed, known_to(course, assignment, language, source)) == set()
