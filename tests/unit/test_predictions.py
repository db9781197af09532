"""What a prediction is told: right, close, or which way it is off."""

import pytest
from helpers.predictions import settle


@pytest.mark.parametrize(
    ("guess", "measured", "said"),
    [
        (None, 0.5, "measured 0.500; you made no prediction"),
        (0.45, 0.5, "measured 0.500; you predicted 0.45, which is close (at most 0.1 off)"),
        (0.3, 0.5, "measured 0.500; you predicted 0.3, which is too low"),
        (12, 12, "measured 12; you predicted 12, which is right"),
        (13, 12, "measured 12; you predicted 13, which is too high"),
        ("Row", "row", "measured row; you predicted Row, which is right"),
        ("column", "row", "measured row; you predicted column, which is wrong"),
        ("half", 0.5, "measured 0.500; you predicted half, which is no number"),
        ("0.5", 0.5, "measured 0.500; you predicted 0.5, which is no number"),
        ("true", "yes", "measured yes; you predicted true, which is none of the answers to choose from: yes, no"),
        (True, "yes", "measured yes; you predicted True, which is none of the answers to choose from: yes, no"),
        ("No", "yes", "measured yes; you predicted No, which is wrong"),
        (85, 0.9, "measured 0.900; you predicted 85, but a share is from 0 to 1: write 0.85 for 85%"),
        (12.5, 0.9, "measured 0.900; you predicted 12.5, but a share is from 0 to 1: write 0.125 for 12.5%"),
        (85, 3.0, "measured 3.000; you predicted 85, which is too high"),
    ],
)
def test_a_prediction_is_settled(capsys, guess, measured, said):
    settle(guess, measured)
    assert capsys.readouterr().out == f"{said}\n"


@pytest.mark.parametrize(
    ("guess", "measured", "options", "said"),
    [
        ("coloms", "row", ("row", "column"), "coloms, which is none of the answers to choose from: row, column"),
        ("Column", "row", ("row", "column"), "Column, which is wrong"),
        (4, "2", "123", "4, which is none of the answers to choose from: 1, 2, 3"),
        (3, "2", {1: "a", 2: "b", 3: "c"}, "3, which is wrong"),
        (None, "2", "123", ""),
    ],
)
def test_a_word_that_is_no_option_is_told_the_options(capsys, guess, measured, options, said):
    settle(guess, measured, options=options)
    verdict = f"you predicted {said}" if said else "you made no prediction"
    assert capsys.readouterr().out == f"measured {measured}; {verdict}\n"


def test_a_number_that_is_no_share_may_be_large(capsys):
    settle(7, 0.2, close=0.5)
    assert capsys.readouterr().out == "measured 0.200; you predicted 7, which is too high\n"
