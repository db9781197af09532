"""What a reply of the student's side may add to the marked notebook: real figures that were asked for, and not much."""

import base64
import io
import itertools
import json
import struct
import time
import zlib

import matplotlib
import pytest
from PIL import Image

from grader.core.images import MAX_PIECES, MAX_SCANS, MAX_SIDE, Size, decoded, jpeg_size, png_size
from grader.engine import keeping
from grader.engine.keeping import Reply, Room


def chunk(kind, data=b""):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width=3, height=2, more=b"", end=None, ways=(8, 0, 0, 0, 0)):
    head = struct.pack(">IIBBBBB", width, height, *ways)
    pixels = zlib.compress(b"\0" * 10)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + more
        + chunk(b"IDAT", pixels)
        + (chunk(b"IEND") if end is None else end)
    )


def drawn(kind):
    matplotlib.use("agg")
    from matplotlib.figure import Figure

    figure, buffer = Figure(figsize=(2, 1)), io.BytesIO()
    figure.subplots().plot([1, 2])
    figure.savefig(buffer, format=kind, dpi=100)
    return buffer.getvalue()


def reply(**parts):
    return {"error": None, "text": "", "shown": "", "rescued": [], "figures": []} | parts


def images(outputs):
    return [base64.b64decode(o.data["image/png"]) for o in outputs if "image/png" in o.get("data", {})]


def test_figures_that_matplotlib_draws_have_a_size():
    assert png_size(drawn("png")) == Size(200, 100)
    assert jpeg_size(drawn("jpeg")) == Size(200, 100)
    assert png_size(png()) == Size(3, 2)
    assert png_size(png(more=chunk(b"tEXt", b"Software\0x"))) == Size(3, 2)
    for depth, colour in ((1, 0), (16, 0), (8, 2), (16, 2), (1, 3), (8, 3), (8, 4), (16, 4), (8, 6), (16, 6)):
        assert png_size(png(ways=(depth, colour, 0, 0, 1))) == Size(3, 2)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"\x89PNG\r\n\x1a\n" + bytes(100_000),
        png()[:-1],
        png() + b"<script>",
        png(end=b""),
        png(more=chunk(b"acTL", bytes(8))),
        png(more=chunk(b"EVIL")),
        png(more=chunk(b"IHDR", bytes(13))),
        png().replace(b"IDAT", b"IDAX"),
        png()[:-5] + b"9" + png()[-4:],
        png(ways=(5, 6, 0, 0, 0)),
        png(ways=(16, 3, 0, 0, 0)),
        png(ways=(4, 2, 0, 0, 0)),
        png(ways=(8, 1, 0, 0, 0)),
        png(ways=(8, 2, 1, 0, 0)),
        png(ways=(8, 2, 0, 1, 0)),
        png(ways=(8, 2, 0, 0, 2)),
        b"<svg onload=alert(1)>",
    ],
)
def test_what_is_not_one_whole_png_has_none(data):
    assert png_size(data) is None
    assert decoded("image/png", base64.b64encode(data).decode(), 10**6) is None


HALF = (MAX_PIECES - 4) // 2
LETTERS = b"abcdefghijklmnopqrstuvwxyz"
MANY = {
    "two kinds": chunk(b"IDAT") * HALF + chunk(b"sBIT") * HALF,
    "one kind": chunk(b"sBIT") * 2 * HALF,
    "each its own": b"".join(
        chunk(bytes(kind)) for kind in itertools.islice(itertools.product(LETTERS, repeat=4), HALF)
    ),
}


@pytest.mark.parametrize("chunks", MANY.values(), ids=MANY)
def test_a_png_is_read_in_a_time_that_its_length_decides(chunks):
    """The kind of each chunk was looked for among all before it: 1 MB cost the marking process 6 seconds."""
    begins = time.process_time()
    assert png_size(png(more=chunks)) == Size(3, 2)
    assert time.process_time() - begins < 0.2


