"""What students chose never reads like the grader's own words: it stands in quotation marks in all that is said."""

import io
import re
import struct
import zipfile
import zlib

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from test_lms_collect import make_zip, notebook
from test_lms_identity import worksheet, write
from test_reading import tiny_source
from test_transplant import run as transplanted
from test_transplant import submission

from grader.classrun.summary import Entry, Outcome
from grader.classrun.summary import summary as class_summary
from grader.core.findings import Finding
from grader.engine.handed import Handed
from grader.engine.kit import Kit
from grader.lms import archive
from grader.lms.collected import summary
from grader.lms.people import id_form
from grader.submissions import alone, intake
from grader.submissions.file_names import named, quoted
from grader.submissions.pristine import pristine

NAME = "09_doubling"
#: A name of a file, a folder or a person; Canvas writes names in small letters.
SAYS = "eve is right. bob copied it; 0 points for him"
CLAIM = "bob copied"


def without_quotations(text):
    return re.sub("\u201c[^\u201d]*\u201d", "", text)


def told(result):
    return "\n".join([summary(result), *(note for one in result.placed for note in one.notes)])


def in_moodle(name, number, file="nb.ipynb"):
    return f"{name}_{number}_assignsubmission_file_/{file}"


def spoiled(name, encrypted=False, header=b"", bad_sum=False, version=20, content=b"{}"):
    """A zip file whose one entry cannot be read, for one reason or another."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(name, content)
    data = bytearray(out.getvalue())
    listed = data.rfind(b"PK\1\2")
    if encrypted:
        data[6] |= 1
        data[listed + 8] |= 1
    if header:
        (length,) = struct.unpack_from("<H", data, 26)
        data[30 : 30 + length] = header.ljust(length)[:length]
    if bad_sum:
        struct.pack_into("<L", data, listed + 16, zlib.crc32(content) ^ 1)
    struct.pack_into("<H", data, listed + 6, version)
    return bytes(data)


ODD = f"nb.ipynb\u2019 was read; {SAYS} (see x.ipynb"
DAMAGED = "it is damaged, or is not what the zip file's list says of it"
ENTRIES = [
    ({"encrypted": True}, "it is encrypted"),
    ({"header": f'nb.ipynb" is no file: {SAYS}. "'.encode()}, DAMAGED),
    ({"bad_sum": True}, DAMAGED),
]


@pytest.mark.parametrize(("how", "why"), ENTRIES)
def test_of_an_entry_that_cannot_be_unpacked_a_finding_says_why_in_the_graders_words(tmp_path, how, why):
    folder = tmp_path / "eve" / NAME
    folder.mkdir(parents=True)
    (folder / "work.zip").write_bytes(spoiled(ODD, **how))
    finding = intake.find_submission(folder, NAME, tiny_source()).findings[0]
    assert finding.kind == "file-refused"
    assert without_quotations(finding.text) == f" was not read: it cannot be unpacked ({why})."
    assert CLAIM not in without_quotations(finding.where)


@pytest.mark.parametrize(("how", "why"), ENTRIES)
def test_of_an_entry_that_cannot_be_unpacked_collecting_says_why_in_the_graders_words(course, run, tmp_path, how, why):
    result = run(make_zip(tmp_path / "a.zip", [(in_moodle("Eve", 1, "work.zip"), spoiled(ODD, **how))]))
    (lost,) = result.unplaced
    assert lost.why == f"it cannot be unpacked ({why})"
    assert CLAIM not in without_quotations(told(result))


def test_of_an_archive_that_cannot_be_opened_the_library_is_not_quoted(course, run, tmp_path):
    newer = spoiled("nb.ipynb", version=90)
    files = [(in_moodle("Eve", 1, "work.zip"), newer), (in_moodle("Ada", 2, "work.zip"), b"PK\3\4 no zip")]
    (tmp_path / "c.zip").write_bytes(newer)
    result = run(make_zip(tmp_path / "a.zip", files))
    assert [one.why for one in result.unplaced] == [
        "a broken zip file (it needs a newer program to unpack it)",
        "a broken zip file (its list of files is missing or damaged)",
    ]
    (lost,) = run(tmp_path / "c.zip").unplaced
    assert lost.why == "not a zip file that can be read (it needs a newer program to unpack it)"


# --- grader collect


def known_from_moodle(course, run, tmp_path, name=SAYS, number=1):
    run(make_zip(tmp_path / "before.zip", [(in_moodle(name, number), notebook(course, "return 1"))]))


def canvas_readings(course, run, tmp_path):
    return run(make_zip(tmp_path / "a.zip", [(f"eve_15_906_{SAYS}_16_907_x.ipynb", notebook(course))]))


def zips_of_several(course, run, tmp_path):
    folder = write(tmp_path / "in", {f"bob - {NAME}.ipynb": notebook(course)})
    make_zip(folder / f"{SAYS}.zip", [("a/nb.ipynb", notebook(course)), ("b/nb.ipynb", notebook(course, "return 1"))])
    return run(folder)


def zip_like_a_download(course, run, tmp_path):
    folder = write(tmp_path / "in", {f"bob - {NAME}.ipynb": notebook(course)})
    make_zip(folder / f"{SAYS}.zip", [("bob_1234_99_nb.ipynb", notebook(course))])
    return run(folder)


def folder_around(course, run, tmp_path):
    return run(write(tmp_path / "in", {f"{SAYS}/{who}/nb.ipynb": notebook(course) for who in ("ada", "bob")}))


def inner_folders(course, run, tmp_path):
    eve = f"{SAYS}/x {SAYS}/{NAME}/nb.ipynb"
    return run(write(tmp_path / "in", {eve: notebook(course), "ada/nb.ipynb": notebook(course)}))


def one_place(course, run, tmp_path):
    return run(write(tmp_path / "in", {f"{name}/nb.ipynb": notebook(course) for name in (SAYS, id_form(SAYS))}))


def one_name(course, run, tmp_path):
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, n), notebook(course)) for n in (1, 2)]))


def named_twice_in_the_worksheet(course, run, tmp_path):
    known_from_moodle(course, run, tmp_path, SAYS, 1)
    sheet = worksheet(tmp_path / "s.csv", (12, SAYS, "a@x.org"), (13, SAYS, "b@x.org"))
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 13), notebook(course))]), rosters=[sheet])


def number_under_another_name(course, run, tmp_path):
    known_from_moodle(course, run, tmp_path, "Eve", 3)
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 3), notebook(course))]))


def another_name_in_the_worksheet(course, run, tmp_path):
    sheet = worksheet(tmp_path / "s.csv", (3, f"x {SAYS}", "eve@x.org"))
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 3), notebook(course))]), rosters=[sheet])


def shared_address(course, run, tmp_path):
    sheet = worksheet(tmp_path / "s.csv", (3, SAYS, "eve@x.org"), (4, "Ada", "eve@x.org"))
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 3), notebook(course))]), rosters=[sheet])


def id_of_somebody(course, run, tmp_path):
    known_from_moodle(course, run, tmp_path)
    files = {f"{id_form(SAYS)}/nb.ipynb": notebook(course), "zoe/nb.ipynb": notebook(course)}
    return run(write(tmp_path / "in", files))


def name_of_another_system(course, run, tmp_path):
    known_from_moodle(course, run, tmp_path)
    return run(write(tmp_path / "in", {f"{SAYS}/nb.ipynb": notebook(course), "zoe/nb.ipynb": notebook(course)}))


def blanks_alone(course, run, tmp_path):
    for name, blank in (("1", ""), ("2", " ")):
        files = {f"{SAYS}{blank}/nb.ipynb": notebook(course), "bob/nb.ipynb": notebook(course)}
        result = run(write(tmp_path / name, files))
    return result


def submissions_of_nobody(course, run, tmp_path):
    place = write(course.local / "submitted", {f"{id_form(SAYS)}/{NAME}/{NAME}.ipynb": notebook(course, "return 1")})
    assert place.is_dir()
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 3), notebook(course))]))


def an_ending_that_says_something(course, run, tmp_path):
    """A file of such a name counts as the one that is there, and its ending goes along to where it is kept."""
    write(course.local / "submitted", {f"eve/{NAME}/{NAME}.ipynb.{SAYS.split('.')[1]}": notebook(course, "return 1")})
    (course.local / "students.csv").write_text("student,system,name\neve,moodle,Eve\n")
    return run(make_zip(tmp_path / "a.zip", [(in_moodle("Eve", 3), notebook(course))]))


def nothing_but_a_picture(course, run, tmp_path):
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 3, "x.pdf"), b"%PDF-1.4")]))


def many_that_are_empty(course, run, tmp_path):
    return run(make_zip(tmp_path / "a.zip", [(in_moodle(SAYS, 3, f"{n}.ipynb"), b"") for n in range(9)]))


def many_links(course, run, tmp_path):
    folder = write(tmp_path / "in", {f"{SAYS}/{NAME}/nb.ipynb": notebook(course), "ada/nb.ipynb": notebook(course)})
    for n in range(9):
        (folder / SAYS / f"{n}.ipynb").symlink_to("nowhere")
    return run(folder)


def the_archives_own_name(course, run, tmp_path):
    (tmp_path / f"y {SAYS}.zip").write_bytes(b"no zip")
    return run(make_zip(tmp_path / f"{SAYS}.zip", [(in_moodle("Eve", 3), b"")]), tmp_path / f"y {SAYS}.zip")


@pytest.mark.parametrize(
    ("happens", "says"),
    [
        (canvas_readings, "can be read in 2 ways"),
        (zips_of_several, "may hold the folders of several students"),
        (zip_like_a_download, "may be a system's download"),
        (folder_around, "may be a class, or one student"),
        (inner_folders, "it may be of"),
        (one_place, "would become one student"),
        (one_name, "several people are called"),
        (named_twice_in_the_worksheet, "several people are called"),
        (number_under_another_name, "number 3 comes as"),
        (another_name_in_the_worksheet, "in the roster"),
        (shared_address, "have the address of"),
        (id_of_somebody, "is the id of"),
        (name_of_another_system, "was taken for"),
        (blanks_alone, "differ in their blanks alone"),
        (submissions_of_nobody, "write a row into students.csv"),
        (an_ending_that_says_something, "the attempt that was there is kept as"),
        (nothing_but_a_picture, "handed in no notebook"),
        (many_that_are_empty, "further files of"),
        (many_links, "further files in it were not taken"),
        (the_archives_own_name, "the file is empty"),
    ],
)
def test_no_name_stands_outside_quotation_marks_in_what_collecting_says(course, run, tmp_path, happens, says):
    text = told(happens(course, run, tmp_path))
    assert says in text
    assert CLAIM in text.replace("_", " ")
    assert CLAIM not in without_quotations(text).replace(id_form(SAYS), "").replace("_", " ")


def test_a_word_that_closes_a_bracket_of_the_graders_stands_in_quotation_marks_too(course, run, tmp_path):
    name = "eve_15_906_ok)_and_bob_copied_it_(see_16_907_x.ipynb"
    (lost,) = run(make_zip(tmp_path / "a.zip", [(name, notebook(course))])).unplaced
    assert "number 15 (\u201ceve\u201d) or number 16 (\u201ceve_15_906_ok)_and_bob_copied_it_(see\u201d)" in lost.why


# --- what is noticed of a submission


def test_where_outputs_were_left_out_is_a_name_in_quotation_marks(tmp_path, monkeypatch):
    for module in (intake, alone):
        monkeypatch.setattr(module, "MAX_BYTES", 20_000)
    nb = submission()
    nb.cells[-1].source += "\n" + "# x\n" * 10
    nb.cells.append(new_code_cell("1", outputs=[nbformat.v4.new_output("stream", text="x" * 60_000)]))
    folder = tmp_path / "eve" / NAME
    folder.mkdir(parents=True)
    (folder / f"{SAYS}.ipynb").write_text(nbformat.writes(nb))
    source = tiny_source()
    findings = Handed.take(folder, Kit(NAME, source, pristine(source), "", "", {})).findings
    assert "outputs-left-out" in [f.kind for f in findings]
    assert {f.where for f in findings} == {f"\u201c{SAYS}.ipynb\u201d"}
    assert not [f for f in findings if CLAIM in without_quotations(f.text)]


def test_a_helper_that_was_moved_stands_in_quotation_marks():
    helpers = [f"the_grader_found_that_bob_copied_{n}" for n in "abcdefghij"]
    calls = " + ".join(f"{name}(x)" for name in helpers)
    nb = submission(double=f"def double(x):\n    return {calls}")
    nb.cells.append(new_code_cell("\n\n\n".join(f"def {name}(x):\n    return x" for name in helpers)))
    (finding,) = [f for f in transplanted(nb).findings if f.kind == "helper-moved"]
    assert f"defines \u201c{helpers[0]}\u201d, \u201c{helpers[1]}\u201d, " in finding.text
    assert f"\u201c{helpers[7]}\u201d, ... stood below" in finding.text
    assert "copied" not in without_quotations(finding.text)


def test_a_function_of_another_name_stands_in_quotation_marks():
    nb = submission(double="def double_it(x):\n    return 2 * x")
    (finding,) = [f for f in transplanted(nb).findings if f.kind == "other-name"]
    assert "\u201cdouble_it\u201d looks like it" in finding.text


def test_the_summary_of_a_run_quotes_the_names_of_folders():
    finding = Finding("outputs-left-out", "", "It was read without its outputs.")
    entries = [
        Entry(SAYS, "01", Outcome.REFUSED, why="it is a link"),
        Entry("eve", "01", Outcome.MARKED, findings=(finding,), folder=SAYS),
    ]
    text = class_summary(entries)
    assert CLAIM in text
    assert CLAIM not in without_quotations(text)


def test_one_word_that_spells_a_sentence_can_be_quoted_too():
    assert named("bob_copied") == "bob_copied"
    assert quoted("bob_copied") == "\u201cbob_copied\u201d"
    assert quoted("a\u201d, \u201cb") == "\u201ca', 'b\u201d"


def test_a_place_in_a_class_names_both_in_quotation_marks(tmp_path):
    folder = write(tmp_path / f"y {SAYS}", {f"{SAYS}/nb.ipynb": b"{}"})
    with archive.open_source(folder) as contents:
        (item,) = contents.items
    assert CLAIM not in without_quotations(item.where)
