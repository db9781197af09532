# %% wrong: v_inside_the_tanh
# says: Multiplies by v inside the tanh and then sums the tanh values, instead of applying v after the tanh.
def additive_scores(query, key, w_query, w_key, v):
    hidden = (query @ w_query)[:, :, None] + (key @ w_key)[:, None]
    return np.tanh(hidden * v).sum(axis=-1)


# %% wrong: tanh_of_each_part
# says: Applies the tanh to the projected query and to the projected key separately and adds afterwards, so query and key do not interact.
def additive_scores(query, key, w_query, w_key, v):
    q = np.tanh(query @ w_query)
    k = np.tanh(key @ w_key)
    return (q[:, :, None] + k[:, None]) @ v
