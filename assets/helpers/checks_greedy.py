"""Self-check of notebook 1: greedy decoding."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, observed


@self_check("greedy_decode")
def check_greedy_decode(report, greedy_decode):
    """Check `greedy_decode` with models that are a few lines long."""
    seen = []

    def scripted(words, offset=-3.0):
        def next_logits(tokens):
            seen.append([int(t) for t in tokens])
            if len(seen) > 50:
                raise RuntimeError("asked for the 51st time: the loop does not stop")
            return np.eye(8)[words[min(len(seen), len(words)) - 1]] + offset

        return next_logits

    def run(words, max_length, start=1, end=2, offset=-3.0):  # all logits are negative
        seen.clear()
        return [int(t) for t in report.call(greedy_decode, scripted(words, offset), start, end, max_length)]

    def asked(wanted):
        return Observed(f"Your function asks {len(seen)} times and returns {got}, and {wanted} is expected. ")

    got = run([5, 6, 5, 2, 7], 9)
    first = observed(seen[0] if seen else None, [1], "What is known before the first word?")
    report.expect(seen[:1] == [[1]], "the model is asked first with [start_id]", first, stop=True)
    then = seen[1:3]
    hint = Observed(f"Then it was asked with {then}. Which index has the largest logit, and what was said so far?")
    if then == [[5], [6]]:
        hint = "it got only the last token; give it the whole list so far, start_id first"
    elif then == [[5], [5, 6]]:
        hint = "the start token got lost; give it the whole list so far, start_id first"
    elif len(seen) == 1:
        hint = "the model was asked once only; each further id is a new question, with the whole list so far"
    elif then == [[1, 0], [1, 0, 0]] and run([5, 6, 5, 2, 7], 9, offset=1.0) == [5, 6, 5]:
        hint = "logits above 0 are chosen rightly, logits below 0 never: the largest logit may be negative"
    report.expect(then == [[1, 5], [1, 5, 6]], "then with the whole list so far", hint, stop=True)
    if len(seen) > 4:
        hint = "it went on after the end id: stop there"
    elif got == [5, 6, 5, 2]:
        hint = "the end id is kept; leave it out"
    elif got[:1] == [1]:
        hint = "the start token is kept; leave it out"
    else:
        hint = Observed(asked([5, 6, 5]) + "Which ids does the model choose before the end?")
    report.expect(got == [5, 6, 5] and len(seen) == 4, "it stops at the end id and leaves it out", hint, stop=True)
    got = run([5], 4)
    hint = Observed(asked([5] * 4) + "With max_length=4, count the calls. Which of them add a word?")
    if len(seen) == 4 and got == [5] * 3:
        hint = "the last id is no end here, so it belongs to the result"
    report.expect(got == [5] * 4 and len(seen) == 4, "without an end id it stops after max_length calls", hint)
    got = run([5, 1, 6, 2], 9)
    hint = Observed(asked([5, 1, 6]) + "What does id 1 mean after the first place?")
    if got == [5, 6] and run([5, 1, 6, 2], 9) == [5, 6] and run([5, 3, 1, 2], 9, start=3) == [5, 1]:
        hint = "a start id that the model generates is an ordinary token: drop the first token, not every start id"
    report.expect(got == [5, 1, 6], "a generated start id stays in the result", hint)
    got = run([2], 9)
    report.expect(got == [], "an immediate end gives the empty list", asked([]))
    got = run([2, 6, 4], 3, 3, 4)
    hint = Observed(asked([2, 6]) + "Which argument says where a sentence ends?")
    if got == [] and len(seen) == 1 and run([6, 2, 4], 3, 3, 4) == [6]:
        hint = "yours stops at id 2, and end_id is 4 here: use the argument"
    report.expect(got == [2, 6], "start_id and end_id are arguments", hint)
    seen.clear()
    ties = np.array([[0.0, 0.0, 0.0, 3.0, 0.0, 3.0], [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]])
    got = list(report.call(greedy_decode, lambda tokens: ties[min(len(tokens), 2) - 1], 1, 2, 5))
    hint = observed(got, [3], "Which index does np.argmax return for equal numbers?")
    hint = "yours takes the last; np.argmax takes the first of ties" if got == [5] else hint
    report.expect(got == [3], "of equal logits the first wins", hint)
