"""Self-checks of notebook 1: padding, teacher forcing, the encoder."""

import numpy as np
from helpers.checks import self_check


def two_parts(report, result, names):
    """Check that a result consists of two parts and give them."""
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
            raise (IndexError if isinstance(error, IndexError) else ValueError)(f"{error}{fitting}") from None

    return run


@self_check("pad_batch")
def check_pad_batch(report, pad_batch):
    """Check `pad_batch` on a batch in which the padding id occurs as a real id and one sequence is empty."""
    sequences, pad = [[7], [4, 6, 6, 2], [], [6, 5, 3], [1, 6]], 6  # five lengths; the first is not the largest
    before = [list(s) for s in sequences]
    hint = "Is each row as wide as the longest sequence, not the first?"
    padded = explain_errors(pad_batch, {"broadcast": hint, "inhomogeneous": hint})
    ids, mask = two_parts(report, report.call(padded, sequences, pad), "ids and mask")
    report.expect(sequences == before, "the lists are unchanged", "append to a copy, or fill a new array", stop=True)
    try:
        ragged = np.asarray(ids).dtype == object or np.asarray(ids).ndim < 2
    except ValueError:
        ragged = True
    report.expect(not ragged, "ids is one rectangular array", "rows of unequal length make a ragged one", stop=True)
    rows, width = np.shape(ids)[:2]
    report.expect(rows == 5, "ids has one row for each sequence", f"yours has {rows} rows; one is empty", stop=True)
    not_this = {0: ", not the shortest", 1: ", not the first", 2: ", not the last"}.get(width, "")
    hint = f"the longest sequence sets the width{not_this}; yours is {width}"
    report.expect(width == 4, "ids is as wide as the longest sequence", hint, stop=True)
    ids = report.array(ids, (5, 4), "i", "ids")
    report.expect(ids[1].tolist() == before[1], "the longest sequence fills its row", "its ids belong there in order")
    filled = [ids[i, : len(s)].tolist() == s for i, s in enumerate(before)]
    front = ids[0].tolist() == [pad, pad, pad, 7]
    hint = "you pad in front; the ids come first" if front else "copy each sequence to the beginning of its row"
    report.expect(all(filled), "each row begins with its sequence", hint, stop=True)
    padding = all((ids[i, len(s) :] == pad).all() for i, s in enumerate(before))
    report.expect(padding, "what follows is pad_id", "use the argument pad_id, whatever its value")
    mask = report.array(mask, (5, 4), "b", "mask")
    lengths = [len(s) for s in before]
    from_lengths = mask.sum(axis=1).tolist() == lengths and mask[3, :3].all()
    if (mask == (np.arange(4) >= np.array(lengths)[:, None])).all():
        hint = "yours is inverted: True means a real id"
    elif (mask == (ids != pad)).all() or (mask == (ids != 0)).all():
        hint = "a real id may be equal to pad_id, so the mask has to come from the lengths"
    else:
        hint = "row i has len(sequences[i]) times True, at its beginning"
    report.expect(from_lengths, "mask is True on the real ids, and only there", hint)


@self_check("teacher_forcing")
def check_teacher_forcing(report, teacher_forcing):
    """Check `teacher_forcing` on three sentences of four tokens."""
    target, start = np.array([[5, 6, 7, 2], [8, 9, 2, 0], [6, 2, 0, 0]]), 4
    result = report.call(teacher_forcing, target, start)
    if report.failed:  # the target was changed, so that a comparison with it would say nothing
        return
    inputs, targets = two_parts(report, result, "decoder_input, decoder_target")
    if np.shape(inputs) == (3, 5):
        report.expect(False, "decoder_input has shape (3, 4)", "the last column is never an input: drop it", stop=True)
    inputs = report.array(inputs, (3, 4), "i", "decoder_input")
    targets = report.array(targets, (3, 4), "i", "decoder_target")
    swapped = (inputs == target).all() and (targets[:, 1:] == target[:, :-1]).all()
    hint = "it is the shifted one: are the two results in the wrong order?" if swapped else "return it unchanged"
    report.expect((targets == target).all(), "decoder_target is the target itself", hint, stop=swapped)
    if (inputs == target).all():
        hint = "identical to the target: the decoder would be shown the answer, a leak"
    elif (inputs == np.roll(target, 1, axis=1)).all():
        hint = "np.roll wraps the last token around to the front"
    elif (inputs[:, :-1] == target[:, 1:]).all():
        hint = "you shifted to the left; the input lags one step behind the target"
    elif (inputs[0] == start).all():
        hint = "you shifted along the batch axis: one sentence gets the words of another"
    else:
        hint = "use the argument start_id, whatever its value"
    report.expect((inputs[:, 0] == start).all(), "every row of decoder_input begins with start_id", hint, stop=True)
    replaced = (inputs[:, 1:] == target[:, 1:]).all()
    hint = "the first token was replaced, the rest not shifted" if replaced else "input t is target t - 1"
    report.expect((inputs[:, 1:] == target[:, :-1]).all(), "then come the tokens of the target, one step later", hint)


