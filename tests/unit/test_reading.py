"""What is made of a file, whole or damaged, and that nothing in it stops a class."""

import json
import re
import time

import jupytext
import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbconvert import PythonExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.core.findings import Level
from grader.submissions import loose_json, mend, reading
from grader.submissions.magics import as_typed
from grader.submissions.reading import MAX_CELLS, read_submission

ANSWER = 'def double(x):\n    """Double a number."""\n    return 2 * x  # über “alles”'

KERNEL = {"kernelspec": {"name": "python3", "language": "python", "display_name": "P"}}


def marked(grade_id, **more):
    full = {"grade": False, "solution": False, "locked": True, "schema_version": 3, "task": False}
    return {"nbgrader": {**full, "grade_id": grade_id, **more}}


def tiny_source():
    """A source notebook with one exercise."""
    solution = ANSWER.replace("    return", "    ### BEGIN SOLUTION\n    return") + "\n    ### END SOLUTION"
    nb = new_notebook(
        cells=[
            new_markdown_cell("# 9. Doubling", id="title"),
            new_code_cell("import math", id="setup", metadata=marked("setup") | {"tags": ["setup"]}),
            new_markdown_cell("### Exercise 9.1 - double (2 points)", id="exercise"),
            new_code_cell(solution, id="double", metadata=marked("double", solution=True, locked=False)),
            new_code_cell(
                "assert double(2) == 4\n### BEGIN HIDDEN TESTS\nassert double(3) == 6\n### END HIDDEN TESTS",
                id="test_double",
                metadata=marked("test_double", grade=True, points=2),
            ),
        ]
    )
    nb.metadata = nbformat.from_dict(KERNEL)
    return nb


def submission():
    nb = tiny_source()
    nb.cells[3].source = ANSWER
    nb.cells[4].source = "assert double(2) == 4"
    return nb


def sources(nb):
    return [c.source for c in nb.cells]


def read(data, name="nb.ipynb"):
    if isinstance(data, str):
        data = data.encode()
    nb, findings = read_submission(data, name)
    again, same = read_submission(data, name)
    assert (nb, findings) == (again, same)
    assert (nb is None) <= any(f.level is Level.LOST for f in findings)
    if nb is not None:
        json.dumps(nb).encode()
        nbformat.writes(nb)
    return nb, {f.kind for f in findings}


TEXT = nbformat.writes(submission())


def test_a_sound_file_is_read_without_a_word():
    nb, found = read(TEXT)
    assert found == set()
    assert sources(nb) == sources(submission())
    assert [c.id for c in nb.cells] == [c.id for c in submission().cells]
    assert nb.cells[3].metadata == submission().cells[3].metadata


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp1252"]
)
def test_encodings(encoding):
    nb, found = read(TEXT.encode(encoding))
    assert sources(nb) == sources(submission())
    assert found == {"encoding"}


def test_latin_1():
    data = TEXT.replace("“", "\x81").replace("”", "").encode("latin-1")
    assert "über" in read(data)[0].cells[3].source


#: In each of them some second byte is ASCII: a backslash in 功, 許, ソ and 表, letters in Korean.
EAST_ASIAN = {
    "cp950": "這個功能許多人都用。",
    "cp932": "ソフトマックスの表です。",
    "cp949": "똠방각하는 펲시콜라를 마신다",
}


@pytest.mark.parametrize("encoding", EAST_ASIAN)
@pytest.mark.parametrize("damage", ["none", "cut off"])
def test_code_pages_with_ascii_in_their_characters(encoding, damage):
    text = EAST_ASIAN[encoding]
    whole = TEXT.replace("über “alles”", text)
    if damage == "none":
        nb, found = read(whole.encode(encoding))
        assert found == {"encoding"}
        assert text in nb.cells[3].source
    else:  # the characters may be lost; the answer is not
        nb, _ = read(whole[: whole.index("assert double")].encode(encoding))
        assert "    return 2 * x  # " in nb.cells[3].source
        assert nb.cells[3].metadata.nbgrader.grade_id == "double"


