# %% wrong: start_counts_as_call
# says: The length of the list is compared with max_length although it includes the start id, so the model is called at most max_length - 1 times.
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) < max_length:
        best = int(np.argmax(next_logits(list(tokens))))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]


# %% wrong: removes_every_start_id
# says: All ids equal to start_id are filtered out of the result, also those that the model generated itself, which are ordinary ids.
def greedy_decode(next_logits, start_id, end_id, max_length):
    so_far = [start_id]
    for _ in range(max_length):
        logits = np.asarray(next_logits(so_far.copy()))
        so_far.append(int(logits.argmax()))
        if so_far[-1] == end_id:
            break
    return [w for w in so_far if w not in (start_id, end_id)]


# %% wrong: best_starts_at_zero
# says: The search for the largest logit starts with the value 0, so if all logits are negative none is larger and id 0 is taken.
def greedy_decode(next_logits, start_id, end_id, max_length):
    generated = []
    for _ in range(max_length):
        choice, highest = 0, 0.0
        for word, logit in enumerate(next_logits([start_id] + generated)):
            if logit > highest:
                choice, highest = word, logit
        if choice == end_id:
            return generated
        generated.append(choice)
    return generated


# %% right: iter_with_sentinel
# why: two-argument iter stops at the end id and islice stops after max_length ids, so the call that returns the end counts too
def greedy_decode(next_logits, start_id, end_id, max_length):
    from itertools import islice

    tokens = [start_id]

    def write():
        tokens.append(int(np.argmax(next_logits(tokens[:]))))
        return tokens[-1]

    return list(islice(iter(write, end_id), max_length))
