"""What a student's cells showed when they were handed in."""

import base64
import random
import re
import time

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from grader.core.course import Course
from grader.feedback.layout import Layout
from grader.feedback.spoken import spoken
from grader.feedback.steps import CleanOutputs
from grader.submissions import showing
from grader.submissions.showing import (
    Shown,
    is_attached,
    is_kept,
    left_out,
    missing,
    tells_left_out,
    unpasted,
    without_data,
)
from grader.testing.exploring import _figure as figure

PICTURE = base64.b64encode(figure(random.Random(0), 20)).decode()


def kept(*outputs, pictures=False):
    return Shown(pictures).kept(list(outputs))


def test_text_errors_and_values_are_kept_as_text():
    outputs = [
        new_output("stream", name="stderr", text="a warning"),
        new_output("execute_result", {"text/plain": "42", "text/html": "<b>42</b>"}, execution_count=3),
        new_output("error", ename="ValueError", evalue="no", traceback=["\x1b[31mno"]),
        {"output_type": "stream", "name": "stdout", "text": ["two ", "lines"]},
    ]
    assert [o.text for o in kept(*outputs)] == ["a warning", "42", "ValueError: no", "two lines"]
    assert is_kept(kept(*outputs))


def test_pictures_are_kept_on_demand_and_only_if_they_are_some():
    picture = new_output("display_data", {"image/png": PICTURE, "text/plain": "<Figure>"})
    assert [o.output_type for o in kept(picture)] == ["stream"]
    assert kept(picture, pictures=True) == [new_output("display_data", {"image/png": PICTURE})]
    forged = new_output("display_data", {"image/png": base64.b64encode(b"<svg onload=alert(1)>").decode()})
    assert kept(forged, pictures=True) == []
    bomb = base64.b64decode(PICTURE)
    bomb = bomb[:16] + (100_000).to_bytes(4, "big") * 2 + bomb[24:]
    assert kept(new_output("display_data", {"image/png": base64.b64encode(bomb).decode()}), pictures=True) == []


def test_a_notebook_has_a_bounded_room():
    shown = Shown(pictures=True)
    long = [new_output("stream", name="stdout", text="x" * 15_000)] * 40
    pictures = [new_output("display_data", {"image/png": PICTURE})] * 40
    cells = [shown.kept(long) for _ in range(100)] + [shown.kept(pictures) for _ in range(3)]
    assert all(map(is_kept, cells))
    told = [cell.pop().text for cell in cells]  # at the end of each is what there is no room for, and that is short
    assert sum(len(o.text) for cell in cells for o in cell if "text" in o) == showing.MAX_TEXT_IN_ALL
    assert max(sum(len(o.text) for o in cell if "text" in o) for cell in cells) == showing.MAX_TEXT
    assert [len(cell) for cell in cells[-3:]] == [showing.MAX_PICTURES] * 3
    assert told[0] == "[279,000 more characters are not shown]\n[20 more outputs are not shown]"
    assert told[50] == "[300,000 more characters are not shown]\n[20 more outputs are not shown]"
    assert told[-1] == "[20 more outputs are not shown]\n[12 more pictures are not shown]"


def told(*outputs, pictures=False):
    """Return what tells of more, without the rest."""
    return [o.text for o in kept(*outputs, pictures=pictures) if tells_left_out(o.get("text", "x"))]


LOG = "".join(f"epoch {n:4d}  loss 0.002141  val_loss 0.002212\n" for n in range(600))
#: What shows nothing, so that nothing is missed.
NOTHING = [{"output_type": "display_data", "data": {"application/x": 1}, "metadata": {}}, "odd", None, {"text": ""}]


