"""What happens to honest submissions on their way: damage that must not cost points, to test the marking with.

Each kind takes a solved submission - a released notebook with answers, see `samples.fill_answers` - and gives a changed
notebook, the bytes of a file, or the files of a folder. In the names of files `{assignment}` stands for the
assignment's name.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from grader.core.names import defined_functions
from grader.core.notebook import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.testing.samples import as_saved_by_colab

Damaged = NotebookNode | bytes | dict[str, bytes]
DAMAGES: dict[str, Callable[[NotebookNode], Damaged]] = {}
#: Kinds after which something of an answer is gone for good: the exercises that may rightly lose points.
UNREPAIRABLE: dict[str, Callable[[NotebookNode], set[str]]] = {}


def hand_in(damaged: Damaged, folder: Path, assignment: str) -> None:
    """Write what a kind of damage gave into a submission's folder."""
    if isinstance(damaged, NotebookNode):
        damaged = _bytes(damaged)
    files = damaged if isinstance(damaged, dict) else {"{assignment}.ipynb": damaged}
    for name, data in files.items():
        path = folder / name.replace("{assignment}", assignment)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _damage(change: Callable[[NotebookNode], Damaged | None]) -> Callable[[NotebookNode], Damaged]:
    """Enter a kind; it may change the copy that it is given and give nothing."""

    def damage(nb: NotebookNode) -> Damaged:
        own = copy.deepcopy(nb)
        result = change(own)
        return own if result is None else result

    damage.__name__, damage.__doc__ = change.__name__, change.__doc__
    DAMAGES[change.__name__.strip("_").replace("_", "-")] = damage
    return damage


def _costs(exercises: Callable[[NotebookNode], set[str]]):
    def enter(damage):
        UNREPAIRABLE[damage.__name__.replace("_", "-")] = exercises
        return damage

    return enter


def _bytes(nb: NotebookNode | dict) -> bytes:
    """Write a notebook as it is, valid or not."""
    return json.dumps(nb, indent=1, ensure_ascii=False, sort_keys=True).encode()


def _of(nb: NotebookNode, *kinds: CellKind) -> list[NotebookNode]:
    return [cell for cell in nb.cells if kind_of(cell) in kinds]


def _answers(nb: NotebookNode) -> list[NotebookNode]:
    return _of(nb, CellKind.ANSWER)


def _exercise(number: int) -> Callable[[NotebookNode], set[str]]:
    return lambda nb: {grade_id(c) for c in _answers(nb)[number:][:1]}


def _index(nb: NotebookNode, cell: NotebookNode) -> int:
    return next(n for n, c in enumerate(nb.cells) if c is cell)


def _insert_after(nb: NotebookNode, cell: NotebookNode, *new: NotebookNode) -> None:
    at = _index(nb, cell) + 1
    nb.cells[at:at] = new


def _code(text: str, **more) -> NotebookNode:
    cell = new_code_cell(text, **more)
    cell["id"] = more.get("id", f"added-{len(text)}-{sum(map(ord, text)) % 9973}")
    return cell


def _next_of(nb: NotebookNode, cell: NotebookNode, *kinds: CellKind) -> NotebookNode | None:
    return next((c for c in nb.cells[_index(nb, cell) + 1 :] if kind_of(c) in kinds), None)


def _stub(text: str) -> str:
    """Empty the functions of an answer again."""
    tree = ast.parse(text)
    stop = ast.parse('raise NotImplementedError("not written yet")').body
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.body = [n for n in node.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)] + stop
    return ast.unparse(tree)


def _without_marks(nb: NotebookNode, ids: bool) -> None:
    for number, cell in enumerate(nb.cells):
        cell.metadata = NotebookNode()
        if ids:
            cell["id"] = f"lost{number:04d}"


# The file


@_damage
def byte_order_mark(nb):
    """An editor on Windows saved the file with a byte order mark."""
    return b"\xef\xbb\xbf" + _bytes(nb)


