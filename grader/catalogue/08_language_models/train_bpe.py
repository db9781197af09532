# %% wrong: counts_words_once
# says: Each word counts once in yours, however often the text contains it. Add the count of the word for each of its pairs.
# self-check: each word once
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for symbols in words.values():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + 1
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: a_pair_once_a_word
# says: A pair that a word contains twice counts once for it in yours. Add the word's count each time that the pair stands there.
# self-check: once for each word
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in set(zip(symbols, symbols[1:])):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: first_seen
# says: Of equally frequent pairs yours takes the one it saw first, so the result depends on the order of the words. Take the smallest.
# self-check: ties
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: largest_of_ties
# says: Of equally frequent pairs yours takes the largest. The maximum of (count, pair) does that; it should be the smallest pair.
# self-check: ties
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: ties_by_joined_text
# says: Of equally frequent pairs you compare the joined texts. Compare the pairs themselves, first symbol by first symbol.
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], "".join(pair)))
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: counts_only_at_the_start
# says: You count the pairs once and take the most frequent ones of that list. After each merge there are new symbols, so count again.
# self-check: count
def train_bpe(word_counts, num_merges):
    pairs = {}
    for word, count in word_counts.items():
        for pair in zip(word, word[1:]):
            pairs[pair] = pairs.get(pair, 0) + count
    return sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:num_merges]

# %% wrong: does_not_stop
# says: When every word is a single symbol there is no pair left. Yours goes on and fails; stop and return the shorter list.
# self-check: ValueError
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: joined_merges
# says: Your list holds joined texts. A merge is a pair: from "abc" alone nobody knows which two symbols were merged.
# self-check: list of pairs
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append("".join(best))
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: replaces_in_the_dict
# says: You put the merged words into word_counts itself, so the caller's dict changes. Work on a dict of your own.
# self-check: word_counts
def train_bpe(word_counts, num_merges):
    word_counts, mine, merges = {}, word_counts, []
    for word in list(mine):
        word_counts[tuple(word)] = mine.pop(word)
    while len(merges) < num_merges:
        pairs = {}
        for symbols, count in word_counts.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        word_counts = {tuple(apply_bpe(symbols, [best])): count for symbols, count in word_counts.items()}
    return merges

# %% wrong: longest_merge_first
# says: You apply the longest merges first. The order learned decides, because later merges were learned from what earlier ones made.
# self-check: order learned
def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in sorted(merges, key=lambda pair: -len("".join(pair))):
        merged = []
        for symbol in symbols:
            if merged and merged[-1] == first and symbol == second:
                merged[-1] = first + second
            else:
                merged.append(symbol)
        symbols = merged
    return symbols

# %% wrong: longest_subword_from_the_left
# says: You look for the longest known subword from the left, as WordPiece does. Byte-pair encoding applies its merges one after another.
# self-check: order learned
def apply_bpe(word, merges):
    known, word, symbols = {first + second for first, second in merges}, "".join(word), []
    while word:
        size = next(n for n in range(len(word), 0, -1) if n == 1 or word[:n] in known)
        symbols.append(word[:size])
        word = word[size:]
    return symbols


def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for word, symbols in words.items():
            merged = []
            for symbol in symbols:
                if merged and (merged[-1], symbol) == best:
                    merged[-1] += symbol
                else:
                    merged.append(symbol)
            words[word] = merged
    return merges