@pytest.mark.parametrize("lines", [False, True])
def test_a_long_log_says_how_much_of_it_is_not_shown(lines):
    log = {"output_type": "stream", "name": "stdout", "text": LOG.splitlines(keepends=True) if lines else LOG}
    assert kept(log)[0].text == LOG[: showing.MAX_TEXT]
    assert told(log) == [f"[{len(LOG) - showing.MAX_TEXT:,} more characters are not shown]"]
    assert told(new_output("stream", text="x" * (showing.MAX_TEXT + 1))) == ["[1 more character is not shown]"]
    many = {"output_type": "stream", "name": "stdout", "text": [f"{n}\n" for n in range(3_500)]}
    assert [o.text for o in kept(many)] == ["".join(many["text"])]


def test_many_outputs_say_how_many_are_not_shown():
    outputs = [new_output("display_data", {"text/plain": f"sentence {n}"}) for n in range(30)]
    assert told(*outputs) == ["[10 more outputs are not shown]"]
    assert told(*outputs[:21]) == ["[1 more output is not shown]"]
    assert told(*outputs[:20], *NOTHING * 9) == []


def test_pictures_that_are_not_shown_are_counted_if_they_were_asked_for():
    one = new_output("display_data", {"image/png": PICTURE, "text/plain": "<Figure>"})
    large = new_output("display_data", {"image/png": PICTURE[:15] + "A" * showing.MAX_PICTURE})
    assert told(*[one] * 9, pictures=True) == told(large, pictures=True) == ["[1 more picture is not shown]"]
    assert kept(*[one] * 9, pictures=True)[8].text == "<Figure>"
    assert told(*[one] * 20, large) == told(large, *[one] * 8) == []


@pytest.mark.parametrize(
    "outputs",
    [
        [new_output("stream", text="x" * showing.MAX_TEXT)],
        [new_output("display_data", {"text/plain": "x"})] * showing.MAX_OUTPUTS,
        [new_output("display_data", {"image/png": PICTURE})] * showing.MAX_PICTURES,
        NOTHING,
        [],
    ],
)
def test_nothing_is_said_where_nothing_is_left_out(outputs):
    assert told(*outputs, pictures=True) == told(*outputs) == []


def test_a_bar_counts_as_what_it_shows():
    printed, bar = "", 0
    for epoch in range(4):
        printed += f"Epoch {epoch + 1}/4\n"
        for step in range(1, 101):
            shown = f"{step:3d}/100 " + "\u2501" * (step // 5) + f" loss: 1.{step:04d}"
            printed += "\b" * bar + f"\r\x1b[1m{shown}\x1b[0m \x1b[32m\x1b[0m"
            bar = len(shown) + 1
        printed += "\n"
    assert len(printed) > 1.3 * showing.MAX_TEXT
    (output,) = kept(new_output("stream", text=printed))
    lines = output.text.split("\n")
    assert lines[::2] == ["Epoch 1/4", "Epoch 2/4", "Epoch 3/4", "Epoch 4/4", ""]
    assert {line.partition(" \u2501")[0] for line in lines[1::2]} == {"100/100"}
    endless = new_output("stream", text="x\b" * showing.MAX_PRINTED)
    assert told(endless) == [f"[{showing.MAX_PRINTED - showing.MAX_TEXT:,} more characters are not shown]"]


def test_what_is_told_gets_onto_the_page_in_the_language_of_the_course():
    """Also if the room of the page is used up before."""
    log = new_output("stream", name="stdout", text=LOG)
    shown = Shown(False)
    nb = new_notebook(cells=[new_code_cell("train()", outputs=shown.kept([log] * 21)) for _ in range(30)])
    nb, _ = CleanOutputs().preprocess(nb, {})
    for cell, part in ((nb.cells[0], 2 * len(LOG)), (nb.cells[-1], 20 * len(LOG))):
        told = cell.outputs[-1].text.split("\n")
        assert told[1] == "[1 more output is not shown]"
        assert told[0].endswith("more characters are not shown]")
        assert int(told[0].split()[0][1:].replace(",", "")) >= part
    spoken(nb, Layout([]), [], Course.find(), "none", "zh_CN")
    for cell in nb.cells:
        assert not re.search("[A-Za-z]", cell.outputs[-1].text)
        assert len(cell.outputs[-1].text.split("\n")) == 2


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        (left_out(characters=1, outputs=2, pictures=3_000), True),
        (left_out(characters=0, outputs=1), True),
        ("", False),
        ("\n".join(["[1 more output is not shown]"] * 4), False),
        ("[1 more output is not shown]\n", False),
        ("x\n[1 more output is not shown]", False),
        ("[1 more lesson is not shown]", False),
    ],
)
def test_only_what_tells_of_more_is_let_in_beside_so_many_outputs(text, tells):
    assert tells_left_out(text) is tells
    outputs = [{"output_type": "stream", "name": "stdout", "text": one} for one in [*["x"] * 20, text]]
    assert is_kept(outputs) is tells
    assert not is_kept([*outputs, outputs[-1]])


