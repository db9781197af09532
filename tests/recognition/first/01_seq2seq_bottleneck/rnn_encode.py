# %% wrong: bias_outside
# says: adds the bias after tanh, outside of the bracket
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h) + b
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    return np.stack(states, axis=1), state


# %% wrong: first_step_never_masked
# says: assumes that every sentence begins with a real word and ignores the mask of the first step
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.tanh(x[:, 0] @ w_x + b)
    states = [state]
    for t in range(1, x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    return np.stack(states, axis=1), state


# %% wrong: last_by_length
# says: assumes that padding stands at the end only, and looks up the last state at position length - 1
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    states = np.stack(states, axis=1)
    lengths = mask.sum(axis=1)
    return states, states[np.arange(len(x)), lengths - 1]


# %% wrong: matrix_transposed
# says: multiplies the state with the transposed recurrent matrix, as in books that write W h with column vectors
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h.T + b)
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    return np.stack(states, axis=1), state


# %% right: way_2
# why: all input products at once, an array written in place per step, only the rows that move on are computed; dtype of x
def rnn_encode(x, mask, w_x, w_h, b):
    drive = np.einsum("btd,du->btu", x, w_x) + b
    states = np.zeros(drive.shape, dtype=drive.dtype)
    state = np.zeros_like(drive[:, 0])
    for t in range(x.shape[1]):
        moving = np.flatnonzero(mask[:, t])
        state[moving] = np.tanh(drive[moving, t] + state[moving] @ w_h)
        states[:, t] = state
    return states, states[:, -1]


# %% right: way_3
# why: keras.layers.SimpleRNN with the weights put in and Keras' own masking does the work, in float64
def rnn_encode(x, mask, w_x, w_h, b):
    layer = keras.layers.SimpleRNN(len(b), return_sequences=True, return_state=True, dtype="float64")
    layer.build(x.shape)
    layer.set_weights([w_x, w_h, b])
    states, last = layer(np.asarray(x, dtype="float64"), mask=np.asarray(mask))
    return keras.ops.convert_to_numpy(states), keras.ops.convert_to_numpy(last)
