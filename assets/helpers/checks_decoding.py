"""Self-checks of notebook 1: the loss, greedy decoding, exact match."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_seq2seq import explain_errors


@self_check("masked_cross_entropy")
def check_masked_cross_entropy(report, masked_cross_entropy):
    """Check `masked_cross_entropy` on cases whose value is known."""
    targets, mask = np.array([[1, 0, 4], [3, 0, 0]]), np.array([[True, True, True], [True, False, False]])
    words = "Ids in square brackets pick along the first axis, the sentences; np.take_along_axis picks along the last"
    priced = explain_errors(masked_cross_entropy, {"out of bounds": words})
    loss = report.call(priced, np.zeros((2, 3, 5)), targets, mask)
    report.expect(np.ndim(loss) == 0, "it returns one number", f"got an array of shape {np.shape(loss)}", stop=True)
    ratio = float(loss) / np.log(5)
    hints = {
        -1.0: "the minus sign is missing",
        4.0: "that is the sum over the tokens, not their mean",
        4 / 6: "it divides by all B*T positions; padding does not count",
        1 / np.log(2): "use the natural logarithm",
        **dict.fromkeys(np.log([2, 3]) / np.log(5), "the softmax runs over the wrong axis: it belongs on the last one"),
    }
    hint = next((h for r, h in hints.items() if np.isclose(ratio, r)), "every token costs ln(5) here")
    report.expect(np.isclose(ratio, 1), "zero logits cost ln(vocab_size)", hint, stop=True)
    logits = np.zeros((2, 3, 5))
    logits[1, 0, 2] = 3.0  # the short sentence is wrong: its one token costs more than the others
    token = np.log(4 + np.exp(3.0))
    loss = float(report.call(masked_cross_entropy, logits, targets, mask))
    if np.isclose(loss, (token + np.log(5)) / 2):
        hint = "that is the mean of the sentences' means; average over all tokens at once"
    elif np.isclose(loss, (token + 5 * np.log(5)) / 6):
        hint = "padding counts too: the mean belongs to the positions where mask is True, and only to these"
    elif np.isclose(loss, (token + 2 * np.log(5)) / 3):
        hint = "a right id may be 0: take the real tokens from `mask`, not from `targets`"
    elif np.isclose(loss, np.log(5)):
        hint = "the costly token is real and you left it out: is the mask inverted?"
    else:
        share = np.exp(3.0) / (4 + np.exp(3.0))
        again = np.log(4 * np.exp((1 - share) / 4) + np.exp(share)) - (1 - share) / 4
        doubled = np.isclose(loss, (again + 3 * np.log(5)) / 4)
        other = "look at the cost of one token, -log p(target): if you subtract the largest logit, do so in both terms"
        hint = "the softmax is taken twice" if doubled else other
    right = np.isclose(loss, (token + 3 * np.log(5)) / 4)
    report.expect(right, "every real token has the same weight", hint, stop=True)
    changed = np.where(mask[..., None], logits, np.arange(5.0) * 2)
    same = np.isclose(loss, float(report.call(masked_cross_entropy, changed, targets, mask)))
    report.expect(same, "logits on padding have no influence", "leave masked positions out", stop=True)
    large = np.where(np.arange(5) == 2, 1e4, -1e4) * np.ones((2, 3, 1))
    loss = float(report.call(masked_cross_entropy, large, np.full((2, 3), 2), mask))
    hint = "overflow: exp(1e4) is inf; subtract the largest logit first"
    report.expect(np.isfinite(loss), "logits of 10,000 give a finite loss", hint, stop=True)
    report.expect(abs(loss) < 1e-6, "a confident right answer costs nothing", f"yours costs {loss:.3g}", stop=True)
    loss = float(report.call(masked_cross_entropy, large, np.full((2, 3), 1), mask))
    finite = "clipped: a clip, or a small number added before the log, hides how wrong the model is"
    hint = finite if np.isfinite(loss) else "log(0) is infinite: subtract logarithms instead of dividing"
    report.expect(np.isclose(loss, 2e4), "a confident wrong answer costs 20,000", hint, stop=True)
    mixed, both = np.array([[[1e4, 0.0], [0.0, 1.0]]]), np.ones((1, 2), dtype=bool)
    loss = float(report.call(masked_cross_entropy, mixed, np.array([[0, 1]]), both))
    hint = "subtract the largest logit of each position, not the largest of all"
    report.expect(np.isclose(loss, np.log1p(np.exp(-1)) / 2), "large logits do not disturb other positions", hint)


@self_check("greedy_decode")
def check_greedy_decode(report, greedy_decode):
    """Check `greedy_decode` with models that are a few lines long."""
    seen = []

    def scripted(words):
        def next_logits(tokens):
            seen.append([int(t) for t in tokens])
            if len(seen) > 50:
                raise RuntimeError("asked for the 51st time: the loop does not stop")
            return np.eye(8)[words[min(len(seen), len(words)) - 1]]

        return next_logits

    def run(words, max_length):
        seen.clear()
        return [int(t) for t in report.call(greedy_decode, scripted(words), 1, 2, max_length)]

    got = run([5, 6, 5, 2, 7], 9)
    first = seen[0] if seen else "nothing"
    report.expect(first == [1], "the model is asked first with [start_id]", f"it was asked with {first}", stop=not seen)
    hint = "give it the whole list so far, start_id first"
    if all(len(tokens) == 1 for tokens in seen):
        hint = "it got only the last token; " + hint
    elif all(tokens[:1] != [1] for tokens in seen[1:]):
        hint = "the start token got lost; " + hint
    elif len(seen) > 1 and len(seen[1]) == 2:
        hint = "append the index of the largest logit"
    report.expect(seen[1:3] == [[1, 5], [1, 5, 6]], "then with the whole list so far", hint, stop=True)
    if got == [5, 6, 5, 2]:
        hint = "the end id is kept; leave it out"
    elif got[:1] == [1]:
        hint = "the start token is kept; leave it out"
    elif len(got) > 3 or len(seen) > 4:
        hint = "it went on after the end id: stop there"
    else:
        hint = "append the index of the largest logit"
    report.expect(got == [5, 6, 5] and len(seen) == 4, "it stops at the end id and leaves it out", hint, stop=True)
    got = run([5], 4)
    hint = f"with max_length=4 it was asked {len(seen)} times: count the calls"
    if len(seen) == 4:
        hint = "the last id is no end here, so it belongs to the result"
    report.expect(got == [5] * 4 and len(seen) == 4, "without an end id it stops after max_length calls", hint)
    got = run([5, 1, 6, 2], 9)
    hint = "a start id that the model generates is an ordinary token: drop the first token, not every start id"
    report.expect(got == [5, 1, 6], "a generated start id stays in the result", hint)
    report.expect(run([2], 9) == [], "an immediate end gives the empty list", "nothing was generated before the end")
    seen.clear()
    ties = np.array([[0.0, 0.0, 0.0, 3.0, 0.0, 3.0], [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]])
    got = report.call(greedy_decode, lambda tokens: ties[min(len(tokens), 2) - 1], 1, 2, 5)
    report.expect(list(got) == [3], "of equal logits the first wins", "np.argmax takes the first of ties")


@self_check("exact_match_by_length")
def check_exact_match_by_length(report, exact_match_by_length):
    """Check `exact_match_by_length` on five rows of lengths 1, 3 and 4 (2, if one takes the id 0 for padding)."""
    target = np.pad([[5, 0, 0, 0], [6, 7, 2, 0], [8, 7, 2, 0], [6, 6, 6, 2], [5, 0, 2, 0]], ((0, 0), (0, 2)))
    predicted = np.pad([[5, 9, 9, 9], [6, 7, 2, 5], [8, 8, 2, 0], [6, 6, 6, 5], [5, 9, 2, 0]], ((0, 0), (0, 2)))
    lengths = np.array([1, 3, 3, 4, 3])  # five, and six columns: without a second axis they do not fit
    hints = {"broadcast": "The lengths are (N,): give them a second axis, [:, None]"}
    got = report.call(explain_errors(exact_match_by_length, hints), predicted, target, lengths)
    report.expect(isinstance(got, dict), "it returns a dict", f"got {type(got).__name__}", stop=True)
    hint = "one key for each length that occurs; no others" if len(got) > 3 else "the keys are the lengths themselves"
    keys = {int(k) for k in got}
    if keys == {1, 2, 3, 4}:
        hint = "a real id may be 0: use the `lengths` handed in, do not count ids"
    report.expect(keys == {1, 3, 4}, "its keys are the lengths that occur", hint, stop=True)
    got = {int(k): float(v) for k, v in got.items()}
    report.expect(max(got.values()) <= 1, "its values are fractions from 0 to 1", "not counts or percent", stop=True)
    if np.isclose(got[1], 1 / 5):
        hint = "you divide by the number of all rows: each length averages its own rows"
        report.expect(False, "each length averages its own rows", hint, stop=True)
    hint = "it compares the padding too; only the first `length` positions count"
    report.expect(got[1] == 1, "what is predicted after the end does not matter", hint)
    hint = "the last real position, the end mark, has to be right as well: off by one?"
    if got[4] == 0.75 or np.isclose(got[3], 7 / 9):
        hint = "that is token accuracy: one wrong token makes the whole row wrong"
    elif got[4] == 1 and np.isclose(got[3], 1):
        hint = "all positions have to be right, any is not enough"
    report.expect(got[4] == 0, "a row with one wrong token counts as wrong", hint)
    if np.isclose(got[3], 2 / 3):
        hint = "a real id may be 0: take the real positions from `lengths`, not from the ids"
    elif np.isclose(got[3], 1) and got[4] == 0:
        hint = "that is a count: divide by the number of rows of this length"
    else:
        hint = "length 3 occurs three times, and one of these rows is right"
    report.expect(np.isclose(got[3], 1 / 3), "each length averages its own rows", hint)
