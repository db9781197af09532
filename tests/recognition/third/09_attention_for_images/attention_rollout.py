# %% wrong: heads_followed_apart
# says: Each head is multiplied through all layers by itself and the mean over the heads is taken at the end, instead of in each layer.
def attention_rollout(attentions):
    eye = np.eye(attentions[0].shape[-1])
    result = eye
    for weights in attentions:
        mixed = (np.asarray(weights) + eye) / 2
        mixed = mixed / mixed.sum(axis=-1, keepdims=True)
        result = mixed @ result
    return result.mean(axis=1)


# %% wrong: only_the_identity_halved
# says: For want of brackets only the identity is halved, and the division by the row sums hides it.
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    result = None
    for weights in attentions:
        mixed = np.mean(weights, axis=1) + np.eye(T) / 2
        mixed = mixed / mixed.sum(axis=-1, keepdims=True)
        result = mixed if result is None else mixed @ result
    return result


# %% wrong: rows_divided_too_early
# says: The rows of the attention are divided by their sum before the identity is added, not after, which differs where they do not sum to 1.
def attention_rollout(attentions):
    first = np.asarray(attentions[0])
    result = np.broadcast_to(np.eye(first.shape[-1]), (first.shape[0], *first.shape[2:]))
    for weights in attentions:
        mean = np.asarray(weights).mean(axis=1)
        mean = mean / np.maximum(mean.sum(axis=-1, keepdims=True), 1e-12)
        result = 0.5 * (mean + np.eye(mean.shape[-1])) @ result
    return result


# %% right: way_1
# why: recursion from the last layer, heads joined by einsum; halving cancels out in the division by the row sums
def attention_rollout(attentions):
    *earlier, last = attentions
    last = np.asarray(last, dtype="float64")
    heads, tokens = last.shape[1], last.shape[2]
    mixed = np.einsum("bhij->bij", last) / heads
    mixed[:, range(tokens), range(tokens)] += 1
    mixed /= np.einsum("bij->bi", mixed)[:, :, None]
    return np.einsum("bij,bjk->bik", mixed, attention_rollout(earlier)) if earlier else mixed