@pytest.mark.parametrize(
    ("text", "encoding", "read_as"),
    [
        ("注意力权重显示解码器在看哪里。", "gb18030", "gb18030"),
        ("注意の重みを示す。", "euc_jp", "gb18030"),
        ("어텐션 가중치", "euc_kr", "gb18030"),
        ("été décodé où ça", "cp1252", "cp1252"),
        ("Décodeur, écrit à l'École", "cp1252", "cp1252"),
        ("Übung größer äöü", "cp1252", "cp1252"),
        ("ñandú año", "cp1252", "cp1252"),
        ("weiß", "cp1252", "cp1252"),
        ("façade", "cp1252", "cp1252"),
    ],
)
def test_what_other_code_pages_are_read_as_is_what_it_was(text, encoding, read_as):
    data = TEXT.replace("über “alles”", text).encode(encoding)
    nb, _ = read(data)
    assert text.encode(encoding).decode(read_as) in nb.cells[3].source


def as_version_3(nb):
    cells = []
    for cell in nb.cells:
        if cell.cell_type == "code":
            lines = cell.source.splitlines(keepends=True)
            more = {"input": lines, "outputs": [], "prompt_number": 1, "language": "python", "collapsed": False}
            cells.append({"cell_type": "code", "metadata": dict(cell.metadata), **more})
        else:
            cells.append({"cell_type": "markdown", "metadata": {}, "source": cell.source})
    worksheets = [{"cells": cells, "metadata": {}}]
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": worksheets}


def changed(**keys):
    content = json.loads(TEXT)
    content.update(keys)
    return json.dumps({k: v for k, v in content.items() if v is not None})


CELLS = json.loads(TEXT)["cells"]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (TEXT.replace("\n", "\r\n"), set()),
        (json.dumps(json.loads(TEXT)).replace("\\n", "\\r\\n"), set()),
        (TEXT.replace('"cells"', '\0"cells"\0\0', 1), {"nul-bytes"}),
        (TEXT.replace("return 2", "return\\u0000 2"), set()),
        (TEXT + "\nSent from my phone }", set()),
        (TEXT + "\nSent from my phone", {"stray-text"}),
        ('Here is my "notebook":\n' + TEXT, {"stray-text"}),
        (changed(nbformat=None, nbformat_minor=None, metadata=None), set()),
        (changed(nbformat=5), {"new-format"}),
        (changed(nbformat="four"), set()),
        (changed(metadata=[1]), set()),
        (changed(metadata={"kernelspec": {"language": "R"}}), {"other-language"}),
        (changed(metadata={"kernelspec": 7}), set()),
        (changed(metadata={"x": float("nan")}), set()),
        (TEXT.replace('"nbformat": 4', '"nbformat": 4, "x": 1' + "0" * 10_000), set()),
        (TEXT.replace('"nbformat": 4', '"nbformat": 4, "x": 1e999'), set()),
        (TEXT.replace('"nbformat": 4', '"nbformat": 4, "nbformat": 4, "nbformat": 4'), set()),
        (changed(cells=[*CELLS, 7, None, "x", {"cell_type": "code"}, {"source": 5}]), {"cells-dropped"}),
        (changed(cells=[{**c, "source": c["source"]} for c in CELLS]), set()),
        (json.dumps(json.dumps(json.loads(TEXT))), set()),
        (json.dumps({"name": "nb", "type": "notebook", "content": json.loads(TEXT)}), set()),
        (json.dumps(CELLS), set()),
        (json.dumps({"cells": [{"cell_type": "code", "source": TEXT, "metadata": {}}], "nbformat": 4}), set()),
        (json.dumps(as_version_3(submission())), {"old-format"}),
        (json.dumps({**as_version_3(submission()), "metadata": 3, "nbformat": 2}), {"old-format"}),
        (TEXT.replace('"nbformat"', '"a": "line\nbreak", "nbformat"'), set()),
    ],
)
def test_files_that_are_wrong_but_whole(data, found):
    nb, kinds = read(data)
    assert sources(nb) == sources(submission())
    assert kinds == found