@_damage
def utf_16(nb):
    """An editor saved the file as UTF-16."""
    return _bytes(nb).decode().encode("utf-16")


@_damage
def utf_32_without_mark(nb):
    """A tool saved the file as UTF-32 without saying so."""
    return _bytes(nb).decode().encode("utf-32-le")


@_damage
def windows_1252(nb):
    """An editor saved the file in the code page of Windows; a comment holds an umlaut."""
    _answers(nb)[0].source += "\n# geprüft“"
    return _bytes(nb).decode().encode("cp1252", "replace")


@_damage
def nul_bytes(nb):
    """NUL bytes came into the file."""
    data = _bytes(nb)
    return data[:500] + b"\0" * 7 + data[500:] + b"\0" * 512


@_damage
def windows_line_ends(nb):
    """A tool wrote Windows' line ends into the file and into the cells."""
    for cell in nb.cells:
        cell.source = cell.source.replace("\n", "\r\n")
    return _bytes(nb).replace(b"\n", b"\r\n")


@_damage
def text_behind(nb):
    """A mail program put its signature behind the notebook."""
    return _bytes(nb) + b"\n--\nSent from my phone\n"


@_damage
def saved_answer_of_the_server(nb):
    """The file is what Jupyter's server answers: the notebook is its key `content`."""
    return _bytes({"name": "nb.ipynb", "type": "notebook", "content": nb})


@_damage
def notebook_as_text(nb):
    """The notebook was written as a JSON text within JSON."""
    return json.dumps(_bytes(nb).decode()).encode()


@_damage
def notebook_in_a_cell(nb):
    """The notebook's file was pasted into a cell of a new one."""
    return _bytes(nbformat.v4.new_notebook(cells=[_code(_bytes(nb).decode())]))


@_damage
def merge_conflict(nb):
    """The file holds an unresolved merge conflict: the answer on one side, the stub on the other."""
    text = _bytes(nb).decode()
    source = _answers(nb)[0].source
    mine, theirs = (json.dumps(s, ensure_ascii=False) for s in (source, _stub(source)))
    line = next(n for n in text.split("\n") if mine in n)
    both = f"<<<<<<< HEAD\n{line.replace(mine, theirs)}\n=======\n{line}\n>>>>>>> mine"
    return text.replace(line, both, 1).encode()


@_costs(lambda nb: {grade_id(c) for c in _answers(nb)[-1:]} | {grade_id(c) for c in _of(nb, CellKind.WRITTEN)})
@_damage
def cut_off(nb):
    """The upload broke off within the last answer."""
    text = _bytes(nb).decode()
    source = json.dumps(_answers(nb)[-1].source, ensure_ascii=False)
    return text[: text.index(source) + len(source) // 2].encode()


@_costs(_exercise(0))
@_damage
def broken_within_a_cell(nb):
    """A quotation mark too many in the first answer breaks the file there."""
    text = _bytes(nb).decode()
    source = json.dumps(_answers(nb)[0].source, ensure_ascii=False)
    return text.replace(source, source[:30] + '"' + source[30:], 1).encode()


@_damage
def trailing_comma(nb):
    """Somebody mended the file by hand and left a comma behind the last cell."""
    text = json.dumps({"cells": nb.cells, "nbformat": 4}, ensure_ascii=False)
    return text.replace('], "nbformat"', ',], "nbformat"').encode()


@_damage
def no_format_given(nb):
    """The notebook does not say its format and has no metadata."""
    return _bytes({"cells": nb.cells})


@_damage
def unknown_format(nb):
    """The notebook says it is in a format that does not exist."""
    nb.nbformat, nb.nbformat_minor = 5, 99


@_damage
def format_3(nb):
    """A service saved the notebook in the format of 2013, with worksheets."""
    cells = []
    for cell in nb.cells:
        if cell.cell_type == "code":
            own = {"cell_type": "code", "input": cell.source.splitlines(True), "outputs": [], "language": "python"}
        else:
            own = {"cell_type": cell.cell_type, "source": cell.source}
        cells.append({**own, "metadata": cell.metadata})
    return _bytes({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]})


