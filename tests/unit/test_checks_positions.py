"""The self-checks of notebook 5: right answers pass, usual mistakes are named, nothing is raised."""

import numpy as np
import pytest
from helpers.checks_places import check_add_positions
from helpers.checks_positions import check_binary_encoding, check_sinusoidal_encoding
from helpers.checks_relative import check_relative_bias
from helpers.checks_rotary import check_rotary
from helpers.checks_rotations import check_shift_matrix


def binary(positions, bits, first=1, limit=0):
    if np.max(positions) >= 2**bits + limit:
        raise ValueError
    return (positions[:, None] >> np.arange(bits) & 1)[:, ::first]


def sines(length, depth, base=10000.0, share=2, odd=True, start=0):
    columns = np.arange(depth)
    angles = np.arange(start, start + length)[:, None] * base ** (
        -2 * (columns // share) / (depth + (odd and depth % 2))
    )
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))


def shift(offset, depth, base=10000.0, sign=1, odd=False):
    if depth % 2 and not odd:
        raise ValueError
    matrix = np.zeros((depth, depth))
    for i in range(0, depth - 1, 2):
        angle = sign * offset * base ** (-i / depth)
        matrix[i : i + 2, i : i + 2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return matrix


def add(ids, table, encoding, factor=None, allowed=0):
    if ids.shape[1] > len(encoding) + allowed:
        raise ValueError
    factor = np.sqrt(table.shape[1]) if factor is None else factor
    return factor * table[ids] + encoding[: ids.shape[1]]


def bias(length, table, sign=1, clip=True, radius=None, added=1):
    radius, places = len(table) // 2 if radius is None else radius, np.arange(length)
    distance = sign * (places[None] - places[:, None])
    return table[(np.clip(distance, -radius, radius) if clip else distance) + added * radius]


def turn(x, base=10000.0, sign=1, start=0):
    length, depth = x.shape[-2:]
    angles = sign * np.arange(start, start + length)[:, None] * base ** (-np.arange(0, depth, 2) / depth)
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (check_binary_encoding, binary),
        (check_sinusoidal_encoding, lambda *args: sines(*args, odd=False)),
        (check_shift_matrix, shift),
        (check_add_positions, add),
        (check_relative_bias, bias),
        (check_rotary, turn),
    ],
)
def test_right_answers_pass_and_missing_ones_are_said_to_be_missing(check, right, capsys):
    check(right)
    printed = capsys.readouterr().out
    assert "--" not in printed
    assert "all of these hold" in printed

    def unwritten(*args):
        raise NotImplementedError

    check(unwritten)
    assert capsys.readouterr().out.strip().endswith("not written yet")
    check(lambda *args: None)
    assert "return" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "wrong", "word"),
    [
        (check_binary_encoding, lambda p, b: binary(p, b, first=-1), "most significant"),
        (check_binary_encoding, lambda p, b: binary(p, b, limit=-1), "off by one"),
        (check_binary_encoding, lambda p, b: binary(p, b, limit=10**6), "nothing is raised"),
        (check_binary_encoding, lambda p, b: binary(p, b, limit=1), "does not fit either"),
        (check_sinusoidal_encoding, lambda t, d, base=1e4: sines(t, d, base, share=1), "share"),
        (check_sinusoidal_encoding, lambda t, d, base=1e4: sines(t, d, base, start=1), "starts at 0"),
        (check_sinusoidal_encoding, sines, "real depth"),
        (check_sinusoidal_encoding, lambda t, d, base=1e4: sines(t, d, odd=False), "argument base"),
        (check_shift_matrix, lambda k, d, base=1e4: shift(k, d, base, sign=-1), "moves back"),
        (check_shift_matrix, lambda k, d, base=1e4: shift(k, d, base, odd=True), "nothing is raised"),
        (check_shift_matrix, lambda k, d, base=1e4: shift(k, d), "argument base"),
        (check_add_positions, lambda i, t, e: add(i, t, e, factor=1), "is missing"),
        (check_add_positions, lambda i, t, e: add(i, t, e, allowed=-1), "T = L"),
        (check_add_positions, lambda i, t, e: add(i, t, e, allowed=9), "another kind of error|broadcasts"),
        (check_relative_bias, lambda n, t: bias(n, t, sign=-1), "sign is reversed"),
        (check_add_positions, lambda i, t, e: 2 * t[i] + e, "cut the encoding to T rows"),
        (check_relative_bias, lambda n, t: bias(n, t, clip=False), "out of the table: clip them"),
        (check_relative_bias, lambda n, t: bias(n, t, radius=len(t)), "R is len(table) // 2"),
        (check_relative_bias, lambda n, t: bias(n, t, radius=n - 1), "R is len(table) // 2"),
        (check_relative_bias, lambda n, t: bias(n, t, added=0), "add R before looking up"),
        (check_rotary, lambda x, base=1e4: turn(x, base, sign=-1), "the other way"),
        (check_rotary, lambda x, base=1e4: turn(x, base, start=1), "starts at 0"),
        (check_rotary, lambda x, base=1e4: turn(x), "argument base"),
    ],
)
def test_usual_mistakes_are_named(check, wrong, word, capsys):
    check(wrong)
    printed = capsys.readouterr().out
    assert "all of these hold" not in printed
    # A word in a line that says "ok" recognises nothing.
    remarks = "\n".join(line for line in printed.splitlines() if not line.startswith("ok"))
    assert any(w in remarks for w in word.split("|")), printed


@pytest.mark.parametrize(("check", "right", "place"), [(check_rotary, turn, 0), (check_add_positions, add, 1)])
def test_a_changed_input_is_named_once(check, right, place, capsys):
    def spoil(*args):
        result = right(*args)
        args[place][...] += 1
        return result

    check(spoil)
    printed = capsys.readouterr().out
    name = ("x", "table")[place]
    assert printed.count("work on a copy") == 1
    assert f"{name} = {name}.copy()" in printed
    assert printed.count("--") == 1


def test_a_subclass_of_the_error_that_is_asked_for_is_that_error(capsys):
    class TooLarge(ValueError):
        pass

    def encode(positions, bits):
        if np.max(positions) >= 2**bits:
            raise TooLarge(bits)
        return binary(positions, bits)

    check_binary_encoding(encode)
    assert "--" not in capsys.readouterr().out
