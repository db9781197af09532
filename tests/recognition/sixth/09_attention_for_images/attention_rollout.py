# %% wrong: adds_identity_in_place
# says: Adds the identity to the caller's arrays with +=, so the attention weights that were passed in are modified. The returned numbers are right.
def attention_rollout(attentions):
    product = None
    for a in attentions:
        a += np.eye(a.shape[-1], dtype=a.dtype)
        layer = a.mean(axis=1) / 2
        layer = layer / layer.sum(axis=-1, keepdims=True)
        product = layer if product is None else layer @ product
    return product


# %% wrong: normalises_before_the_identity
# says: Divides the rows of the mean attention by their sums before the identity is added, not after, so that rows that do not sum to 1 get the wrong balance between attention and residual.
def attention_rollout(attentions):
    result = np.eye(np.shape(attentions[0])[-1])[None]
    for weights in attentions:
        mean = np.mean(weights, axis=1)
        mean = mean / np.sum(mean, axis=-1, keepdims=True)
        layer = 0.5 * (mean + np.eye(mean.shape[-1]))
        result = layer @ result
    return result
