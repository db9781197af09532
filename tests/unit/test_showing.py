"""What a student's cells showed when they were handed in."""

import base64
import random
import time

import pytest
from nbformat.v4 import new_output

from grader.submissions import showing
from grader.submissions.showing import Shown, is_attached, is_kept, missing, unpasted, without_data
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
    assert sum(len(o.text) for cell in cells for o in cell if "text" in o) == showing.MAX_TEXT_IN_ALL
    assert max(sum(len(o.text) for o in cell if "text" in o) for cell in cells) == showing.MAX_TEXT
    assert [len(cell) for cell in cells[-3:]] == [showing.MAX_PICTURES] * 3
    assert all(map(is_kept, cells))


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
