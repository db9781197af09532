"""Self-checks of notebook 8: subwords, and hidden tokens."""

import numpy as np
from helpers.checks import self_check


def _pairs(report, result):
    """Return merges as a list of tuples; the check ends if they are nothing of the kind."""
    shaped = isinstance(result, list | tuple) and all(isinstance(p, list | tuple) and len(p) == 2 for p in result)
    report.expect(shaped, "train_bpe returns a list of pairs", f"got {result!r}"[:120], stop=True)
    return [tuple(pair) for pair in result]


@self_check("train_bpe")
def check_train_bpe(report, train_bpe, apply_bpe):
    """Check splitting by given merges first, since learning may use it, then learning."""
    got = report.call(apply_bpe, "abc", [("b", "c"), ("a", "b")])
    listed = isinstance(got, list | tuple) and all(isinstance(s, str) for s in got)
    report.expect(listed, "apply_bpe returns a list of texts", f"got {got!r}"[:120], stop=True)
    hint = "the merge learned first comes first, whatever longer one comes later"
    in_order = list(got) == ["a", "bc"] and list(apply_bpe("abc", [("a", "b"), ("ab", "c")])) == ["abc"]
    report.expect(in_order, "merges are applied in the order learned", hint)
    got = list(apply_bpe("abc", [("ab", "c"), ("a", "b")]))
    hint = "yours goes back to an earlier merge: walk through the word once for each merge"
    report.expect(got == ["ab", "c"], "each merge has one turn", hint)
    got = list(apply_bpe("ababaa", [("a", "b"), ("a", "a")]))
    hint = "go on after the merged pair, because the next pair may begin right there"
    report.expect(got == ["ab", "ab", "aa"], "a word may contain a pair several times", hint)
    hint = "go from left to right, and go on after the merged pair"
    report.expect(list(apply_bpe("aaa", [("a", "a")])) == ["aa", "a"], "a merge works from left to right", hint)
    report.expect(list(apply_bpe("ba", [("a", "b")])) == ["b", "a"], "a pair has an order", "b a is not a b")
    counts = {"thin": 2, "this": 1, "in": 4, "on": 9}
    got = _pairs(report, report.call(train_bpe, counts, 4))
    hint = "count the pairs of all words, and take the largest count"
    if got[:1] == [("h", "i")]:
        hint = "yours counts each word once: a pair counts as often as the text contains the word"
    report.expect(got[:1] == [("o", "n")], "the most frequent pair comes first", hint, stop=True)
    report.expect(got[1:2] == [("i", "n")], "then the next one", "replace the merged pair in the words", stop=True)
    hint = "after i n is merged, h i occurs once and t h three times: count again after each merge"
    report.expect(got[2:3] == [("t", "h")], "pairs are counted again after each merge", hint, stop=True)
    report.expect(got[3:] == [("th", "in")], "a merged pair is one symbol", "merged symbols can be merged again")
    hint = "yours changes word_counts: keep the split words in a dict of your own"
    report.expect(counts == {"thin": 2, "this": 1, "in": 4, "on": 9}, "word_counts stays as it is", hint)
    got = _pairs(report, train_bpe({"cb": 2, "ca": 2, "ba": 2}, 3))
    hint = "of equally frequent pairs take the smallest, as Python compares tuples"
    report.expect(got == [("b", "a"), ("c", "a"), ("c", "b")], "ties go to the smallest pair", hint)
    got = _pairs(report, report.call(train_bpe, {"ab": 1, "c": 5}, 7))
    report.expect(got == [("a", "b")], "it stops when no pair is left", f"yours made {len(got)} merges of 1 possible")


@self_check("mask_tokens")
def check_mask_tokens(report, mask_tokens):
    """Check the selection, then what becomes of the selected tokens, on an array so large that shares are steady."""
    rng = np.random.default_rng(17)
    ids = rng.integers(0, 8, size=(300, 400))
    special, before = [0, 1, 5], ids.copy()
    result = report.call(mask_tokens, ids, 8, 5, special, np.random.default_rng(3), 0.4)
    hint = "separate inputs and selected by a comma after return"
    report.expect(isinstance(result, tuple | list) and len(result) == 2, "it returns two arrays", hint, stop=True)
    inputs = report.array(result[0], ids.shape, "i", "inputs")
    selected = report.array(result[1], ids.shape, "b", "selected")
    ordinary = ~np.isin(ids, special)
    hint = "an id of special_ids is never selected: combine the two conditions"
    report.expect(not selected[~ordinary].any(), "special tokens are not selected", hint)
    spread = all(4.5 < selected.sum(axis=axis).std() < 13 for axis in (0, 1))
    hint = "the number in a row or a column varies too little or too much: draw for each token on its own"
    report.expect(spread, "each token is selected independently", hint, stop=True)
    share = selected[ordinary].mean()
    hint = f"it is {share:.1%}"
    if abs(share - 0.36) < 0.01:
        hint += ". Those that stay as they are are selected too"
    elif abs(share - 0.15) < 0.01:
        hint += ". Use the argument share"
    report.expect(abs(share - 0.4) < 0.012, "with share=0.4, 40% of the ordinary tokens are selected", hint, stop=True)
    hint = "only selected tokens change"
    report.expect(np.array_equal(inputs[~selected], before[~selected]), "tokens not selected stay", hint, stop=True)
    masked, stayed = (inputs == 5)[selected].mean(), (inputs == before)[selected].mean()
    hint = f"it is {masked:.1%}"
    if masked > 0.99:
        hint += ". 10% get a random id, and 10% stay"
    elif 0.812 < masked < 0.83:
        hint += ". Is mask_id among the ids that you draw from? No special id may be"
    report.expect(abs(masked - 0.8) < 0.012, "of the selected tokens 80% become mask_id", hint, stop=True)
    hint = f"12% should be as before (10% stay, and 2% draw their own id); it is {stayed:.1%}"
    report.expect(abs(stayed - 0.12) < 0.012, "10% of the selected tokens stay", hint)
    drawn = inputs[selected & (inputs != 5) & (inputs != before)]
    hint = "draw from the ids that are not special; range(vocab_size) contains the special ones too"
    report.expect(not np.isin(drawn, special).any(), "no special id is drawn", hint, stop=True)
    counts = np.bincount(drawn, minlength=8)[[2, 3, 4, 6, 7]]
    hint = "draw an id for each token on its own, from all that are not special"
    report.expect(counts.min() > 0.8 * counts.mean(), "all ordinary ids are drawn equally often", hint)
    everything = np.asarray(report.call(mask_tokens, ids, 8, 5, special, np.random.default_rng(4), 1.0)[1])
    report.expect(np.array_equal(everything, ordinary), "share=1.0 selects every ordinary token", "compare with <")
    default = np.asarray(report.call(mask_tokens, ids, 8, 5, {0, 1, 5}, np.random.default_rng(5))[1])
    hint = "np.isin takes a set for a single object: make a list of it first"
    report.expect(not default[~ordinary].any(), "special_ids may be a set", hint)
    share = default[ordinary].mean()
    report.expect(abs(share - 0.15) < 0.01, "without share 15% are selected", f"it is {share:.1%}")
    again = np.asarray(mask_tokens(ids, 8, 5, special, np.random.default_rng(6), 0.4)[1])
    hint = "draw from the generator rng that you are given, not from one of your own"
    report.expect(not np.array_equal(again, selected), "another generator selects other tokens", hint)
