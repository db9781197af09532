"""Right answers in an odd form: huge outputs, an archive, another name, thousands of scratch cells."""

import io
import json
import random
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from test_intake import NAME
from test_reading import submission, tiny_source

from grader.classrun.summary import Entry, Outcome, summary
from grader.core.errors import GraderError
from grader.core.findings import Level
from grader.engine.submission import Handed, Kit, planted
from grader.lms import archive
from grader.submissions import alone, choosing, intake, slimming
from grader.submissions.choosing import Answers
from grader.submissions.loose_json import MAX_LISTED
from grader.submissions.pristine import pristine
from grader.submissions.reading import MAX_CELLS, read_submission
from grader.submissions.slimming import Slimmer, slimmed


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "submitted" / "ada" / NAME
    place.mkdir(parents=True)
    return place


@pytest.fixture
def kit():
    source = tiny_source()
    return Kit(NAME, source, pristine(source), "", "", {})


def written(nb):
    return nbformat.writes(nb).encode()


def untouched():
    nb = submission()
    nb.cells[3].source = pristine(tiny_source()).cells[3].source
    return written(nb)


def answer_of(kit, handed):
    nb = planted(kit, handed).notebook
    return next(c.source for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade_id") == "double")


def packed(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zf:
        for name, data in files.items():
            zf.writestr(name, data)
    return out.getvalue()


def with_outputs(outputs, widgets=None):
    nb = submission()
    content = json.loads(written(nb))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = outputs
    content["metadata"] |= {"widgets": widgets} if widgets else {}
    return content


OUTPUTS = [
    [],
    [
        {
            "output_type": "stream",
            "name": "stdout",
            "text": ['a "quoted" [word]\\\n', "}]", '\\"outputs\\": [', "über “x”"],
        }
    ],
    [{"output_type": "display_data", "data": {"image/png": "iVBOR" * 500, "text/plain": ["{" * 50]}, "metadata": {}}],
    [{"output_type": "execute_result", "data": {"application/json": {"outputs": [[], {"a": [1, {}]}]}}}],
    [{"text": "\\" * n} for n in range(9)],
]


@pytest.mark.parametrize("outputs", OUTPUTS)
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("piece", [1, 7, 100, 10**6])
def test_what_is_left_is_the_same_notebook_however_it_is_cut(outputs, indent, piece):
    content = with_outputs(outputs, {"application/x": {"state": {"a": {"outputs": [1, "]"]}}}})
    content["cells"][3]["source"].insert(0, '# "outputs": [ and \\"outputs\\": {\nx = "outputs"\n')
    data = json.dumps(content, indent=indent, ensure_ascii=False).encode()
    left = slimmed((data[n : n + piece] for n in range(0, len(data), piece)), len(data), "nb")
    for cell in content["cells"]:
        if "outputs" in cell:
            cell["outputs"] = []
    content["metadata"]["widgets"] = {}
    assert json.loads(left) == content


def test_any_cut_at_all():
    rng = random.Random(7)
    data = json.dumps(with_outputs([o for outputs in OUTPUTS for o in outputs])).encode()
    whole = slimmed([data], len(data), "nb")
    for _ in range(300):
        cuts = sorted(rng.sample(range(len(data)), 9))
        pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert slimmed(pieces, len(data), "nb") == whole


def test_what_is_kept_while_a_giant_passes_is_bounded(monkeypatch):
    slimmer = Slimmer(1000, "nb")
    slimmer.feed(b'{"cells": [{"outputs": [{"text": "')
    for _ in range(50):
        slimmer.feed(b"x" * 10_000 + b"\\")
        slimmer.feed(b'"')
        assert len(slimmer._rest) < 200
        assert slimmer._size < 100
    slimmer.feed(b'"}], "source": "1"}]}')
    assert json.loads(slimmer.end()) == {"cells": [{"outputs": [], "source": "1"}]}
    with pytest.raises(GraderError, match="even without its outputs"):
        slimmed([b" " * 600, b" " * 600], 1000, "nb")
    monkeypatch.setattr(slimming, "MAX_TOKENS", 1000)
    with pytest.raises(GraderError, match="too tangled"):
        slimmed([b'{"outputs": [', *[b"[" * 100] * 1000], 1000, "nb")


def test_a_giant_because_of_its_outputs_is_read_without_them(folder, kit, monkeypatch):
    for module in (intake, alone):
        monkeypatch.setattr(module, "MAX_BYTES", 20_000)
    data = json.dumps(with_outputs([{"data": {"image/png": "A" * 60_000}}])).encode()
    (folder / f"{NAME}.ipynb").write_bytes(data)
    handed = Handed.take(folder, kit)
    assert "return 2 * x" in answer_of(kit, handed)
    assert len(handed.data) < 5000
    (finding,) = handed.findings
    assert (finding.kind, finding.level) == ("outputs-left-out", Level.REPAIRED)
    assert handed.digest == Handed.take(folder, kit).digest
    with (folder / f"{NAME}.ipynb").open("ab") as file:
        file.truncate(2**20 + 1)
    refused = Handed.take(folder, kit, file_mib=1)
    assert not refused.name
    assert "more than 1 MB" in refused.findings[0].text


def test_a_giant_is_collected_without_its_outputs(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_BYTES", 20_000)
    monkeypatch.setattr(archive, "MAX_BYTES", 20_000)
    monkeypatch.setattr("grader.lms.placing.MAX_BYTES", 20_000)
    content = json.loads(course.source(NAME).read_text())
    data = {"application/x": "A" * 60_000}
    content["cells"][-2] |= {"outputs": [{"output_type": "display_data", "metadata": {}, "data": data}]}
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as zf:
        zf.writestr("Ada_1_assignsubmission_file_/nb.ipynb", json.dumps(content))
    (one,) = run(tmp_path / "a.zip").placed
    assert "was taken without its outputs" in " ".join(one.notes)
    (place,) = (course.local / "submitted").rglob("*.ipynb")
    assert place.stat().st_size < 20_000
    assert [p.outcome for p in run(tmp_path / "a.zip").placed] == ["unchanged"]


@pytest.mark.parametrize("name", ["work.zip", "WORK.ZIP", f"{NAME}.ipynb", f"{NAME}.ipynb.zip"])
def test_an_archive_instead_of_the_notebook(folder, kit, name):
    files = {"__MACOSX/._nb.ipynb": b"junk", "a/notes.txt": b"milk", "a/my nb.ipynb": written(submission())}
    (folder / name).write_bytes(packed(**files))
    handed = Handed.take(folder, kit)
    assert "return 2 * x" in answer_of(kit, handed)
    assert [f.kind for f in handed.findings] == ["unpacked"]
    assert "a/my nb.ipynb\u201d was taken out of it" in handed.findings[0].text
    assert [f.where for f in handed.findings] == [f"\u201c{name}/a/my nb.ipynb\u201d"]
    assert handed.digest == Handed.take(folder, kit).digest


def test_an_archive_beside_an_answered_notebook_does_not_count_and_is_named_if_it_differs(folder, kit):
    (folder / f"{NAME}.ipynb").write_bytes(written(submission()))
    (folder / "old.zip").write_bytes(packed(**{"nb.ipynb": written(submission()).replace(b"2 * x", b"3 * x")}))
    handed = Handed.take(folder, kit)
    assert "return 2 * x" in answer_of(kit, handed)
    left, differs = handed.findings
    assert left.text.endswith("also handed in and left aside: old.zip/nb.ipynb.")
    assert left.level is Level.REPAIRED
    assert (differs.kind, differs.level) == ("equals-differ", Level.LOST)
    assert "old.zip/nb.ipynb was left aside: it answers as many exercises" in differs.text


@pytest.mark.parametrize("thing", ["bomb", "many", "nested", "path", "link", "broken", "encrypted"])
def test_archives_that_nobody_opens(folder, kit, monkeypatch, thing):
    monkeypatch.setattr(intake, "MAX_BYTES", 100_000)
    monkeypatch.setattr(intake, "MAX_SLIMMED", 400_000)
    monkeypatch.setattr(intake, "MAX_UNPACKED", 400_000)
    good = written(submission())
    if thing == "bomb":
        data = packed(**{"a.ipynb": b" " * 3_000_000, "b.ipynb": b'{"outputs": ["' + b"x" * 3_000_000})
    elif thing == "many":
        data = packed(**{f"{n}.ipynb": good for n in range(intake.MAX_PACKED + 1)})
    elif thing == "nested":
        data = packed(**{"nb.zip": packed(**{"nb.ipynb": good})})
    elif thing == "path":
        data = packed(**{"../nb.ipynb": good, "/nb.ipynb": good, "C:/nb.ipynb": good, "a\nb.ipynb": good})
    elif thing == "link":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as zf:
            info = zipfile.ZipInfo("nb.ipynb")
            info.create_system, info.external_attr = 3, 0o120777 << 16
            zf.writestr(info, good)
        data = out.getvalue()
    elif thing == "broken":
        data = b"PK\x03\x04" + good
    else:
        data = bytearray(packed(**{"nb.ipynb": good}))
        for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(mark) + at] |= 1
    (folder / "w.zip").write_bytes(data)
    handed = Handed.take(folder, kit)
    assert not handed.name
    assert handed.findings[-1].kind == "nothing-handed-in"


def test_the_untouched_release_under_the_right_name_beside_the_answered_file(folder, kit):
    (folder / f"{NAME}.ipynb").write_bytes(untouched())
    (folder / "mine.ipynb").write_bytes(written(submission()))
    handed = Handed.take(folder, kit)
    assert handed.name == "mine.ipynb"
    assert handed.findings[0].kind == "answered-file-taken"
    assert "the release without any answer; mine.ipynb, which holds answers" in handed.findings[0].text
    (folder / "mine.ipynb").unlink()
    (folder / "mine.zip").write_bytes(packed(**{f"{NAME}.ipynb": written(submission())}))
    handed = Handed.take(folder, kit)
    assert "return 2 * x" in answer_of(kit, handed)
    assert handed.findings[0].kind == "answered-file-taken"


def test_the_right_name_counts_if_it_is_answered_or_nothing_is(folder, kit):
    (folder / f"{NAME}.ipynb").write_bytes(written(submission()).replace(b"2 * x", b"3 * x"))
    (folder / "mine.ipynb").write_bytes(written(submission()))
    assert Handed.take(folder, kit).name == f"{NAME}.ipynb"
    (folder / f"{NAME}.ipynb").write_bytes(untouched())
    (folder / "mine.ipynb").write_bytes(untouched())
    assert Handed.take(folder, kit).name == f"{NAME}.ipynb"


def test_of_many_files_few_are_read_to_count_their_answers(folder, kit):
    for number in range(15):
        (folder / f"{number}.ipynb").write_bytes(untouched() + b"\n" * number)
    counted = []
    source = kit.source
    intake.find_submission(folder, NAME, source, lambda data, name: counted.append(name) or Answers())
    assert len(counted) == choosing.MAX_COUNTED


@pytest.mark.parametrize("count", [MAX_CELLS + 500, 3 * MAX_CELLS])
def test_thousands_of_scratch_cells_before_the_answer(kit, count):
    nb = submission()
    nb.cells[1:1] = [new_code_cell(f"print({n})  # {'x' * 300}") for n in range(count)]
    nb.cells.insert(1, new_code_cell("def helper(x):\n    return 2 * x"))
    read, findings = read_submission(written(nb), "nb.ipynb")
    assert [(f.kind, f.level) for f in findings] == [("too-many-cells", Level.REPAIRED)]
    assert len(read.cells) <= MAX_CELLS
    assert any("def helper" in c.source for c in read.cells)
    assert "return 2 * x" in answer_of(kit, Handed("nb.ipynb", written(nb)))
    # In the order in which they were.
    numbers = [int(c.source.split("(")[1].split(")")[0]) for c in read.cells if c.source.startswith("print")]
    assert numbers == sorted(numbers)


def test_more_cells_than_are_looked_at_are_a_loss():
    cells = [{"cell_type": "code", "source": "1", "metadata": {}}] * (MAX_LISTED + 1)
    _, findings = read_submission(json.dumps({"cells": cells}).encode(), "nb.ipynb")
    assert [(f.kind, f.level) for f in findings] == [("too-many-cells", Level.LOST)]


def test_the_summary_has_a_line_for_each(folder, kit, monkeypatch):
    (folder / "w.zip").write_bytes(packed(**{"nb.ipynb": written(submission())}))
    findings = list(Handed.take(folder, kit).findings)
    text = summary([Entry("ada", NAME, Outcome.MARKED, 2, 2, findings), Entry("bob", NAME, Outcome.MARKED, 2, 2, [])])
    assert f"handed in an archive, of which the notebook was marked: ada ({NAME})" in text
    assert "need a look" not in text
