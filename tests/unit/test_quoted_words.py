"""The class report leaves out the words that a self-check quotes from a student's exception, however long they are."""

import pytest

from grader.report.data import LONGEST, read_record

SECRET = "Ada Lovelace (4711) says so"


@pytest.mark.parametrize("length", [0, LONGEST, 20 * LONGEST])
@pytest.mark.parametrize("end", ["\u201d. Look at its line.", ""], ids=["closed", "not closed"])
def test_no_word_of_an_exception_is_in_what_is_read(length, end):
    says = f"scale runs. Hint: it raised an exception: \u201cFull: {SECRET} {'a ' * length}{end}"
    cause = {"test": "t", "exercise": "scale", "name": "said", "says": says}
    result = {"verdicts": [], "causes": [cause], "findings": [], "wall_s": 1, "cpu_s": 1, "points": 0}
    [read] = read_record(result, "2026").causes
    assert "it raised an exception: ..." in read.says
    assert "Ada" not in read.says
    assert len(read.says) <= LONGEST
