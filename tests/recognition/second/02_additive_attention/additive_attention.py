# %% wrong: scores_from_values
# says: scores the queries against the values even if there are keys
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    scores = given_additive_scores(query, value, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    return weights @ value, weights


# %% wrong: mean
# says: divides the weighted sum by the number of positions once more, although weights are shares already
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    context = (weights[..., None] * value[:, None]).mean(axis=2)
    return context, weights


# %% wrong: inverted_mask
# says: thinks that True marks the padding and turns the mask round
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, None if mask is None else ~mask)
    return weights @ value, weights


# %% wrong: order
# says: returns the weights first, then the context
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    scores = given_additive_scores(query, key, w_query, w_key, v)
    weights = given_masked_softmax(scores, mask)
    return weights, weights @ value


# %% right: way_1
# why: loops: the context is summed up value by value, in lists
def additive_attention(query, value, key, w_query, w_key, v, mask=None):

    if key is None:
        key = value
    weights = given_masked_softmax(given_additive_scores(query, key, w_query, w_key, v), mask)
    B, T, S = weights.shape
    context = []
    for b in range(B):
        sentence = []
        for i in range(T):
            total = [0.0] * value.shape[-1]
            for j in range(S):
                for d in range(len(total)):
                    total[d] += float(weights[b, i, j]) * float(value[b, j, d])
            sentence.append(total)
        context.append(sentence)
    return np.array(context), weights
