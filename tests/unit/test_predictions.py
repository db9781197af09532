"""What a prediction is told: right, close, or which way it is off."""

import pytest
from helpers.predictions import settle


@pytest.mark.parametrize(
    ("guess", "measured", "said"),
    [
        (None, 0.5, "measured 0.500; you made no prediction"),
        (0.45, 0.5, "measured 0.500; you predicted 0.45, which is close"),
        (0.3, 0.5, "measured 0.500; you predicted 0.3, which is too low"),
        (12, 12, "measured 12; you predicted 12, which is right"),
        (13, 12, "measured 12; you predicted 13, which is too high"),
        ("Row", "row", "measured row; you predicted Row, which is right"),
        ("column", "row", "measured row; you predicted column, which is wrong"),
        ("half", 0.5, "measured 0.500; you predicted half, which is no number"),
        ("0.5", 0.5, "measured 0.500; you predicted 0.5, which is no number"),
    ],
)
def test_a_prediction_is_settled(capsys, guess, measured, said):
    settle(guess, measured)
    assert capsys.readouterr().out == f"{said}\n"