@_damage
def cells_of_wrong_kinds(nb):
    """A tool added entries that are no cells."""
    content = json.loads(_bytes(nb))
    content["cells"][3:3] = [None, 7, {"cell_type": "code"}, {"cell_type": 5, "source": {}}, []]
    return _bytes(content)


@_damage
def other_kernel(nb):
    """The notebook names the kernel of another language."""
    nb.metadata = NotebookNode(kernelspec={"name": "ir", "display_name": "R", "language": "R"})


@_damage
def script_of_nbconvert(nb):
    """The notebook was downloaded as a Python script."""
    parts = ["#!/usr/bin/env python\n# coding: utf-8\n"]
    for cell in nb.cells:
        if cell.cell_type == "code":
            parts.append(f"# In[ ]:\n\n\n{cell.source}\n")
        else:
            parts.append("".join(f"# {line}\n" for line in cell.source.split("\n")))
    return {"{assignment}.py": "\n\n".join(parts).encode()}


@_damage
def script_with_percents(nb):
    """The notebook was saved as a script of VS Code."""
    parts = []
    for cell in nb.cells:
        if cell.cell_type == "code":
            parts.append(f"# %%\n{cell.source}\n")
        else:
            parts.append("# %% [markdown]\n" + "".join(f"# {line}\n" for line in cell.source.split("\n")))
    return {"{assignment}.py": "\n".join(parts).encode()}


# The folder


@_damage
def second_download(nb):
    """The browser named the file as a second download, and an empty one of the right name lies beside it."""
    return {"{assignment} (1).ipynb": _bytes(nb), "{assignment}.ipynb": b""}


@_damage
def copy_in_a_folder(nb):
    """A copy in a folder was handed in, with a Mac's companion files."""
    return {"my work/Copy of {assignment}.ipynb": _bytes(nb), "my work/._Copy of {assignment}.ipynb": b"\0\5\26\7"}


@_damage
def named_as_text(nb):
    """The system put `.txt` behind the name."""
    return {"{assignment}.ipynb.txt": _bytes(nb), "readme.txt": b"my notebook"}


@_damage
def modules_beside_it(nb):
    """Files lie beside the notebook that would be imported in place of libraries."""
    return {"{assignment}.ipynb": _bytes(nb), "numpy.py": b"raise SystemExit", "keras/__init__.py": b"1 / 0"}


# The cells' marks


@_damage
def saved_by_colab(nb):
    """Colab opened the notebook from GitHub and saved it."""
    return as_saved_by_colab(nb)


@_damage
def marks_lost(nb):
    """A tool dropped the metadata of all cells."""
    _without_marks(nb, ids=False)


@_damage
def marks_and_ids_lost(nb):
    """A service dropped the metadata and the ids of all cells."""
    _without_marks(nb, ids=True)


@_damage
def marks_of_wrong_types(nb):
    """The metadata of cells has the wrong types."""
    for number, cell in enumerate(nb.cells):
        cell.metadata["nbgrader"] = (7, None, [], "x", {"grade_id": 3})[number % 5]
        cell.metadata["tags"] = ("x", 5, None, {"a": 1}, [1, [2]])[number % 5]


@_damage
def marks_of_old_schemas(nb):
    """The metadata says it follows schemas 1, 2 and 99."""
    for number, cell in enumerate(c for c in nb.cells if "nbgrader" in c.metadata):
        cell.metadata.nbgrader.schema_version = (1, 2, 99, "3")[number % 4]
        if number % 4 == 0:
            cell.metadata.nbgrader.pop("task", None)


@_damage
def ids_repeated(nb):
    """All cells have one id, and no marks."""
    for cell in nb.cells:
        cell["id"] = "cell"
        cell.metadata.pop("nbgrader", None)


@_damage
def grade_ids_swapped(nb):
    """The marks of the first two answers were swapped."""
    one, two = _answers(nb)[0], _answers(nb)[-1]
    one.metadata, two.metadata = two.metadata, one.metadata
    one["id"], two["id"] = two["id"], one["id"]


