# %% wrong: rows_divided_before_the_identity
# says: The mean over the heads is divided by its row sums before the identity is added and halved, instead of the row being divided at the end; if rows do not sum to 1, attention and residual get the wrong shares.
def attention_rollout(attentions):
    result = None
    for a in attentions:
        m = np.mean(a, axis=1)
        m = m / m.sum(axis=-1, keepdims=True)
        m = (m + np.eye(m.shape[-1])) / 2
        result = m if result is None else m @ result
    return result


# %% wrong: first_layer_without_identity
# says: The product starts with the plain mean over the heads of the first layer; the identity (the residual) is added only in the later layers.
def attention_rollout(attentions):
    def rows_to_one(a):
        return a / np.sum(a, axis=-1, keepdims=True)

    T = attentions[0].shape[-1]
    rollout = rows_to_one(attentions[0].mean(axis=1))
    for layer in attentions[1:]:
        mixed = 0.5 * layer.mean(axis=1) + 0.5 * np.eye(T)
        rollout = np.matmul(rows_to_one(mixed), rollout)
    return rollout