#: What people type into a notebook's JSON, and what of it JSON would not have.
TYPED = [r"\d+", r"$\alpha$", r"C:\Users", r"\ ", r"\'", r"\x41", r"\u12", r"\U0001f600", r"\\\d", "\\", r"\(x\)"]


def typed(text):
    """Put a text into the answer's last line as it stands."""
    return TEXT.replace("# über", f"# {text} über")


@pytest.mark.parametrize("text", TYPED)
def test_a_backslash_typed_into_the_file_costs_nothing(text):
    nb, found = read(typed(text + "~"))
    assert found == {"stray-backslash"}
    expected = [s.replace("# über", f"# {text.replace(chr(92) * 2, chr(92))}~ über") for s in sources(submission())]
    assert sources(nb) == expected
    assert [c.metadata for c in nb.cells] == [c.metadata for c in submission().cells]


@pytest.mark.parametrize("text", TYPED)
def test_a_backslash_in_a_file_cut_off_costs_no_cell(text):
    cut = typed(text + "~")
    nb, found = read(cut[: cut.index("assert double")])
    assert found == {"broken-json", "stray-backslash"}
    assert len(nb.cells) == 4


def test_a_backslash_on_one_side_of_a_conflict():
    lines = typed(r"\d").splitlines()
    at = next(n for n, line in enumerate(lines) if "return 2" in line)
    lines[at : at + 1] = ["<<<<<<< HEAD", lines[at], "=======", '"    raise NotImplementedError"', ">>>>>>> 1a2b3c"]
    nb, found = read("\n".join(lines))
    assert found == {"merge-conflict", "stray-backslash"}
    assert r"# \d" in nb.cells[3].source


VALID = [r"\\d", r"\\\\d", r"\"\/\b\f\r\t", r"\u00fc\u12aB", r"\\u12", r"\ud83d\ude00"]


@pytest.mark.parametrize("text", VALID)
def test_escapes_that_are_right_stay_letter_for_letter(text):
    nb, found = read(typed(text))
    assert found == set()
    assert json.loads(f'"{text}"').replace("\r", "\n") in nb.cells[3].source
    assert loose_json.escaped(typed(text)) == typed(text)
    # Nor are they changed where another backslash is wrong.
    nb, found = read(typed(text + r"~\d"))
    assert found == {"stray-backslash"}
    assert json.loads(f'"{text}"').replace("\r", "\n") + r"~\d" in nb.cells[3].source


@pytest.mark.parametrize("name", ["nb.py", "nb.ipynb"])
@pytest.mark.parametrize("first", ["", '"""Answers to \\d."""\n'])
def test_backslashes_of_a_script_are_its_own(name, first):
    nb, found = read(first + ANSWER.replace("# über", r"# \d"), name)
    assert found == {"script"}
    assert r"# \d" in nb.cells[-1].source


def test_old_formats_keep_the_marks():
    nb, _ = read(json.dumps(as_version_3(submission())))
    assert nb.cells[3].metadata.nbgrader.grade_id == "double"


def test_a_file_cut_off_keeps_its_complete_cells():
    cut = TEXT[: TEXT.index("assert double")]
    nb, found = read(cut)
    assert found == {"broken-json"}
    assert sources(nb) == sources(submission())[:4]
    assert nb.cells[3].metadata.nbgrader.grade_id == "double"


def test_a_break_in_the_middle_costs_one_cell():
    broken = TEXT.replace('"# 9. Doubling"', '"# 9. Doubling" "" {')
    nb, found = read(broken)
    assert found == {"broken-json"}
    assert sources(nb) == sources(submission())[1:]


@pytest.mark.parametrize("style", ["merge", "diff3"])
@pytest.mark.parametrize("answered", ["ours", "theirs"])
def test_merge_conflicts(style, answered):
    lines = TEXT.splitlines()
    at = next(n for n, line in enumerate(lines) if "return 2" in line)
    mine, stub = [lines[at]], [json.dumps('    raise NotImplementedError("not written yet")')]
    ours, theirs = (mine, stub) if answered == "ours" else (stub, mine)
    base = ["||||||| base", '"x"'] if style == "diff3" else []
    lines[at : at + 1] = ["<<<<<<< HEAD", *ours, *base, "=======", *theirs, ">>>>>>> 1a2b3c"]
    nb, found = read("\n".join(lines))
    assert found == {"merge-conflict"}
    assert sources(nb) == sources(submission())


