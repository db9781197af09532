# %% wrong: start_counts_towards_limit
# says: counts the start id towards max_length, so the model is called once too rarely
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) < max_length:
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]


# %% wrong: maximum_begins_at_zero
# says: the search for the largest logit begins with the value 0, so negative logits never win
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best, largest = 0, 0
        for v, logit in enumerate(next_logits(tokens)):
            if logit > largest:
                best, largest = v, logit
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]


# %% wrong: start_id_shown_once
# says: shows the model the start id on the first call only, later only the words written so far
def greedy_decode(next_logits, start_id, end_id, max_length):
    result = []
    for _ in range(max_length):
        best = int(np.argmax(next_logits(result if result else [start_id])))
        if best == end_id:
            break
        result.append(best)
    return result


# %% wrong: last_of_ties
# says: sorts and takes the last place, which among equal logits need not be the first
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argsort(next_logits(tokens), kind="stable")[-1])
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]


# %% right: way_3
# why: recursion, and TensorFlow's top_k, which puts the lower index first among ties
import tensorflow as tf


def greedy_decode(next_logits, start_id, end_id, max_length):
    def go_on(tokens, calls_left):
        if calls_left == 0:
            return []
        best = int(tf.math.top_k(next_logits(tokens), k=1).indices[0])
        if best == end_id:
            return []
        return [best] + go_on(tokens + [best], calls_left - 1)

    return go_on([start_id], max_length)