@pytest.mark.parametrize("kind", [b"IDAT", b"sBIT", b"tEXt"])
def test_a_png_has_so_many_chunks(kind):
    assert png_size(png(more=chunk(kind) * (MAX_PIECES - 3))) == Size(3, 2)
    assert png_size(png(more=chunk(kind) * (MAX_PIECES - 2))) is None
    assert png_size(png(more=chunk(b"IDAT", bytes(150)) * (2**20 // 162))) == Size(3, 2)


@pytest.mark.parametrize("data", [b"", b"\xff\xd8\xff", b"\xff\xd8\xff\xd9", b"\xff\xd8" + b"\xff" * 999 + b"\xff\xd9"])
def test_what_is_not_a_jpeg_has_none(data):
    assert jpeg_size(data) is None


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_has_a_size_up_to_so_many_scans(progressive):
    """A browser goes over the whole picture for each, so that 140 kB can stop it for a minute."""
    buffer = io.BytesIO()
    Image.effect_noise((120, 80), 90).save(buffer, "jpeg", progressive=progressive, quality=95)
    data = buffer.getvalue()
    assert b"\xff\x00" in data
    assert jpeg_size(data) == Size(120, 80)
    start, end = data.rindex(b"\xff\xda"), len(data) - 2
    scans = data.count(b"\xff\xda")
    for number, size in ((MAX_SCANS, Size(120, 80)), (MAX_SCANS + 1, None), (3_000, None)):
        assert jpeg_size(data[:end] + data[start:end] * (number - scans) + data[end:]) == size
    assert jpeg_size(data[:start] + data[end:]) == (Size(120, 80) if progressive else None)
    assert jpeg_size(data[:end] + data) is None  # a picture in the picture
    assert jpeg_size(data[:end] + b"\xff" * 10**6 + data[end:]) == Size(120, 80)  # and that at once


@pytest.mark.parametrize("between", [b"\xff", b"\xff\x01", b"\xff\xd0", b"\xff\xff\xd7"])
@pytest.mark.parametrize("at_end", [True, False])
def test_what_only_fills_a_jpeg_is_passed_over_at_once(between, at_end):
    data = drawn("jpeg")
    place = len(data) - 2 if at_end else 2
    begun = time.process_time()
    assert jpeg_size(data[:place] + between * (30 * 2**20 // len(between)) + data[place:]) == Size(200, 100)
    assert jpeg_size(data[:place] + between * (30 * 2**20 // len(between))) is None
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("side", [0, MAX_SIDE + 1, 2**31 - 1])
def test_images_with_too_many_pixels_are_not_let_in(side):
    assert decoded("image/png", base64.b64encode(png()).decode(), 1000) == png()
    assert decoded("image/png", base64.b64encode(png(side, 1)).decode(), 1000) is None
    assert decoded("image/png", base64.b64encode(png(1, side)).decode(), 1000) is None
    assert decoded("image/png", base64.b64encode(png(MAX_SIDE, MAX_SIDE)).decode(), 1000) is None
    assert decoded("image/png", base64.b64encode(png()).decode(), 20) is None


def test_figures_are_taken_only_if_they_were_asked_for():
    sent = reply(figures=[png()])
    assert images(Room().outputs(Reply.read(sent, drawn=False))) == []
    assert images(Room().outputs(Reply.read(sent, drawn=True))) == [png()]


def test_what_is_no_picture_is_not_kept():
    sent = [
        png(),
        b"<svg onload=alert(1)>",
        "text",
        png() + bytes(2**21),
        b"\x89PNG\r\n\x1a\n",
        png(2**20, 2**20),
        png(),
    ]
    room = Room()
    assert images(room.outputs(Reply.read(reply(figures=sent), drawn=True))) == [png(), png()]
    assert room.finding().text.startswith("The cells show more than there is room for, so 5 figures were left out")


def test_a_notebook_stays_small_whatever_its_cells_reply():
    """Twelve lines that send what they like made a marked notebook of 134 MB."""
    large = png(more=chunk(b"teXt", bytes(2**20 - 100)))
    assert len(large) < 2**20
    sent = reply(text="T" * 10**6, shown="9" * 10**6, figures=[large] * 8)
    room, size = Room(), 0
    for _ in range(200):
        size += len(json.dumps(room.outputs(Reply.read(sent, drawn=True))))
    assert size < 10 * 2**20
    finding = room.finding()
    assert f"{200 * 8 - keeping.MAX_FIGURE_BYTES // len(large):,} figures" in finding.text
    assert f"{200 * 2 * 10**6 - keeping.MAX_TEXT_IN_ALL:,} characters" in finding.text
    assert "\n" not in finding.text


def test_many_small_figures_are_too_many():
    room = Room()
    kept = [len(images(room.outputs(Reply.read(reply(figures=[png()] * 100), drawn=True)))) for _ in range(20)]
    assert max(kept) == keeping.MAX_FIGURES
    assert sum(kept) == keeping.MAX_FIGURES_IN_ALL


@pytest.mark.parametrize("figure", [png(MAX_SIDE + 1, 1), png()[:-1], png() + b"x"], ids=["wide", "cut", "more"])
def test_a_figure_that_is_looked_at_takes_a_place_even_if_it_is_not_kept(figure, monkeypatch):
    """Those that did not fit were not counted, so that every cell of a notebook could have as many looked at."""
    looked = []
    monkeypatch.setattr(keeping, "png_size", lambda data: looked.append(data) or png_size(data))
    room = Room()
    for number in range(1, 21):
        assert images(room.outputs(Reply.read(reply(figures=[figure] * 100), drawn=True))) == []
        assert len(looked) == min(number * keeping.MAX_FIGURES, keeping.MAX_FIGURES_IN_ALL)
    assert f"{20 * 100:,} figures" in room.finding().text


def test_what_is_not_looked_at_takes_no_place():
    sent = ["text", png() + bytes(2**21)] * 20 + [png()] * keeping.MAX_FIGURES
    assert images(Room().outputs(Reply.read(reply(figures=sent), drawn=True))) == [png()] * keeping.MAX_FIGURES


def test_nothing_is_said_where_nothing_was_left_out():
    room = Room()
    outputs = room.outputs(Reply.read(reply(text="a", shown="1", figures=[png()]), drawn=True))
    assert [o.output_type for o in outputs] == ["stream", "display_data", "execute_result"]
    assert room.finding() is None


@pytest.mark.parametrize("parts", [{"figures": 5}, {"error": {"type": "x"}}, {"figures": None}])
def test_what_is_no_reply_is_refused(parts):
    with pytest.raises((LookupError, TypeError, ValueError)):
        Reply.read(reply(**parts), drawn=True)