def test_pictures_in_cells_of_text_have_a_bounded_room():
    shown, photo = Shown(pictures=False), "A" * 1_000_000
    cells = [{f"{n}.png": {"image/png": photo, "text/html": "<script>"}} for n in range(30)]
    found = [shown.attached(cell) for cell in cells]
    assert found[0] == {"0.png": {"image/png": photo}}
    assert sum(len(d) for cell in found for forms in cell.values() for d in forms.values()) == 10_000_000
    assert shown.left_out == 20
    assert Shown(pictures=False).attached({"x.png": {"image/png": "A" * (showing.MAX_PHOTO + 1)}}) == {}
    assert Shown(pictures=False).attached({"x" * 300: {"image/png": "A"}}) == {}
    many = Shown(pictures=False).attached({f"{n}": {"image/jpeg": "A"} for n in range(500)})
    assert len(many) == showing.MAX_ATTACHED
    assert all(map(is_attached, (*found, many, {})))


@pytest.mark.parametrize(
    "odd", [None, 3, "x", [], {3: {"image/png": "A"}}, {"a": 3}, {"a": {"image/png": 3}}, {"a": {}}]
)
def test_whatever_is_attached_is_no_error(odd):
    assert Shown(True).attached(odd) == {}


@pytest.mark.parametrize("odd", [None, 3, [], {"a": 3}, {"a": {"b": 3}}, {"a": {"b": "A" * (showing.MAX_PHOTO + 1)}}])
def test_attachments_of_another_form_are_seen(odd):
    assert not is_attached(odd)


