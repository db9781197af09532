# %% wrong: later_from_the_right
# says: Each later layer is multiplied from the right, which gives A_1 A_2 ... A_L; later layers have to be multiplied from the left.
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for layer in attentions:
        a = 0.5 * (np.mean(layer, axis=1) + np.eye(T))
        a = a / a.sum(axis=-1, keepdims=True)
        rollout = rollout @ a
    return rollout


# %% wrong: divided_before_identity
# says: The rows are divided by their sums before the identity is added, but this has to happen after adding and halving, so rows with other sums than 1 get wrong shares.
def attention_rollout(attentions):
    result = None
    for layer in attentions:
        mean = np.asarray(layer, dtype="float64").mean(axis=1)
        sums = mean.sum(axis=-1, keepdims=True)
        mean = mean / np.where(sums > 0, sums, 1.0)
        step = (mean + np.identity(mean.shape[-1])) / 2
        result = step if result is None else np.einsum("bij,bjk->bik", step, result)
    return result


# %% wrong: takes_layers_out
# says: The layers are removed from the list that was given, so the caller's list is changed.
def attention_rollout(attentions):
    def one_layer(weights):
        B, H, T, _ = weights.shape
        m = sum(weights[:, h].astype("float64") for h in range(H)) / H
        m = (m + np.eye(T)) / 2
        return m / np.sum(m, axis=2)[:, :, None]

    result = one_layer(attentions.pop(0))
    while attentions:
        result = np.matmul(one_layer(attentions.pop(0)), result)
    return result


# %% right: way_1
# why: Never builds the sum with the identity: (A R + R) / (row sum of A + 1) is the same, because the half cancels in the division.
def attention_rollout(attentions):
    R = np.broadcast_to(np.eye(np.shape(attentions[0])[-1]), (np.shape(attentions[0])[0],) + np.shape(attentions[0])[2:])
    for layer in attentions:
        A = np.asarray(layer).astype("float64").mean(axis=1)
        R = (A @ R + R) / (A.sum(axis=-1, keepdims=True) + 1.0)
    return np.array(R)