@self_check("rnn_encode")
def check_rnn_encode(report, rnn_encode):
    """Check `rnn_encode` step by step: first the recurrence on full rows, then the mask."""
    rng = np.random.default_rng(3)
    x, w_x, w_h, b = (rng.normal(size=s) for s in ((2, 4, 3), (3, 5), (5, 5), (5,)))
    everywhere = np.ones((2, 4), dtype=bool)
    axis = "The mask? `mask[:, t]` is (B,), the state (B, U): give it an axis, `mask[:, t, None]`"
    rows = "`mask[:, t]` is one: compute the new state of all sentences, then choose for each sentence with np.where"
    encode = explain_errors(rnn_encode, {"broadcast": axis, "truth value": rows})
    states, last = two_parts(report, report.call(encode, x, everywhere, w_x, w_h, b), "states and last")
    states = report.array(states, (2, 4, 5), "f", "states")
    last = report.array(last, (2, 5), "f", "last")
    first, second = x[:, 0] @ w_x, x[:, 1] @ w_x + b

    def near(state, inside):  # float32 states are right too
        return np.allclose(state, np.tanh(inside), rtol=2e-4, atol=2e-5)

    if np.allclose(states[:, 0], first + b):
        hint = "tanh is missing"
    elif near(states[:, 0], first):
        hint = "the bias b is missing"
    elif np.allclose(states, 0):
        hint = "it stays zero; is the mask inverted? True marks a real step"
    elif np.allclose(states, states[:, -1:]):
        hint = "all steps show the same array: keep a new one for each step"
    else:
        hint = "the first state is tanh(x[:, 0] @ w_x + b), since the state before it is zero"
    report.expect(near(states[:, 0], first + b), "the first state is right", hint, stop=True)
    if near(states[:, 1], second):
        hint = "the state was reset: the second step does not see the first"
    elif near(states[:, 1], second + states[:, 0] @ w_h.T):
        hint = "w_h is transposed"
    else:
        hint = "the second state is tanh(x[:, 1] @ w_x + state @ w_h + b)"
    report.expect(
        near(states[:, 1], second + states[:, 0] @ w_h), "the second state builds on the first", hint, stop=True
    )
    report.expect(np.allclose(last, states[:, -1]), "last is the last state", "last == states[:, -1]", stop=True)
    mask = np.array([[True, True, False, False], [True, False, True, True]])
    kept, last = report.call(encode, x, mask, w_x, w_h, b)
    if np.allclose(kept, states):
        hint = "the mask has no effect here: where a sentence has False, its own state must not change"
    elif near(kept[0, 2], states[0, 1] @ w_h + b):
        hint = "the input is zero there, but the step still happens"
    elif np.allclose(kept[0, 2], 0):
        hint = "zero there: a masked step repeats the state before it"
    else:
        hint = "where mask is False, the new state is the old one: choose for each row of the batch"
    report.expect(np.allclose(kept[0, 1:], states[0, 1]), "a masked step keeps the state", hint, stop=True)
    later = near(kept[1, 2], x[1, 2] @ w_x + kept[1, 0] @ w_h + b)
    moves = np.any(kept[1, 2] != kept[1, 0])
    hint = "do not restart it at zero" if moves else "yours stands still for good: real words may follow a masked step"
    report.expect(later, "after a gap the encoder goes on from the state it kept", hint)
    report.expect(np.allclose(last, kept[:, -1]), "last == states[:, -1] with a mask too", "return the last state")
