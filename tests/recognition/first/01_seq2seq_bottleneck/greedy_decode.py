# %% wrong: cuts_afterwards
# says: lets the model write all max_length words and cuts at the end id afterwards, so it is asked on after the end
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        tokens.append(int(np.argmax(next_logits(tokens))))
    result = tokens[1:]
    if end_id in result:
        result = result[: result.index(end_id)]
    return result


# %% wrong: end_id_is_always_2
# says: stops at id 2 because German's end mark is 2, whatever end_id says
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argmax(next_logits(tokens)))
        if best == 2:
            break
        tokens.append(best)
    return tokens[1:]


# %% wrong: only_the_last_word
# says: gives the model the previous word only, as if it remembered the rest
def greedy_decode(next_logits, start_id, end_id, max_length):
    word, result = start_id, []
    for _ in range(max_length):
        word = int(np.argmax(next_logits([word])))
        if word == end_id:
            break
        result.append(word)
    return result


# %% wrong: end_included
# says: appends before it compares, so the end id is part of the result
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        tokens.append(int(np.argmax(next_logits(tokens))))
        if tokens[-1] == end_id:
            break
    return tokens[1:]


# %% right: way_1
# why: a while loop and the largest logit searched by hand, without NumPy
def greedy_decode(next_logits, start_id, end_id, max_length):
    written = []
    while len(written) < max_length:
        logits = list(next_logits([start_id] + written))
        best = 0
        for v in range(1, len(logits)):
            if logits[v] > logits[best]:
                best = v
        if best == end_id:
            return written
        written.append(best)
    return written


# %% right: way_2
# why: an integer array of the full size is filled step by step; the model gets lists cut from it, the result holds numpy ints
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = np.empty(max_length + 1, dtype=np.int64)
    tokens[0] = start_id
    for n in range(1, max_length + 1):
        logits = np.asarray(next_logits(tokens[:n].tolist()))
        tokens[n] = np.flatnonzero(logits == logits.max())[0]
        if tokens[n] == end_id:
            return list(tokens[1:n])
    return list(tokens[1:])
