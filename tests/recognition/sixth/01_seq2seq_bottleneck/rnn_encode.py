# %% wrong: masked_inputs_zeroed_only
# says: At a masked step the input vector is replaced by zeros, but the state is still updated with the recurrent weights and the bias.
def rnn_encode(x, mask, w_x, w_h, b):
    x = np.where(mask[..., None], x, 0.0)
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    return np.stack(states, axis=1), state


# %% wrong: stops_after_mask_count
# says: Counts the real words of each row and updates during that many first steps, which assumes that all masked steps are at the end.
def rnn_encode(x, mask, w_x, w_h, b):
    lengths = mask.sum(axis=1)
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where((t < lengths)[:, None], new, state)
        states.append(state)
    return np.stack(states, axis=1), state


# %% right: arithmetic_blend
# why: Projects all inputs before the loop and blends old and new state with the mask as 0 and 1 instead of np.where.
def rnn_encode(x, mask, w_x, w_h, b):
    B, T, _ = x.shape
    projected = x @ w_x + b
    keep = mask.astype("float64")[:, :, None]
    states = np.zeros((B, T + 1, w_h.shape[0]))
    for t in range(T):
        old = states[:, t]
        states[:, t + 1] = old + keep[:, t] * (np.tanh(projected[:, t] + old @ w_h) - old)
    return states[:, 1:], states[:, -1]