@_damage
def grade_ids_renamed(nb):
    """A student gave the answer cells names of their own."""
    for number, cell in enumerate(_answers(nb)):
        cell.metadata.nbgrader.grade_id = cell["id"] = f"my-answer-{number}"


@_damage
def marked_as_tests(nb):
    """An answer cell carries the marks of a test."""
    answer = _answers(nb)[0]
    test = _next_of(nb, answer, CellKind.TEST)
    answer.metadata, answer["id"] = copy.deepcopy(test.metadata), "answer"


# The cells


@_damage
def answers_moved(nb):
    """The answer cells were moved behind everything else, the last one first."""
    answers = _answers(nb)
    nb.cells = [c for c in nb.cells if all(c is not a for a in answers)] + answers[::-1]


@_damage
def all_cells_backwards(nb):
    """The cells stand in the reverse order."""
    nb.cells = nb.cells[::-1]


@_damage
def tests_deleted(nb):
    """The test cells were deleted."""
    nb.cells = [c for c in nb.cells if kind_of(c) is not CellKind.TEST]


@_damage
def everything_but_answers_deleted(nb):
    """Only the answers were left in the notebook."""
    nb.cells = _of(nb, CellKind.ANSWER, CellKind.WRITTEN)


@_damage
def locked_cells_changed(nb):
    """Locked cells were changed; one has an import that an answer needs."""
    for cell in _of(nb, *LOCKED_KINDS):
        cell.source += "\n\n# I looked at this"
    _of(nb, CellKind.SETUP)[0].source += "\nfrom math import floor as rounded_down"
    answer = _answers(nb)[0]
    answer.source = answer.source.rstrip() + "\n\nhalf = rounded_down(0.5)"


@_damage
def tests_changed(nb):
    """Prints were put into the tests."""
    for cell in _of(nb, CellKind.TEST):
        cell.source = cell.source.replace("\nassert", '\nprint("here")\nassert', 1) + "\nprint('fine')"


@_costs(_exercise(0))
@_damage
def answer_deleted(nb):
    """The first answer cell was deleted."""
    del nb.cells[_index(nb, _answers(nb)[0])]


@_costs(_exercise(-1))
@_damage
def answer_emptied(nb):
    """The last answer cell is empty."""
    _answers(nb)[-1].source = "\n"


@_costs(_exercise(0))
@_damage
def function_renamed(nb):
    """The first exercise's functions have other names."""
    answer = _answers(nb)[0]
    for name in defined_functions(answer.source):
        answer.source = answer.source.replace(name, f"my_{name}")


@_damage
def answer_duplicated(nb):
    """Each answer cell is there twice with the same marks, the second time untouched."""
    for cell in _answers(nb):
        twin = copy.deepcopy(cell)
        twin.source = _stub(cell.source)
        _insert_after(nb, cell, twin)


@_damage
def older_attempt_kept(nb):
    """A first attempt stands above the answer, with the same marks."""
    for cell in _answers(nb):
        twin = copy.deepcopy(cell)
        name = defined_functions(cell.source)[0]
        cell.source = f"def {name}(*arguments):\n    return 0"
        _insert_after(nb, cell, twin)


@_damage
def split_behind_imports(nb):
    """Each answer was split into two cells with the same marks: imports and a helper, then the function."""
    for number, cell in enumerate(_answers(nb)):
        twin = copy.deepcopy(cell)
        cell.source = f"import math as m{number}\n\n\ndef helper_{number}(x):\n    return m{number}.floor(x)"
        twin.source += f"\n\n\nchecked_{number} = helper_{number}(0.5)"
        _insert_after(nb, cell, twin)


@_damage
def split_within_the_function(nb):
    """Each answer was split within its function; the second half lost its marks."""
    for cell in _answers(nb):
        node = ast.parse(cell.source).body[0]
        last = node.body[-1].lineno - 1
        lines = cell.source.split("\n")
        cell.source, rest = "\n".join(lines[:last]), "\n".join(lines[last:])
        _insert_after(nb, cell, _code(rest))