def test_a_pasted_picture_becomes_an_attachment():
    text = f"My sketch ![image.png](data:image/png;base64,{PICTURE}) and ![two](data:image/jpeg;base64,{PICTURE} 't')"
    short, found = unpasted(text, 7)
    assert short == "My sketch ![image.png](attachment:pasted-7-1) and ![two](attachment:pasted-7-2 't')"
    assert found == {"pasted-7-1": {"image/png": PICTURE}, "pasted-7-2": {"image/jpeg": PICTURE}}
    for other in ("![x](data:image/svg+xml;base64,AAAA)", f"data:image/png;base64,{PICTURE}", "[x](https://a.b)"):
        assert unpasted(other, 1) == (other, {})


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (
            "![][image1]\n\n[image1]: <data:image/png;base64,{}>\nwords",
            "![][image1]\n\n[image1]: <attachment:pasted-7-1>\nwords",
        ),
        ("![a][b]\n\n[b]: data:image/png;base64,{}\n\nwords", "![a][b]\n\n[b]: attachment:pasted-7-1\n\nwords"),
        ('See <img src="data:image/png;base64,{}" width="300"/> here', "See ![](attachment:pasted-7-1) here"),
        ("<IMG alt='x' src='data:image/png;base64,{}'>", "![](attachment:pasted-7-1)"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_picture_in_another_form_becomes_one_too(text, short, wrapped):
    is_tag = "src=" in text
    data = "\n".join(PICTURE[n : n + 40] for n in range(0, len(PICTURE), 40)) if wrapped and is_tag else PICTURE
    assert unpasted(text.format(data), 7) == (short, {"pasted-7-1": {"image/png": PICTURE}})


def test_a_picture_of_a_kind_that_is_not_shown_is_left_out_and_counted():
    data = "data:image/svg+xml;base64," + "A" * 5000
    text = f"one ![x]({data}) two {data}"
    assert unpasted(text, 1) == (text, {})
    assert without_data(text) == ("one ![x]() two ", 2)
    assert unpasted("![x](data:image/jpg;base64," + "A" * 200 + ")", 1)[1] == {"pasted-1-1": {"image/jpeg": "A" * 200}}


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("![](https://a.b/c.png)", ["https://a.b/c.png"]),
        ('<p><img width="400" SRC="https://a.b/c?d=1&amp;e=2"></p>', ["https://a.b/c?d=1&e=2"]),
        ('See ![x](sketch(1).png "t") and ![x](<my sketch.png>)', ["sketch(1).png", "my sketch.png"]),
        ("![a][One] ![two] ![two][]\n\n[one]: x.png\n[two]: <y z.png>", ["x.png", "y z.png"]),
        ("![](data:image/webp;base64,UklGRg==)", ["data:image/webp;base64,UklGRg=="]),
        ("![](attachment:lost.png) ![](attachment:lost.png)", ["attachment:lost.png"]),
        ("![](attachment:my%20pic.png) <img src='attachment:my pic.png'> ![](<attachment:my pic.png>)", []),
        ("![a][b]\n\n[b]: attachment:a.png", []),
        (f"![](data:image/png;base64,{PICTURE[:0]})", ["data:image/png;base64,"]),
        ("`![](x.png)` and ``<img src='x.png'>``\n\n```\n![](x.png)\n```\n", []),
        ("n! [a](https://a.b) [c]: d, great! [x][y] and ![wow] or ![x]() <img> <a href='x.png'>", []),
    ],
)
def test_pictures_that_a_text_asks_for_in_vain_are_found(text, lost):
    assert missing(text, {"a.png": {}, "my pic.png": {}}) == lost


def test_a_small_picture_in_a_text_is_not_missing():
    text = f"![](data:image/png;base64,{PICTURE})"
    assert missing(text, {}) == []


@pytest.mark.parametrize(
    "piece", ["![", "![a](", '<img src="', "`a", "<img src= ", "```\n", "![a][b]", "[a]: ", "![](<"]
)
def test_looking_for_pictures_takes_a_time_that_the_length_decides(piece):
    begins = time.perf_counter()
    missing("![ <img\n" + piece * (400_000 // len(piece)), {})
    assert time.perf_counter() - begins < 3


@pytest.mark.parametrize(
    "odd", [None, 3, "text", [3], [[]], [{}], [{"data": 3}], [{"data": {"text/plain": 3}}], [{"text": {"a": 1}}]]
)
def test_whatever_stands_there_is_no_error(odd):
    assert Shown(True).kept(odd) == []


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [3],
        [{"output_type": "display_data", "metadata": {}, "data": {"text/html": "<script>"}}],
        [{"output_type": "display_data", "metadata": {}, "data": {"image/png": PICTURE, "text/html": "<script>"}}],
        [{"output_type": "stream", "name": "stdout", "text": "x" * (showing.MAX_TEXT + 1)}],
        [{"output_type": "stream", "name": "stdout", "text": ["x"]}],
        [{"output_type": "stream", "name": "stdout", "text": "x", "more": 1}],
        [{"output_type": "error", "ename": "a", "evalue": "b", "traceback": []}],
        [{"output_type": "stream", "name": "stdout", "text": ""}] * 21,
    ],
)
def test_other_forms_do_not_pass_the_border(odd):
    assert not is_kept(odd)