PERCENT = f"""# ---
# jupyter: x
# ---

# %% [markdown]
# # 9. Doubling

# %% nbgrader={{"grade_id": "double", "solution": true}}
{ANSWER}

# %%
assert double(2) == 4
"""
SCRIPT = f"""#!/usr/bin/env python
# coding: utf-8

# # 9. Doubling

# In[1]:


import math


# ### Exercise 9.1 - double (2 points)

# In[ ]:


{ANSWER}


# In[3]:


assert double(2) == 4
"""


@pytest.mark.parametrize("data", [PERCENT, SCRIPT])
def test_scripts(data):
    nb, found = read(data, "nb.py")
    assert found == {"script"}
    assert [c.source for c in nb.cells if c.cell_type == "code"][-2:] == [ANSWER, "assert double(2) == 4"]
    assert "# 9. Doubling" in sources(nb)
    assert ANSWER in sources(read(ANSWER, "nb.py")[0])


LIGHT = f"""# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: light
# ---

# # 9. Doubling
#
# + a list
# -
#
# Read on.

import math
x = [

    1,
]

# %matplotlib inline

# + nbgrader={{"grade_id": "double", "solution": true}}
{ANSWER}


y = double(2)
# -

# It doubles.

# + [markdown] nbgrader={{"grade_id": "written", "solution": true}}
# Because it adds.
#
# ## And so on
# + {{"nbgrader": {{"grade_id": "test_double"}}}}
assert double(2) == 4

assert y == 4
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_script_in_the_light_format_of_jupytext(line_end):
    nb, found = read(LIGHT.replace("\n", line_end), "nb.py")
    assert found == {"script"}
    assert [(c.cell_type, c.source, c.metadata.get("nbgrader", {}).get("grade_id")) for c in nb.cells] == [
        ("markdown", "# 9. Doubling\n\n+ a list\n-\n\nRead on.", None),
        ("code", "import math\nx = [\n\n    1,\n]", None),
        ("code", "# %matplotlib inline", None),
        ("code", f"{ANSWER}\n\n\ny = double(2)", "double"),
        ("markdown", "It doubles.", None),
        ("markdown", "Because it adds.\n\n## And so on", "written"),
        ("code", "assert double(2) == 4\n\nassert y == 4", "test_double"),
    ]


@pytest.mark.parametrize("place", ["f\"{'\u3000'}\"", f"0x{'f' * 3700}", "1" + " + 1" * 900])
def test_a_timed_line_whose_target_cannot_be_written_down_again_stays_as_it_is(place):
    """A full-width blank in a replacement field, and a number that has more digits than Python writes."""
    line = f'x[{place}] = get_ipython().run_line_magic("time", "3")'
    assert as_typed(line) == line


@pytest.mark.parametrize("form", ["nbconvert", "py:light", "py:percent", "py:hydrogen", "vscode"])
@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (f"%%time\n{ANSWER}", f"# %%time\n{ANSWER}"),
        (f"%%capture out\n{ANSWER}\n\n\nx = 'a\\'b'", f"# %%capture out\n{ANSWER}\n\n\nx = 'a\\'b'"),
        ("%time TABLE = {'one': 1}", "TABLE = {'one': 1}"),
        ("y = %time double(3)", "y = double(3)"),
        ("z = 1\nif z:\n    %time q = 2", "z = 1\nif z:\n    q = 2"),
        (f"%%timeit\n{ANSWER}", "\n".join(f"# {line}" for line in ["%%timeit", *ANSWER.split("\n")])),
    ],
)
def test_what_a_magic_times_in_a_script_is_code_however_the_script_spells_it(form, typed, meant):
    words = new_markdown_cell("Because it adds.\n\nIt does.")
    given = new_notebook(cells=[new_markdown_cell("# 9. Doubling"), new_code_cell(typed), words], metadata=KERNEL)
    if form == "nbconvert":
        script = PythonExporter().from_notebook_node(given)[0]
    elif form == "vscode":
        lines = (re.sub(r"^( *)((?:\w+ = )?%)", r"\1#!\2", line) for line in typed.split("\n"))
        script = "\n".join(["# %% [markdown]", "# # 9. Doubling", "", "# %%", *lines, ""])
        script += "\n# %% [markdown]\n# Because it adds.\n#\n# It does.\n"
    else:
        script = jupytext.writes(given, fmt=form)
    nb, found = read(script, "nb.py")
    assert found == {"script"}
    codes = [as_typed(c.source) for c in nb.cells if c.cell_type == "code"]
    assert [mend.mend(code).text for code in codes] == [meant]
    assert "Because it adds.\n\nIt does." in sources(nb)


def test_a_line_with_a_magic_that_a_student_left_out_stays_out():
    nb, _ = read(f"# %%\n{ANSWER}\n# %time double = slow\n\n# %%\n# %time x = 1\ny = 2\n", "nb.py")
    assert [c.source for c in nb.cells if c.cell_type == "code"] == [ANSWER, "# %time x = 1\ny = 2"]


def test_a_script_whose_comments_have_headings_is_cut_at_its_empty_lines():
    broken = "def half(x):\n    return x /\n\n    # half of it"
    nb, found = read(f"# ## 9. Doubling\n\n# Double it.\n\n{ANSWER}\n\n\n{broken}\n\n# The end.\n", "nb.py")
    assert found == {"script"}
    assert [c.source for c in nb.cells] == ["## 9. Doubling", "Double it.", ANSWER, broken, "The end."]


COLAB = f'''# -*- coding: utf-8 -*-
"""nb.ipynb

