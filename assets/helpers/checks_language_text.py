"""Self-checks of notebook 8: subwords, and hidden tokens."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, describe_error


def _pairs(report, result, say=False):
    """Return merges as a list of tuples; the check ends, with a line, if they are nothing of the kind."""
    shaped = isinstance(result, list | tuple) and all(isinstance(p, list | tuple) and len(p) == 2 for p in result)
    if say or not shaped:
        report.expect(shaped, "train_bpe returns a list of pairs", Observed(f"Yours is {result!r}"[:120]), stop=True)
    return [tuple(pair) for pair in result]


@self_check("train_bpe")
def check_train_bpe(report, train_bpe, apply_bpe):
    """Check splitting by given merges first, since learning may use it, then learning."""

    def split(word, merges):
        try:
            return apply_bpe(word, list(merges))
        except NotImplementedError:
            return report.call(apply_bpe, word, merges)  # says that it is not written
        except Exception as error:
            report.error = error
            said = Observed(f"apply_bpe({word!r}, {merges}) raised {describe_error(error)}")
            return report.expect(False, "apply_bpe runs", said, stop=True)

    got = split("abc", [("b", "c"), ("a", "b")])
    listed = isinstance(got, list | tuple) and all(isinstance(s, str) for s in got)
    report.expect(listed, "apply_bpe returns a list of texts", Observed(f"Yours is {got!r}"[:120]), stop=True)
    both = list(got), list(split("abc", [("a", "b"), ("ab", "c")]))
    hint = Observed(f"'abc' becomes {both[0]} by b c and a b, {both[1]} by a b and ab c. Which merge comes first?")
    if both[0] == ["abc"] and split("cbc", [("b", "c"), ("a", "b")]) == ["c", "bc"]:
        hint = "yours joins a with bc, though the merge is a b: compare whole symbols"
    report.expect(both == (["a", "bc"], ["abc"]), "merges are applied in the order learned", hint)
    got = list(split("abc", [("ab", "c"), ("a", "b")]))
    hint = Observed(f"'abc' becomes {got} by ab c and a b. How often is each merge applied?")
    if got == ["abc"]:
        hint = "yours goes back to an earlier merge: walk through the word once for each merge"
    report.expect(got == ["ab", "c"], "each merge has one turn", hint)
    got = list(split("ababaa", [("a", "b"), ("a", "a")]))
    hint = Observed(f"'ababaa' becomes {got} by a b and a a. Where do you go on after a merged pair?")
    report.expect(got == ["ab", "ab", "aa"], "a word may contain a pair several times", hint)
    got = list(split("aaa", [("a", "a")]))
    hint = Observed(f"'aaa' becomes {got}. Which two letters do you meet first?")
    report.expect(got == ["aa", "a"], "a merge works from left to right", hint)
    got = list(split("ba", [("a", "b")]))
    report.expect(got == ["b", "a"], "a pair has an order", Observed(f"'ba' becomes {got} by a b. Is b a the same?"))
    got = list(split("a b", [("a", " ")]))
    hint = Observed(f"'a b' becomes {got} by the pair of a and a blank. Which characters has this word?")
    report.expect(got == ["a ", "b"], "a blank is a character of the word", hint)
    counts = {"thin": 2, "this": 1, "in": 4, "on": 9}
    got = _pairs(report, report.call(train_bpe, counts, 4), say=True)
    hint = Observed(f"Yours begins with {got[:1]}. How often does the text contain o n?")
    if got[:1] == [("h", "i")]:
        hint = "yours counts each word once: a pair counts as often as the text contains the word"
    report.expect(got[:1] == [("o", "n")], "the most frequent pair comes first", hint, stop=True)
    hint = Observed(f"Yours is {got[1:2]}. How often does i n occur?")
    report.expect(got[1:2] == [("i", "n")], "then the next one", hint, stop=True)
    hint = Observed(f"Yours is {got[2:3]}. After i n is merged, how often does each pair occur in all words?")
    report.expect(got[2:3] == [("t", "h")], "pairs are counted again after each merge", hint, stop=True)
    hint = Observed(f"The fourth merge is {got[3:]}. Can th be part of a pair?")
    report.expect(got[3:] == [("th", "in")], "a merged pair is one symbol", hint)
    hint = Observed(f"It is {counts} now. Do you write into it?"[:120])
    report.expect(counts == {"thin": 2, "this": 1, "in": 4, "on": 9}, "word_counts stays as it is", hint)
    got = _pairs(report, report.call(train_bpe, {"cb": 2, "ca": 2, "ba": 2}, 3))
    hint = Observed(f"Yours is {got}. All three occur twice. Which is the smallest, as Python compares tuples?")
    report.expect(got == [("b", "a"), ("c", "a"), ("c", "b")], "ties go to the smallest pair", hint)
    got = _pairs(report, report.call(train_bpe, {"abab": 2, "cd": 3}, 1))
    hint = Observed(f"Yours is {got}. How often does abab contain a b?")
    if got == [("c", "d")]:
        hint = "yours counts a pair once for each word: abab contains a b twice, so two such words count four times"
    report.expect(got == [("a", "b")], "a pair counts each time that a word contains it", hint)
    got = _pairs(report, report.call(train_bpe, {"ab": 1, "c": 5}, 7))
    hint = Observed(f"Yours is {got}. Is a pair left after a b?")
    report.expect(got == [("a", "b")], "it stops when no pair is left", hint)
    got = _pairs(report, report.call(train_bpe, {" so": 3, "o s": 1}, 3))
    hint = Observed(f"For ' so' and 'o s' yours is {got}. How often does a blank come before s?")
    if got == [("s", "o"), ("o", "s")]:
        hint = "yours loses the blank of ' so' and 'o s': it is a character like any other"
    report.expect(got == [(" ", "s"), (" s", "o"), ("o", " s")], "a blank can be part of a pair", hint)


@self_check("mask_tokens")
def check_mask_tokens(report, mask_tokens):
    """Check the selection, then what becomes of the selected tokens, on an array so large that shares are steady."""
    ids = np.random.default_rng(17).integers(0, 8, size=(300, 400))
    special, before = [0, 1, 5], ids.copy()
    result = report.call(mask_tokens, ids, 8, 5, special, np.random.default_rng(3), 0.4)
    hint = Observed(f"Yours is a {type(result).__name__}. What comes after return?")
    report.expect(isinstance(result, tuple | list) and len(result) == 2, "it returns two arrays", hint, stop=True)
    inputs = report.array(result[0], ids.shape, "i", "inputs")
    selected = report.array(result[1], ids.shape, "b", "selected")
    ordinary = ~np.isin(ids, special)
    hint = Observed(f"{selected[~ordinary].sum()} of them are. Which two conditions have to hold for a token?")
    report.expect(not selected[~ordinary].any(), "special tokens are not selected", hint)
    spread = all(4.5 < selected.sum(axis=axis).std() < 13 for axis in (0, 1))
    hint = Observed("Their number in a row or a column varies too little or too much. How many numbers do you draw?")
    report.expect(spread, "each token is selected independently", hint, stop=True)
    part = ids[:40, :100]
    draws = [report.call(mask_tokens, part, 8, 5, special, np.random.default_rng(seed), 0.5) for seed in range(12)]
    draws = [(np.asarray(new), np.asarray(chosen)) for new, chosen in draws]
    hint = Observed("Two generators lead to the same selection. Where do your random numbers come from?")
    same = np.array_equal(draws[0][1], draws[1][1])
    report.expect(not same, "another generator selects other tokens", hint, stop=True)
    # the number selected of about 2,500 scatters by 25; 12 of them scatter by less than 2.4 with probability 3e-10
    totals = [int(chosen.sum()) for _, chosen in draws]
    seen = f"In 12 draws it is from {min(totals)} to {max(totals)}."
    hint = Observed(f"{seen} Is share a part of all tokens, or the chance of each?")
    scatters = np.std(totals, ddof=1) > 2.4
    report.expect(scatters, "the number of selected tokens differs from draw to draw", hint, stop=True)
    share = selected[ordinary].mean()
    hint = Observed(f"It is {share:.1%}. What do you compare with share? Is every token it picks in selected?")
    if abs(share - 0.36) < 0.01:
        hint = f"it is {share:.1%}. The 10% that stay are selected too"
    elif abs(share - 0.15) < 0.01:
        hint = f"it is {share:.1%}. Use the argument share"
    report.expect(abs(share - 0.4) < 0.012, "with share=0.4, 40% of the ordinary tokens are selected", hint, stop=True)
    hint = Observed(f"{(inputs != before)[~selected].sum()} of them changed. What decides which ones may?")
    report.expect(np.array_equal(inputs[~selected], before[~selected]), "tokens not selected stay", hint, stop=True)
    masked, stayed = (inputs == 5)[selected].mean(), (inputs == before)[selected].mean()
    hint = Observed(f"It is {masked:.1%}. What do you compare with 0.8?")
    if masked > 0.99:
        hint = f"it is {masked:.1%}. 10% get a random id, and 10% stay"
    elif masked < 0.788:
        hint = Observed(f"It is {masked:.1%}. What do you compare with 0.8, and does a later step overwrite some?")
    elif 0.812 < masked < 0.83:
        hint = Observed(f"It is {masked:.1%}. Is mask_id among the ids that you draw from?")
    report.expect(abs(masked - 0.8) < 0.012, "of the selected tokens 80% become mask_id", hint, stop=True)
    hint = Observed(f"12% should be as before (10% stay, and 2% draw their own id), and {stayed:.1%} are. Why?")
    report.expect(abs(stayed - 0.12) < 0.012, "10% of the selected tokens stay", hint)
    excess = [np.sum(new[chosen] == 5) - 0.8 * chosen.sum() for new, chosen in draws]  # scatters by 14
    hint = Observed("In 12 draws it is always 80%, give or take a token or two. Is each decided by itself?")
    report.expect(np.std(excess, ddof=1) > 1.4, "the number of masked tokens differs from draw to draw", hint)
    drawn = inputs[selected & (inputs != 5) & (inputs != before)]
    hint = Observed(f"{np.isin(drawn, special).sum()} of {len(drawn)} are special. From which ids do you draw?")
    report.expect(not np.isin(drawn, special).any(), "no special id is drawn", hint, stop=True)
    counts = np.bincount(drawn, minlength=8)[[2, 3, 4, 6, 7]]
    hint = Observed(f"Ids 2, 3, 4, 6, 7 are drawn {counts.tolist()} times. For how many tokens do you draw an id?")
    report.expect(counts.min() > 0.8 * counts.mean(), "all ordinary ids are drawn equally often", hint)
    hint = Observed("Some are left out, or special ones selected. Is every random number below 1.0?")
    everything = np.asarray(report.call(mask_tokens, ids, 8, 5, special, np.random.default_rng(4), 1.0)[1])
    report.expect(np.array_equal(everything, ordinary), "share=1.0 selects every ordinary token", hint)
    default = np.asarray(report.call(mask_tokens, ids, 8, 5, {0, 1, 5}, np.random.default_rng(5))[1])
    hint = Observed(f"{default[~ordinary].sum()} special tokens are selected then. What does np.isin make of a set?")
    report.expect(not default[~ordinary].any(), "special_ids may be a set", hint)
    share = default[ordinary].mean()
    report.expect(abs(share - 0.15) < 0.01, "without share 15% are selected", Observed(f"It is {share:.1%}."))
