"""Self-checks of notebook 1: padding, teacher forcing."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, observed, quietly


def two_parts(report, result, names):
    """Check that a result consists of two parts and return them."""
    both = isinstance(result, tuple | list) and len(result) == 2
    report.expect(both, f"it returns two things, {names}", "separate them by a comma after return", stop=True)
    return result


def explain_errors(function, hints):
    """Return `function` with a hint at the end of NumPy's errors, by words that occur in the error's message."""

    def run(*args):
        try:
            return function(*args)
        except (ValueError, IndexError) as error:
            fitting = "".join(f". {hint}" for words, hint in hints.items() if words in str(error))
            kind = IndexError if isinstance(error, IndexError) else ValueError
            raise kind(f"{str(error).rstrip()}{fitting}") from None  # NumPy leaves a space at the end

    return run


@self_check("pad_batch")
def check_pad_batch(report, pad_batch):
    """Check `pad_batch` on a batch in which the padding id occurs as a real id and one sequence is empty."""
    sequences, pad = [[7], [4, 6, 6, 2], [], [6, 5, 3], [1, 6]], 6  # five lengths; the first is not the largest
    before = [list(s) for s in sequences]
    right = np.array([[7, 6, 6, 6], [4, 6, 6, 2], [6, 6, 6, 6], [6, 5, 3, 6], [1, 6, 6, 6]])
    hint = "Is each row as wide as the longest sequence, not the first?"
    padded = explain_errors(pad_batch, {"broadcast": hint, "inhomogeneous": hint})
    ids, mask = two_parts(report, report.call(padded, sequences, pad), "ids and mask")
    report.expect(sequences == before, "the lists are unchanged", "append to a copy, or fill a new array", stop=True)
    try:
        ragged = np.asarray(ids).dtype == object and np.asarray(ids).ndim == 1
    except ValueError:
        ragged = True
    report.expect(not ragged, "ids is one rectangular array", "rows of unequal length make a ragged one", stop=True)
    seen = Observed(f"Yours has shape {np.shape(ids)}, for five sequences, one of which is empty")
    report.expect(np.shape(ids)[:1] == (5,) and np.ndim(ids) == 2, "ids has one row for each sequence", seen, stop=True)
    width = np.size(ids) // 5
    hint = observed(width, 4, "Which of the sequences sets the width?")
    hint = _name_width(pad_batch, sequences) or hint
    report.expect(np.shape(ids) == (5, 4), "ids is as wide as the longest sequence", hint, stop=True)
    ids = report.array(ids, (5, 4), "i", "ids")
    filled = [ids[i, : len(s)].tolist() == s for i, s in enumerate(before)]
    hint = "you pad in front; the ids come first"
    if not all(ids[i, 4 - len(s) :].tolist() == s for i, s in enumerate(before)):
        hint = observed(ids, right, "Where does each sequence go in its row?")
    report.expect(all(filled), "each row begins with its sequence", hint, stop=True)
    tails = {int(n) for i, s in enumerate(before) for n in ids[i, len(s) :]}
    hint = observed(ids, right, "What fills the remainder of a row?")
    if len(tails) == 1 and _again(pad_batch, [[1], [3, 4]], 9, np.array([[1, *tails], [3, 4]])):
        hint = f"yours pads with {min(tails)}: use the argument pad_id, whatever its value"
    report.expect(tails == {pad}, "what follows is pad_id", hint)
    mask = report.array(mask, (5, 4), "b", "mask")
    real = np.array([[1, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 0]], dtype=bool)
    other = np.array([[0, 5, pad], [pad, pad, pad], [3, pad, 0]])
    if (mask == ~real).all():
        hint = "yours is inverted: True means a real id"
    elif any(_again(pad_batch, [[0, 5], [], [3, pad, 0]], pad, other != n, 1) for n in (0, pad)):
        hint = "a real id may be equal to pad_id, so the mask has to come from the lengths"
    elif mask.all() and _again(pad_batch, [[0, 5], [], [3, pad, 0]], pad, np.ones((3, 3)), 1):
        hint = "yours is True everywhere, and what follows a sequence is padding"
    else:
        hint = observed(mask, real, "How many ids does that sequence have?")
    report.expect((mask == real).all(), "mask is True on the real ids, and only there", hint)


def _name_width(pad_batch, sequences):
    """Name the sequence whose length a batch is as wide as, here and in another batch; empty if there is none."""
    other = [[1, 2, 3], [9, 9], [4, 6, 6, 2, 5], [2], [8, 8, 8, 8]]  # each of the lengths below is another one
    known = {
        "the length of the shortest": lambda batch: min(map(len, batch)),
        "the length of the first": lambda batch: len(batch[0]),
        "the length of the last": lambda batch: len(batch[-1]),
        "the length of the longest and one more": lambda batch: max(map(len, batch)) + 1,
        "the length of max(sequences), which compares the ids": lambda batch: len(max(batch)),
    }
    shapes = [np.shape(result[0]) for batch in (sequences, other) if (result := quietly(pad_batch, batch, 6))]
    for text, width in known.items():
        if shapes == [(5, width(sequences)), (5, width(other))]:
            return f"the longest sequence sets the width, 4. Yours is {width(sequences)}, {text}"
    return ""


def _again(function, first, second, wanted, part=0):
    """Return whether a part of what one more call returns is what a known mistake returns."""
    result = quietly(function, first, second)
    return isinstance(result, tuple | list) and len(result) == 2 and np.array_equal(result[part], wanted)


@self_check("teacher_forcing")
def check_teacher_forcing(report, teacher_forcing):
    """Check `teacher_forcing` on three sentences of four tokens."""
    target, start = np.array([[5, 6, 7, 2], [8, 9, 2, 0], [6, 2, 0, 0]]), 4
    result = report.call(teacher_forcing, target, start)
    if report.failed:  # the target was changed, so that a comparison with it would say nothing
        return
    inputs, targets = two_parts(report, result, "decoder_input, decoder_target")
    right = np.array([[4, 5, 6, 7], [4, 8, 9, 2], [4, 6, 2, 0]])
    if np.shape(inputs) == (3, 5) and np.array_equal(np.asarray(inputs)[:, :4], right):
        report.expect(False, "decoder_input has shape (3, 4)", "the last column is never an input: drop it", stop=True)
    inputs = report.array(inputs, (3, 4), "i", "decoder_input")
    targets = report.array(targets, (3, 4), "i", "decoder_target")
    swapped = (inputs == target).all() and (targets[:, 1:] == target[:, :-1]).all()
    hint = observed(targets, target, "What should the decoder have said at each step?")
    hint = "it is the shifted one: are the two results in the wrong order?" if swapped else hint
    report.expect((targets == target).all(), "decoder_target is the target itself", hint, stop=swapped)
    moved = (inputs[:, 1:] == target[:, :-1]).all()
    elsewhere = np.concatenate([inputs[:, :1], target[:, :0:-1] + 1], axis=1)  # a start that follows no argument
    if (inputs == target).all():
        hint = "identical to the target: the decoder would be shown the answer, a leak"
    elif (inputs == np.roll(target, 1, axis=1)).all():
        hint = "np.roll wraps the last token around to the front"
    elif (inputs == np.roll(target, 1)).all() or (inputs == np.roll(target, 1, axis=0)).all():
        hint = "np.roll needs axis=1: yours moves words from one sentence to the next"
    elif (inputs[:, :-1] == target[:, 1:]).all():
        hint = "you shifted to the left; the input lags one step behind the target"
    elif (inputs[1:] == target[:-1]).all():
        hint = "you shifted along the batch axis: one sentence gets the words of another"
    elif moved and not np.ptp(inputs[:, 0]) and _again(teacher_forcing, target[:, ::-1] + 1, 3, elsewhere):
        hint = f"yours begin with {inputs[0, 0]}: use the argument start_id, whatever its value"
    else:
        hint = observed(inputs, right, "What does the decoder see before its first word?")
    report.expect((inputs[:, 0] == start).all(), "every row of decoder_input begins with start_id", hint, stop=True)
    hint = observed(inputs, right, "Which token of the target comes before that step?")
    if (inputs[:, 1:] == target[:, 1:]).all():
        hint = "the first token was replaced, the rest not shifted"
    elif (inputs[1:] == target[:-1]).all():
        hint = "you shifted along the batch axis: one sentence gets the words of another"
    elif (inputs[:, 1:-1] == target[:, 2:]).all():
        hint = "you shifted to the left; the input lags one step behind the target"
    elif (inputs == np.where(right == 2, 0, right)).all():
        hint = "the end mark belongs among the inputs; yours has 0 in its place"
    report.expect(moved, "then come the tokens of the target, one step later", hint)
