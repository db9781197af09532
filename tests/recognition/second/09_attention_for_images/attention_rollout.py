# %% wrong: heads_apart
# says: follows every head by itself and takes the mean over the heads at the end instead of in each layer
def attention_rollout(attentions):
    product = None
    for a in attentions:
        mixed = (a + np.eye(a.shape[-1])) / 2
        mixed = mixed / mixed.sum(axis=-1, keepdims=True)
        product = mixed if product is None else mixed @ product
    return product.mean(axis=1)


# %% wrong: rows_divided_too_early
# says: divides the rows of the mean by their sums before the identity is added, not after
def attention_rollout(attentions):
    T = attentions[0].shape[-1]
    result = np.eye(T)
    for a in attentions:
        mean = a.mean(axis=1)
        sums = mean.sum(axis=-1, keepdims=True)
        mean = mean / np.where(sums == 0, 1, sums)
        result = 0.5 * (mean + np.eye(T)) @ result
    return result


# %% wrong: turns_the_list_round
# says: reverses the caller's list in place, and nothing may be modified
def attention_rollout(attentions):
    attentions.reverse()
    rows = None
    for a in attentions:
        step = 0.5 * (np.mean(a, axis=1) + np.eye(a.shape[-1]))
        step /= np.sum(step, axis=-1, keepdims=True)
        rows = step if rows is None else rows @ step
    return rows


# %% wrong: heads_added
# says: adds the heads up instead of taking their mean, so with several heads the residual weighs too little
def attention_rollout(attentions):
    product = np.eye(attentions[0].shape[-1])
    for layer in attentions:
        a = 0.5 * (layer.sum(axis=1) + np.eye(layer.shape[-1]))
        a = a / a.sum(axis=-1, keepdims=True)
        product = a @ product
    return product


# %% wrong: first_layer_without_identity
# says: starts from the first layer's mean as it is and adds the identity from the second layer on only
def attention_rollout(attentions):
    eye = np.eye(attentions[0].shape[-1])
    rollout = attentions[0].mean(axis=1)
    rollout = rollout / np.maximum(rollout.sum(axis=-1, keepdims=True), 1e-12)
    for a in attentions[1:]:
        a = (a.mean(axis=1) + eye) / 2
        a = a / a.sum(axis=-1, keepdims=True)
        rollout = a @ rollout
    return rollout


# %% right: from_the_last_layer
# why: loops over pictures, carries rows from the last layer to the first; no halving, since dividing by sums undoes it
def attention_rollout(attentions):
    pictures = []
    for b in range(len(attentions[0])):
        rows = np.identity(attentions[0].shape[-1])
        for layer in attentions[::-1]:
            heads = layer[b]
            a = np.identity(heads.shape[-1])
            for head in heads:
                a = a + head / len(heads)
            rows = rows @ np.diag(1 / a.sum(axis=1)) @ a
        pictures.append(rows)
    return np.array(pictures)


# %% right: keras_tokens_through_the_layers
# why: keras.ops; carries the shares x through each layer as (mean @ x + x) / (row sum + 1)
def attention_rollout(attentions):
    ops = keras.ops
    B, _, T, _ = attentions[0].shape
    x = ops.convert_to_tensor(np.tile(np.eye(T), (B, 1, 1)))
    for layer in attentions:
        mean = ops.mean(ops.convert_to_tensor(np.asarray(layer, "float64")), axis=1)
        x = (ops.matmul(mean, x) + x) / (ops.sum(mean, axis=2, keepdims=True) + 1)
    return ops.convert_to_numpy(x)