@_damage
def merged_with_the_next(nb):
    """The first two answers stand in one cell; the second one's was deleted."""
    one, two = _answers(nb)[:2] if len(_answers(nb)) > 1 else (_answers(nb)[0], None)
    if two is not None:
        one.source += "\n\n\n" + two.source
        del nb.cells[_index(nb, two)]


@_damage
def merged_into_the_last(nb):
    """All answers stand in the last answer cell; the others are untouched."""
    answers = _answers(nb)
    answers[-1].source = "\n\n\n".join(c.source for c in answers)
    for cell in answers[:-1]:
        cell.source = _stub(cell.source)


@_damage
def merged_with_check_and_marks_lost(nb):
    """Each answer was merged with the self-check below it, and nothing has marks."""
    for cell in _answers(nb):
        check = _next_of(nb, cell, CellKind.SELF_CHECK)
        if check is not None:
            cell.source += "\n" + check.source
            del nb.cells[_index(nb, check)]
    _without_marks(nb, ids=True)


def _one_cell_lower(nb: NotebookNode, put: Callable[[NotebookNode, str], None]) -> None:
    for cell in _answers(nb):
        put(cell, cell.source)
        cell.source = _stub(cell.source)


@_damage
def in_an_extra_cell(nb):
    """Each answer was written into a new cell below the stub."""
    _one_cell_lower(nb, lambda cell, text: _insert_after(nb, cell, _code(text)))


@_damage
def in_an_extra_cell_below_the_tests(nb):
    """Each answer was written into a new cell below its tests."""

    def put(cell: NotebookNode, text: str) -> None:
        test = _next_of(nb, cell, CellKind.TEST)
        while (
            test is not None and (after := nb.cells[_index(nb, test) + 1 :][:1]) and kind_of(after[0]) is CellKind.TEST
        ):
            test = after[0]
        _insert_after(nb, test or cell, _code(text))

    _one_cell_lower(nb, put)


@_damage
def in_the_self_check(nb):
    """Each answer was written into the self-check below the stub."""

    def put(cell: NotebookNode, text: str) -> None:
        check = _next_of(nb, cell, CellKind.SELF_CHECK) or cell
        check.source = f"{text}\n\n\n{check.source}"

    _one_cell_lower(nb, put)


@_damage
def in_the_test(nb):
    """Each answer was written into the test below the stub."""

    def put(cell: NotebookNode, text: str) -> None:
        test = _next_of(nb, cell, CellKind.TEST)
        test.source = f"{text}\n\n\n{test.source}"

    _one_cell_lower(nb, put)


@_damage
def retyped_to_markdown(nb):
    """The answer cells became text cells."""
    _retype(nb, "markdown", "{}")


@_damage
def retyped_to_raw_and_marks_lost(nb):
    """The answer cells became raw cells, and nothing has marks."""
    _retype(nb, "raw", "{}")
    _without_marks(nb, ids=True)


@_damage
def fenced_in_markdown(nb):
    """The answers stand in text cells between fences, with a sentence in front."""
    _retype(nb, "markdown", "My answer:\n\n```python\n{}\n```")


def _retype(nb: NotebookNode, kind: str, form: str) -> None:
    for cell in _answers(nb):
        cell.cell_type, cell.source = kind, form.replace("{}", cell.source)
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


@_damage
def written_answer_as_code(nb):
    """The written answers became code cells and lost their marks."""
    for cell in _of(nb, CellKind.WRITTEN):
        cell.cell_type, cell.outputs, cell.execution_count = "code", [], None
        cell.metadata, cell["id"] = NotebookNode(), "words"


@_damage
def written_answer_one_cell_lower(nb):
    """The written answers stand in a new cell below the untouched one."""
    for cell in _of(nb, CellKind.WRITTEN):
        _insert_after(nb, cell, new_markdown_cell(cell.source, id="words"))
        cell.source = "*Write your answer here.*"