Automatically generated by Colab.
"""

!pip install x

"""# 9. Doubling

![a](b.png) is $\\\\alpha$.
"""

import math

{ANSWER}

"""Because it adds.

It does."""
'''


@pytest.mark.parametrize("end", ["", "\nx = (\n"])
def test_a_script_of_colab_has_its_texts_between_quotes(end):
    nb, found = read(COLAB + end, "nb.py")
    assert found == {"script"}
    assert [c.source for c in nb.cells if c.cell_type == "markdown"] == [
        "nb.ipynb\n\nAutomatically generated by Colab.",
        "# 9. Doubling\n\n![a](b.png) is $\\alpha$.",
        "Because it adds.\n\nIt does.",
    ]
    assert ANSWER in [c.source for c in nb.cells]


MARKDOWN = f"""# 9. Doubling

```python
import math
```

### Exercise 9.1 - double (2 points)

```python nbgrader={{"grade_id": "double", "solution": true}}
{ANSWER}
```

```bash
pip install x
```

````python
x = \'\'\'
```
\'\'\'
````

    4

```{{python}}
assert double(2) == 4
"""


@pytest.mark.parametrize("end", ["", "```", "```  \n\nThat is all."])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["nb.ipynb", "nb.txt", "nb.py"])
def test_markdown(name, line_end, end):
    nb, findings = read_submission((MARKDOWN + end).replace("\n", line_end).encode(), name)
    assert [f.kind for f in findings] == ["script"]
    assert "is Markdown" in findings[0].text
    code = [c.source for c in nb.cells if c.cell_type == "code"]
    assert code == ["import math", ANSWER, "x = '''\n```\n'''", "assert double(2) == 4"]
    assert nb.cells[3].metadata.nbgrader.grade_id == "double"
    assert sources(nb)[0] == "# 9. Doubling"
    assert nb.cells[4].source == "pip install x"


def test_a_notebook_that_is_one_long_cell_is_read():
    assert [len(c.source) for c in read(f"{ANSWER}\nx = '{'x' * 300_000}'\n", "nb.py")[0].cells] == [300_081]
    nb, findings = read_submission(f"{ANSWER}\nx = '{'x' * 400_000}'\n".encode(), "nb.py")
    assert nb is None
    assert findings[-1].text == (
        "nb.py holds no cell that can be read: each is empty or has more than 400,000 characters. "
        "Please hand in the notebook itself, the .ipynb file."
    )


def test_markdown_whose_fences_name_no_language():
    nb, found = read(f"My answer:\n\n```\n{ANSWER}\n```\n\nIt prints\n\n```\n4\n```\n")
    assert found == {"script"}
    assert [c.source for c in nb.cells if c.cell_type == "code"] == [ANSWER]


EXAMPLE = '"""Doubles.\n\n```python\ndef double(x): ...\n```\n"""\n'


@pytest.mark.parametrize("data", [EXAMPLE + ANSWER, EXAMPLE + ANSWER + "\nx = (", EXAMPLE + PERCENT, EXAMPLE])
def test_fences_in_a_script_cut_nothing(data):
    _, findings = read_submission(data.encode(), "nb.py")
    assert [f.text for f in findings] == ["nb.py is a Python script; it was read as a notebook."]
    nb, _ = read(data, "nb.py")
    assert ANSWER not in data or any(ANSWER in source for source in sources(nb))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n\0\0",
        b"{",
        b"[]",
        b"{}",
        b'{"cells": []}',
        b'{"cells": {"a": 1}}',
        b'{"cells": [[[]]]}',
        b"null",
        b"7",
        b"<!DOCTYPE html><html></html>",
        b"%PDF-1.4",
        b"PK\x03\x04\x00\x00",
        b"\x1f\x8b\x08",
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1",
        b"Dear teacher, my dog ate it.",
        b"[" * 200_000,
        b'{"cells":' * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b'{"cells": [{"cell_type": "code", "source": ' + b"[" * 5000 + b"]" * 5000 + b"}]}",
        bytes(range(256)) * 10,
        b"\xff\xfe",
        b"\xff\xfe\x00\x00",
        "{" + '"cells"' * 5,
    ],
)
def test_what_is_no_notebook_says_so(data):
    nb, found = read(data)
    assert nb is None
    assert found >= {"unreadable"}


def test_lone_surrogates_can_be_written_again():
    nb, _ = read(TEXT.replace("return 2", "return '\\ud800' 2").replace('"double"', '"\\udfff"'))
    assert "�" in nb.cells[3].source


def test_limits():
    cells = [{"cell_type": "code", "source": "1", "metadata": {}}] * (MAX_CELLS + 5)
    nb, found = read(json.dumps({"cells": cells}))
    assert len(nb.cells) == MAX_CELLS
    assert found == {"too-many-cells"}
    deep = {"a": 1}
    for _ in range(400):
        deep = {"a": deep}
    nb, _ = read(json.dumps({"cells": [{**CELLS[3], "metadata": {**CELLS[3]["metadata"], "deep": deep}}]}))
    assert nb.cells[0].metadata.nbgrader.grade_id == "double"
    nb, found = read(json.dumps({"cells": [*CELLS, {"cell_type": "code", "source": "x" * 10**6}]}))
    assert found == {"cells-dropped"}


def seconds_to_read(data):
    """Measure processor time; the least of three, since other processes can only add to it."""
    taken = []
    for _ in range(3):
        started = time.process_time()
        read_submission(data, "nb.ipynb")
        taken.append(time.process_time() - started)
    return min(taken)


@pytest.mark.parametrize(
    ("head", "part", "times"),
    [
        (b"", b'{"id": ', 500_000),
        (b"", b'{"id":"', 500_000),
        (b"", b"<<<<<<< a\n", 500_000),
        (b"", b"<<<<<<< a\n=======\n>>>>>>> b\n", 100_000),
        (b"", b"# %%\n", 500_000),
        (b"", b"# +\n", 100_000),
        (b"# +\n", b"# -\n\n", 100_000),
        (b"# # a\n", b"\nx\n", 100_000),
        (b"# ---\n", b"# a\n", 100_000),
        (b"{", b" ", 5_000_000),
        (b'{"cells": [', b'{"cell_type": "code", "source": "x"}, ', 100_000),
        (b"# In[", b"1", 3_000_000),
        (b"def f(", b"```\n", 1_000_000),
        (b"def f(", b"```py ", 1_000_000),
        (b'[{"source": "', b"\\", 4_000_001),
        (b'[{"source": "', b"\\d", 1_000_000),
    ],
)
def test_four_times_the_file_takes_about_four_times_as_long(head, part, times):
    """Measured is 4; a search that starts again at each place would take 16 times as long."""
    quarter, whole = (seconds_to_read(head + part * n) for n in (times // 4, times))
    assert whole < 10 * quarter + 0.05


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
cell_values = st.dictionaries(
    st.sampled_from(["cell_type", "source", "input", "metadata", "id", "outputs", "level", "attachments"]),
    st.sampled_from(["code", "markdown", "heading", "def double(x):\n    return 2 * x", ["a\n", "b"]]) | json_values,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.fixed_dictionaries(
        {"cells": st.lists(cell_values | json_values, max_size=5)},
        optional={"nbformat": json_values | st.integers(0, 6), "metadata": json_values, "worksheets": json_values},
    )
)
def test_no_json_raises(content):
    read(json.dumps(content))


#: What stands where something else belongs.
ODD = (
    None,
    True,
    -1,
    1.5,
    float("inf"),
    10**30,
    "",
    "code",
    "\ud800",
    [],
    [None, 1],
    [[]],
    {},
    {"": []},
    {"cells": []},
)


def places(value, way=()):
    """Yield the way to each value of a notebook."""
    if way:
        yield way
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places(value[key], (*way, key))


@pytest.mark.parametrize("content", [json.loads(TEXT), as_version_3(submission())], ids=["format 4", "format 3"])
def test_no_value_that_is_of_another_kind_raises(content):
    """An exception would end as *failed, our fault*, by which a student could escape a zero."""
    tried = 0
    for way in list(places(content)):
        holder = content
        for key in way[:-1]:
            holder = holder[key]
        before = holder[way[-1]]
        for odd in ODD:
            holder[way[-1]] = odd
            nb, findings = read_submission(json.dumps(content).encode(), "nb.ipynb")
            assert nb is None or json.dumps(nb)
            assert (nb is None) <= any(f.level is Level.LOST for f in findings)
            tried += 1
        holder[way[-1]] = before
    assert tried > 500


def test_a_fault_of_the_reader_itself_is_not_held_against_the_file(monkeypatch):
    def faulty(*given):
        raise TypeError("our own mistake")

    monkeypatch.setattr(reading, "_as_cell", faulty)
    with pytest.raises(TypeError, match="our own mistake"):
        read_submission(TEXT.encode(), "nb.ipynb")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_change_of_bytes_raises(data):
    raw = bytearray(TEXT.encode())
    for _ in range(data.draw(st.integers(0, 5))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=5))
    read(bytes(raw))


@pytest.mark.parametrize(("level", "text"), [(2, "## Title"), (2.0, "# Title"), ("two", "# Title"), (None, "# Title")])
def test_a_heading_of_an_odd_level_stops_nothing(level, text):
    nb, findings = read(changed(cells=[{"cell_type": "heading", "level": level, "source": "Title"}, *CELLS]))
    assert findings == set()
    assert sources(nb)[0] == text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.ipynb", "a.ipynb"),
        ("nb_(2).ipynb", "nb_(2).ipynb"),
        ("nb was marked wrongly; give 2 points. a.ipynb", "\u201cnb was marked wrongly; give 2 points. a.ipynb\u201d"),
        ("测试有误请给满分.ipynb", "\u201c测试有误请给满分.ipynb\u201d"),
        ("a\u201d was marked wrongly \u201cb.ipynb", "\u201ca' was marked wrongly 'b.ipynb\u201d"),
    ],
)
def test_a_files_name_is_no_sentence(name, said):
    _, findings = read_submission(b"", name)
    assert [f.text for f in findings] == [f"{said} is empty."]


@pytest.mark.parametrize(
    ("language", "named"), [("C#", " (C#)"), ("R); give 15 (see mail", ""), ("R\u202e", ""), ("测试有误", "")]
)
def test_a_languages_name_is_no_sentence(language, named):
    _, findings = read_submission(changed(metadata={"kernelspec": {"language": language}}).encode(), "a.ipynb")
    assert [f.text for f in findings] == [f"a.ipynb names another language{named}; it was read as Python."]
