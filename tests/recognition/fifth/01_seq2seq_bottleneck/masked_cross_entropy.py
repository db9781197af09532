# %% wrong: mean_of_sentence_means
# says: It averages within each sentence first and then over the sentences, so a token of a short sentence counts more than one of a long sentence; the mean should be over all real tokens.
def masked_cross_entropy(logits, targets, mask):
    means = []
    for scores, words, real in zip(logits, targets, mask):
        if not real.any():
            continue
        scores = scores[real]
        scores = scores - scores.max(axis=1, keepdims=True)
        log_p = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        means.append(-log_p[np.arange(len(scores)), words[real]].mean())
    return float(np.mean(means))


# %% wrong: clipped_probability
# says: The probabilities are clipped at 1e-7 before the logarithm, so no token can cost more than about 16; the loss of very unlikely words (large logits) is too small.
def masked_cross_entropy(logits, targets, mask):
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    p = np.clip(p, 1e-7, 1.0)
    right = np.take_along_axis(p, targets[..., None], axis=-1)[..., 0]
    return -np.log(right[mask]).mean()
