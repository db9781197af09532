# %% wrong: first_layer_leftmost
# says: Your order is reversed. The later layer reads what the earlier one wrote, so it multiplies from the left.
# self-check: order is reversed
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = rollout @ m if rollout.ndim == 3 else m
    return rollout

# %% wrong: no_identity
# says: The identity is missing. A token also keeps itself, because of the residual connection.
# self-check: identity is missing
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: largest_head
# says: You took the largest of the heads. Take their mean.
# self-check: largest of the heads
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.max(axis=1) + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: first_head_only
# says: You used one head only. Take the mean of all.
# self-check: one head only
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a[:, 0] + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: sum_of_heads
# says: You added the heads up, so that the identity counts too little. Take their mean.
# self-check: summed over the heads
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.sum(axis=1) + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: not_normalised
# says: Your rows do not sum to 1. Divide each by its sum.
# self-check: do not sum to 1
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + np.eye(T)
        m = m + 0
        rollout = m @ rollout
    return rollout

# %% wrong: halved_only
# says: You halved and relied on rows that sum to 1. The contract asks to divide each row by its own sum.
# self-check: row's own sum
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + np.eye(T)
        m = m / 2
        rollout = m @ rollout
    return rollout

# %% wrong: normalised_before_the_identity
# says: You divided the rows by their sums before the identity was added. Add first, divide once.
# self-check: before the identity was added
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) / a.mean(axis=1).sum(axis=-1, keepdims=True) + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: columns_normalised
# says: You divided the columns by their sums. Rows sum to 1.
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + np.eye(T)
        m = m / m.sum(axis=-2, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: entry_by_entry
# says: You multiplied entry by entry. Matrices are multiplied with @.
# self-check: entry by entry
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m * rollout if rollout.ndim == 3 else m
    return rollout

# %% wrong: last_layer_only
# says: You returned the last layer's matrix. Multiply those of all layers.
# self-check: only the last layer
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return m

# %% wrong: identity_once
# says: You added the identity in the first layer only. Every layer has a residual connection.
# self-check: belongs to every layer
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a.mean(axis=1) + (np.eye(T) if rollout.ndim == 2 else 0)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout

# %% wrong: each_head_by_itself
# says: You followed each head by itself and took the mean at the end. Take the mean of the heads in each layer: it is the mixture that the next layer reads.
# self-check: each head by itself
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in attentions:
        m = a + np.eye(T)
        m = m / m.sum(axis=-1, keepdims=True)
        rollout = m @ rollout
    return rollout.mean(axis=1)

# %% right: with_einsum
# why: the product written with letters, the mean halved as in the paper
def attention_rollout(attentions):
    B, H, T, _ = attentions[0].shape
    rollout = np.tile(np.eye(T), (B, 1, 1))
    for a in attentions:
        m = 0.5 * a.mean(axis=1) + 0.5 * np.eye(T)
        m = m / m.sum(axis=-1)[..., None]
        rollout = np.einsum("bij,bjk->bik", m, rollout)
    return rollout

# %% right: from_the_last_layer
# why: begins with the last layer and multiplies from the right
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    rollout = np.eye(T)
    for a in reversed(attentions):
        m = (a.mean(axis=1) + np.eye(T)) / 2
        rollout = rollout @ (m / m.sum(axis=-1, keepdims=True))
    return rollout

# %% right: picture_by_picture
# why: loops over pictures, np.linalg.multi_dot for several layers
def attention_rollout(attentions):
    results = []
    for b in range(len(attentions[0])):
        mixed = []
        for a in attentions:
            m = np.mean(a[b], axis=0) + np.eye(a.shape[-1])
            mixed.append(m / m.sum(axis=1, keepdims=True))
        results.append(mixed[0] if len(mixed) == 1 else np.linalg.multi_dot(mixed[::-1]))
    return np.stack(results)

# %% equivalent
# because: all layers have the same number of tokens, as rows and as columns
# was: identity = np.eye(attentions[0].shape[-1])
# now: identity = np.eye(attentions[-1].shape[-1])
# was: identity = np.eye(attentions[0].shape[-1])
# now: identity = np.eye(attentions[0].shape[-2])

# %% equivalent
# because: the sum before it is a new array
# was: mixed = mixed / mixed.sum(axis=-1, keepdims=True)
# now: mixed /= mixed.sum(axis=-1, keepdims=True)
