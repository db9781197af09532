# %% wrong: mask_lost_without_keys
# says: If key is None, the function calls itself with the values as keys but does not pass the mask on, so without keys the mask is ignored.
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        return additive_attention(query, value, value, w_query, w_key, v)
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    return weights @ value, weights


# %% wrong: mask_indexed_by_sentence
# says: In the loop over the sentences it takes mask[b] whatever the mask's shape; for a mask (T, S) that is the row of one query, used for all queries of sentence b (and an error if the batch is larger than T).
def additive_attention(query, value, key, w_query, w_key, v, mask=None):
    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    contexts, all_weights = [], []
    for b in range(len(query)):
        w = given_masked_softmax(scores[b], None if mask is None else mask[b])
        all_weights.append(w)
        contexts.append(w @ value[b])
    return np.stack(contexts), np.stack(all_weights)
