"""Damage to the file that holds the notebook, and to the folder around it."""

from __future__ import annotations

import json

import nbformat
from nbformat import NotebookNode

from grader.core.cells import CellKind
from grader.testing.damage.register import (
    answers_of,
    as_bytes,
    cells_of,
    code_cell,
    costs,
    damage,
    exercise,
    names_of,
    stub,
)

# The file


@damage
def byte_order_mark(nb):
    """An editor on Windows saved the file with a byte order mark."""
    return b"\xef\xbb\xbf" + as_bytes(nb)


@damage
def utf_16(nb):
    """An editor saved the file as UTF-16."""
    return as_bytes(nb).decode().encode("utf-16")


@damage
def utf_32_without_mark(nb):
    """A tool saved the file as UTF-32 without saying so."""
    return as_bytes(nb).decode().encode("utf-32-le")


@damage
def windows_1252(nb):
    """An editor saved the file in the code page of Windows; a comment holds an umlaut."""
    answers_of(nb)[0].source += "\n# geprüft“"
    return as_bytes(nb).decode().encode("cp1252", "replace")


@damage
def nul_bytes(nb):
    """NUL bytes came into the file."""
    data = as_bytes(nb)
    return data[:500] + b"\0" * 7 + data[500:] + b"\0" * 512


@damage
def windows_line_ends(nb):
    """A tool wrote Windows' line ends into the file and into the cells."""
    for cell in nb.cells:
        cell.source = cell.source.replace("\n", "\r\n")
    return as_bytes(nb).replace(b"\n", b"\r\n")


@damage
def text_behind(nb):
    """A mail program put its signature behind the notebook."""
    return as_bytes(nb) + b"\n--\nSent from my phone\n"


@damage
def saved_answer_of_the_server(nb):
    """The file is what Jupyter's server answers: the notebook is its key `content`."""
    return as_bytes({"name": "nb.ipynb", "type": "notebook", "content": nb})


@damage
def notebook_as_text(nb):
    """The notebook was written as a JSON text within JSON."""
    return json.dumps(as_bytes(nb).decode()).encode()


@damage
def notebook_in_a_cell(nb):
    """The notebook's file was pasted into a cell of a new one."""
    return as_bytes(nbformat.v4.new_notebook(cells=[code_cell(as_bytes(nb).decode())]))


@damage
def merge_conflict(nb):
    """The file holds an unresolved merge conflict: the answer on one side, the stub on the other."""
    text = as_bytes(nb).decode()
    source = answers_of(nb)[0].source
    mine, theirs = (json.dumps(s, ensure_ascii=False) for s in (source, stub(source)))
    line = next(n for n in text.split("\n") if mine in n)
    both = f"<<<<<<< HEAD\n{line.replace(mine, theirs)}\n=======\n{line}\n>>>>>>> mine"
    return text.replace(line, both, 1).encode()


@costs(lambda nb: names_of(answers_of(nb)[-1:]) | names_of(cells_of(nb, CellKind.WRITTEN)))
@damage
def cut_off(nb):
    """The upload broke off within the last answer."""
    text = as_bytes(nb).decode()
    source = json.dumps(answers_of(nb)[-1].source, ensure_ascii=False)
    return text[: text.index(source) + len(source) // 2].encode()


@costs(exercise(0))
@damage
def broken_within_a_cell(nb):
    """A quotation mark too many in the first answer breaks the file there."""
    text = as_bytes(nb).decode()
    source = json.dumps(answers_of(nb)[0].source, ensure_ascii=False)
    return text.replace(source, source[:30] + '"' + source[30:], 1).encode()


@damage
def trailing_comma(nb):
    """Somebody mended the file by hand and left a comma behind the last cell."""
    text = json.dumps({"cells": nb.cells, "nbformat": 4}, ensure_ascii=False)
    return text.replace('], "nbformat"', ',], "nbformat"').encode()


@damage
def no_format_given(nb):
    """The notebook does not say its format and has no metadata."""
    return as_bytes({"cells": nb.cells})


@damage
def unknown_format(nb):
    """The notebook says it is in a format that does not exist."""
    nb.nbformat, nb.nbformat_minor = 5, 99


@damage
def format_3(nb):
    """A service saved the notebook in the format of 2013, with worksheets."""
    cells = []
    for cell in nb.cells:
        if cell.cell_type == "code":
            own = {"cell_type": "code", "input": cell.source.splitlines(True), "outputs": [], "language": "python"}
        else:
            own = {"cell_type": cell.cell_type, "source": cell.source}
        cells.append({**own, "metadata": cell.metadata})
    return as_bytes({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]})


@damage
def cells_of_wrong_kinds(nb):
    """A tool added entries that are no cells."""
    content = json.loads(as_bytes(nb))
    content["cells"][3:3] = [None, 7, {"cell_type": "code"}, {"cell_type": 5, "source": {}}, []]
    return as_bytes(content)


@damage
def other_kernel(nb):
    """The notebook names the kernel of another language."""
    nb.metadata = NotebookNode(kernelspec={"name": "ir", "display_name": "R", "language": "R"})


@damage
def script_of_nbconvert(nb):
    """The notebook was downloaded as a Python script."""
    parts = ["#!/usr/bin/env python\n# coding: utf-8\n"]
    for cell in nb.cells:
        if cell.cell_type == "code":
            parts.append(f"# In[ ]:\n\n\n{cell.source}\n")
        else:
            parts.append("".join(f"# {line}\n" for line in cell.source.split("\n")))
    return {"{assignment}.py": "\n\n".join(parts).encode()}


@damage
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


@damage
def second_download(nb):
    """The browser named the file as a second download, and an empty one of the right name lies beside it."""
    return {"{assignment} (1).ipynb": as_bytes(nb), "{assignment}.ipynb": b""}


@damage
def copy_in_a_folder(nb):
    """A copy in a folder was handed in, with a Mac's companion files."""
    return {"my work/Copy of {assignment}.ipynb": as_bytes(nb), "my work/._Copy of {assignment}.ipynb": b"\0\5\26\7"}


@damage
def named_as_text(nb):
    """The system put `.txt` behind the name."""
    return {"{assignment}.ipynb.txt": as_bytes(nb), "readme.txt": b"my notebook"}


@damage
def modules_beside_it(nb):
    """Files lie beside the notebook that would be imported in place of libraries."""
    return {"{assignment}.ipynb": as_bytes(nb), "numpy.py": b"raise SystemExit", "keras/__init__.py": b"1 / 0"}
