# %% wrong: limit_counts_the_start
# says: The loop runs while the list, start id included, is shorter than max_length, so there is one call too few.
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) < max_length:
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]


# %% wrong: removes_every_start_id
# says: Filters all start ids out of the result, also those that the model generated as ordinary ids.
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return [t for t in tokens if t != start_id]


# %% right: iter_with_sentinel
# why: Uses iter(function, end_id), which stops by itself at the end id, and list.index(max) instead of np.argmax.
def greedy_decode(next_logits, start_id, end_id, max_length):
    out = []

    def choose():
        logits = list(next_logits([start_id] + out))
        return logits.index(max(logits))

    calls = iter(choose, end_id)
    for _ in range(max_length):
        word = next(calls, None)
        if word is None:
            break
        out.append(word)
    return out