# %% wrong: blanks_are_lost
# says: A blank of the word is lost, because you use blanks to keep the symbols apart. It is a character like any other, so use a list.
# self-check: a blank can be part of a pair
def train_bpe(word_counts, num_merges):
    words, merges = {word: " ".join(word).split() for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% wrong: blanks_of_a_new_word_are_lost
# says: A blank of the word is lost when you split it. It is a character like any other.
# self-check: a blank is a character of the word
def apply_bpe(word, merges):
    symbols = [symbol for symbol in word if symbol.strip()]
    for first, second in merges:
        merged = []
        for symbol in symbols:
            if merged and merged[-1] == first and symbol == second:
                merged[-1] = first + second
            else:
                merged.append(symbol)
        symbols = merged
    return symbols

# %% wrong: small_letters
# says: You write the word in small letters first. A capital is a character like any other, and the symbols of a word give the word again.
def apply_bpe(word, merges):
    symbols = list(word.lower())
    for first, second in merges:
        merged = []
        for symbol in symbols:
            if merged and merged[-1] == first and symbol == second:
                merged[-1] = first + second
            else:
                merged.append(symbol)
        symbols = merged
    return symbols

# %% wrong: joined_by_underscores
# says: You write the symbols as one text with _ between them, so a word that holds this sign itself is split wrongly. Keep them in a list.
def apply_bpe(word, merges):
    text = "_" + "__".join(word) + "_"
    for first, second in merges:
        text = text.replace(f"_{first}__{second}_", f"_{first}{second}_")
    return text[1:-1].split("__")

# %% wrong: misses_neighbours
# says: A text replacement with blanks around the symbols misses a pair that begins right after another one, as in a b a b: both want the
#   blank between them.
# self-check: several times
def apply_bpe(word, merges):
    text = " " + " ".join(word) + " "
    for first, second in merges:
        text = text.replace(f" {first} {second} ", f" {first}{second} ")
    return text.split()

# %% wrong: merges_once_per_word
# says: Each merge is applied only at its first place in the word. It should be applied wherever the pair occurs.
# self-check: several times
def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        for i in range(len(symbols) - 1):
            if symbols[i] == first and symbols[i + 1] == second:
                symbols[i : i + 2] = [first + second]
                break
    return symbols

# %% wrong: until_nothing_changes
# says: You start again from the first merge until nothing changes. Each merge has one turn, in the order learned.
# self-check: one turn
def apply_bpe(word, merges):
    symbols, before = list(word), None
    while symbols != before:
        before = list(symbols)
        for first, second in merges:
            merged = []
            for symbol in symbols:
                if merged and merged[-1] == first and symbol == second:
                    merged[-1] = first + second
                else:
                    merged.append(symbol)
            symbols = merged
    return symbols

# %% wrong: from_right_to_left
# says: You go from right to left, so of three equal symbols the last two are merged. It should be the first two.
# self-check: left to right
def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        i = len(symbols) - 2
        while i >= 0:
            if symbols[i] == first and symbols[i + 1] == second:
                symbols[i : i + 2] = [first + second]
                i -= 1
            i -= 1
    return symbols

# %% wrong: returns_text
# says: The subwords come back as one text with blanks. Return a list.
# self-check: list of texts
def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        merged = []
        for symbol in symbols:
            if merged and merged[-1] == first and symbol == second:
                merged[-1] = first + second
            else:
                merged.append(symbol)
        symbols = merged
    return " ".join(symbols)


def train_bpe(word_counts, num_merges):
    raise RuntimeError("not reached")

# %% wrong: text_without_merges
# says: Without a merge you return the text itself. Begin with the list of its characters.
def apply_bpe(word, merges):
    symbols = word
    for first, second in merges:
        merged = []
        for symbol in list(symbols):
            if merged and merged[-1] == first and symbol == second:
                merged[-1] = first + second
            else:
                merged.append(symbol)
        symbols = merged
    return symbols

# %% wrong: no_pair_at_all
# says: You take the largest of no pairs, which is an error. Ask whether there is a pair first.
def train_bpe(word_counts, num_merges):
    words, merges = {word: list(word) for word in word_counts}, []
    while len(merges) < num_merges:
        pairs = {}
        for word, symbols in words.items():
            for pair in zip(symbols, symbols[1:]):
                pairs[pair] = pairs.get(pair, 0) + word_counts[word]
        best = max(sorted(pairs), key=pairs.get)
        if not pairs:
            break
        merges.append(best)
        words = {word: apply_bpe(symbols, [best]) for word, symbols in words.items()}
    return merges

# %% right: with_a_counter
# why: a Counter, and a minimum over (-count, pair)
def train_bpe(word_counts, num_merges):
    from collections import Counter

    words = [(list(word), count) for word, count in word_counts.items()]
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for symbols, count in words:
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += count
        if len(pairs) == 0:
            return merges
        merges.append(min(pairs, key=lambda pair: (-pairs[pair], pair)))
        words = [(apply_bpe("".join(symbols), merges), count) for symbols, count in words]
    return merges

# %% right: index_loop
# why: a while loop over places, and lists in place of tuples
def train_bpe(word_counts, num_merges):
    words, merges = {word: tuple(word) for word in word_counts}, []
    for _ in range(num_merges):
        pairs = {}
        for word, symbols in words.items():
            for a, b in zip(symbols[:-1], symbols[1:]):
                pairs[a, b] = pairs.get((a, b), 0) + word_counts[word]
        most = max(pairs.values(), default=0)
        if most == 0:
            break
        merges.append(list(sorted(pair for pair, count in pairs.items() if count == most)[0]))
        words = {word: apply_bpe(word, merges) for word in words}
    return merges


def apply_bpe(word, merges):
    symbols = [*word]
    for pair in merges:
        i, made = 0, []
        while i < len(symbols):
            if symbols[i : i + 2] == list(pair):
                made.append(symbols[i] + symbols[i + 1])
                i += 2
            else:
                made.append(symbols[i])
                i += 1
        symbols = made
    return symbols

# %% right: in_place
# why: the list of symbols is shortened in place, from left to right
def apply_bpe(word, merges):
    symbols = list(word)
    for first, second in merges:
        i = 0
        while i < len(symbols) - 1:
            if symbols[i] == first and symbols[i + 1] == second:
                symbols[i] += symbols.pop(i + 1)
            i += 1
    return symbols

# %% equivalent
# because: every pair that occurs gets the same number more, which changes neither their order nor a tie
# was: pairs[pair] = pairs.get(pair, 0) + word_counts[word]
# now: pairs[pair] = pairs.get(pair, 1) + word_counts[word]
# was: pairs[pair] = pairs.get(pair, 0) + word_counts[word]
# now: pairs[pair] = pairs.get(pair, -1) + word_counts[word]
