"""Tricks with files that cost whoever reads them: time, memory, or the interpreter's stack."""

from __future__ import annotations

import io
import json
import zipfile

from nbformat.v4 import new_code_cell

from ..course import NAME
from ..sheet import Sheet, kind, notebook_bytes

#: With the files in a submission's folder, where other tricks with files are.
G = "files"
#: Names of the kinds that this module enters.
COSTLY: list[str] = []


def costly(name: str, says: str):
    """Enter a kind whose submission a function makes."""
    COSTLY.append(name)
    return kind(name, group=G, says=says, stock=False)


def _with_text(sheet: Sheet, *texts: str):
    nb = sheet.wrong()
    sheet.cell(nb, "running_sum").source = "pass"
    for text in texts:
        sheet.add_text(nb, "running_sum", text)
    return nb


@costly("empty-lists", "hands in 25 MB of empty lists")
def _(sheet):
    return b'{"cells":[' + b"[]," * 8_000_000 + b"{}]}"


@costly("empty-lists-in-metadata", "hides a million empty objects in the notebook's metadata")
def _(sheet):
    nb = json.loads(notebook_bytes(sheet.wrong()))
    nb["metadata"]["x"] = [{}] * 1_000_000
    return json.dumps(nb).encode()


@costly("objects-in-objects", "nests an object 200,000 deep in a cell's metadata")
def _(sheet):
    deep = b'{"a":' * 200_000 + b"1" + b"}" * 200_000
    return notebook_bytes(sheet.wrong()).replace(b'"metadata": {', b'"metadata": {"x":' + deep + b",", 1)


@costly("beginnings-of-cells", "begins 300,000 cells, each in the one before, and ends none")
def _(sheet):
    return b'{"cell_type":' * 300_000


@costly("strings-without-end", "begins a source 200,000 times and never ends it")
def _(sheet):
    return b'{"cell_type":"code","source":["' * 200_000


@costly("line-of-megabytes", "writes an answer on a line of four megabytes")
def _(sheet):
    return sheet.plus("x = [" + "1, " * 1_300_000 + "]")


@costly("one-long-sum", "adds 12,000 numbers in one expression, which is a tree as deep")
def _(sheet):
    return sheet.plus("x = " + "+".join(["1"] * 12_000))


@costly("brackets-in-brackets", "writes an expression of 20,000 brackets in each other")
def _(sheet):
    return sheet.plus("x = " + "(" * 20_000 + ")" * 20_000)


@costly("fence-with-blanks", "begins a fence in prose with 40,000 blanks in front of the answer")
def _(sheet):
    return _with_text(sheet, "```" + " " * 40_000 + "!\ndef running_sum(values):\n    pass")


@costly("fences-without-end", "begins thousands of fences in the prose of forty cells")
def _(sheet):
    return _with_text(sheet, *["def running_sum(values):\n    pass\n" + "```a\n" * 9_000] * 40)


@costly("gaps-in-prose", "writes forty texts of two words with 19,000 blanks between them")
def _(sheet):
    return _with_text(sheet, *["a" + " " * 19_000 + "b"] * 40)


@costly("marks-of-a-script", "hands in a script whose line of marks begins 100,000 times")
def _(sheet):
    return {"answers.py": b"# %% " + b"nbgrader={" * 100_000 + b"\ndef running_sum(values):\n    return values\n"}


@costly("conflicts-at-the-end", "leaves five merge conflicts at the end of twelve megabytes")
def _(sheet):
    conflict = b"\n<<<<<<< a\n1,\n=======\n2,\n>>>>>>> b\n"
    start = b'{"cells":[{"cell_type":"code","source":"def running_sum(values): pass","outputs":['
    return start + b"[0,1]," * 2_000_000 + conflict * 5 + b" broken"


@costly("statements-without-end", "adds eight cells of 9,500 lines, each a statement")
def _(sheet):
    nb = sheet.wrong()
    nb.cells += [new_code_cell("a\n" * 9_500 + str(n)) for n in range(8)]
    return nb


@costly("many-large-files", "hands in twenty files of three megabytes, none of the right name")
def _(sheet):
    text = notebook_bytes(sheet.wrong())[:-1]
    return {f"{NAME} ({n}).ipynb": text + b"[]," * 1_000_000 + b" %d" % n for n in range(20)}


@costly("archive-of-large-files", "packs twenty files of five megabytes into a small archive, none of the right name")
def _(sheet):
    text = notebook_bytes(sheet.wrong())[:-1]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(20):
            archive.writestr(zipfile.ZipInfo(f"{NAME} ({n}).ipynb"), text + b"[]," * 1_600_000 + b" %d" % n)
    return {"work.zip": packed.getvalue()}
