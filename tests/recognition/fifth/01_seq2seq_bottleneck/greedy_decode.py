# %% wrong: one_call_ahead
# says: It asks the model for the next logits right after each append, so when no end id comes the model is called max_length + 1 times, once more than allowed.
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    logits = next_logits(tokens)
    for _ in range(max_length):
        word = int(np.argmax(logits))
        if word == end_id:
            break
        tokens.append(word)
        logits = next_logits(tokens)
    return tokens[1:]


# %% wrong: best_starts_at_zero
# says: The search for the largest logit starts with the value 0, so if all logits are negative (or none is above 0) it always chooses word 0 instead of the largest.
def greedy_decode(next_logits, start_id, end_id, max_length):
    def largest(logits):
        best_word, best = 0, 0.0
        for word, value in enumerate(logits):
            if value > best:
                best_word, best = word, value
        return best_word

    tokens = [start_id]
    calls = 0
    while calls < max_length:
        word = largest(next_logits(tokens))
        calls += 1
        if word == end_id:
            break
        tokens.append(word)
    return tokens[1:]


# %% right: iter_with_sentinel
# why: iter(step, end_id) calls step until it returns the end id, and islice stops after max_length items without one more call. The start id is only in the list that the model sees.
def greedy_decode(next_logits, start_id, end_id, max_length):
    from itertools import islice

    so_far = [start_id]

    def step():
        so_far.append(int(np.argmax(next_logits(list(so_far)))))
        return so_far[-1]

    return list(islice(iter(step, end_id), max_length))