@_damage
def helper_below_the_tests(nb):
    """A helper that the first answer calls stands in a cell at the very end."""
    cell = _answers(nb)[0]
    node = ast.parse(cell.source).body[0]
    lines = cell.source.split("\n")
    margin = " " * node.body[0].col_offset
    lines.insert(node.body[-1].lineno - 1, f"{margin}handed_through(1)")
    cell.source = "\n".join(lines)
    nb.cells.append(_code("def handed_through(x):\n    return x"))


# Inside of the cells


def _each_answer(nb: NotebookNode, change: Callable[[str], str]) -> None:
    for cell in _answers(nb):
        cell.source = change(cell.source)


@_damage
def installing(nb):
    """Lines that install, load and change the folder stand in the answers."""
    head = "!pip install numpy\n%pip install -q keras\n%load_ext tensorboard\n%cd /content\n"
    _each_answer(nb, lambda text: head + text + "\n!ls")


@_damage
def quiet_magics(nb):
    """Magics for figures and timing stand in the answers."""
    _each_answer(nb, lambda text: "%%time\n%matplotlib inline\n" + text)


@_damage
def colab_leftovers(nb):
    """Calls that work on Colab only stand in the answers."""
    head = "from google.colab import drive, files\ndrive.mount('/content/drive')\nuploaded = files.upload()\n"
    _each_answer(nb, lambda text: head + text)


@_damage
def editor_imports(nb):
    """An editor's completion imported modules that nobody uses or that are not installed."""
    _each_answer(nb, lambda text: "from turtle import shape\nimport some_editor_thing\nimport ipdb\n" + text)


@_damage
def indented_cells(nb):
    """The answers are indented as a whole, as pasted from within a class."""
    _each_answer(nb, lambda text: "\n".join("    " + line if line else line for line in text.split("\n")))


@_damage
def mixed_tabs(nb):
    """The last line of each answer is indented with tabs."""

    def change(text: str) -> str:
        lines = text.rstrip().split("\n")
        lines[-1] = lines[-1].replace("    ", "\t")
        return "\n".join(lines)

    _each_answer(nb, change)


@_damage
def special_spaces(nb):
    """The answers were pasted from a web page: non-breaking and invisible characters."""
    _each_answer(nb, lambda text: "\ufeff" + text.replace("    ", "\u00a0\u00a0 \u00a0").replace("(", "(\u200b"))


@_damage
def curly_quotes(nb):
    """A word processor replaced the quotation marks."""
    _each_answer(nb, lambda text: text.replace('"', "”").replace("'", "’"))


@_damage
def prompts_pasted(nb):
    """The answers were pasted from a console, with its prompts."""

    def change(text: str) -> str:
        lines = text.rstrip().split("\n")
        return "\n".join((">>> " if n == 0 else "... ") + line for n, line in enumerate(lines))

    _each_answer(nb, change)


@_damage
def demonstrations_edited(nb):
    """The student played in the demonstrations and self-checks."""
    for number, cell in enumerate(_of(nb, CellKind.DEMONSTRATION, CellKind.SELF_CHECK)):
        cell.source += f"\nplayed_{number} = {number}"


@_damage
def cells_added(nb):
    """The student added cells of code, text and raw text everywhere."""
    cells = []
    for number, cell in enumerate(nb.cells):
        cells += [cell, _code(f"note_{number} = {number}"), new_markdown_cell(f"Note {number}", id=f"note-{number}")]
        cells.append(nbformat.v4.new_raw_cell("raw", id=f"raw-{number}"))
    nb.cells = cells


@_costs(_exercise(0))
@_damage
def leftover_raise(nb):
    """The stub's raise still stands in front of the first answer's code."""
    cell = _answers(nb)[0]
    node = ast.parse(cell.source).body[0]
    first = next(n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)))
    lines = cell.source.split("\n")
    lines.insert(first.lineno - 1, " " * first.col_offset + 'raise NotImplementedError("not written yet")')
    cell.source = "\n".join(lines)
