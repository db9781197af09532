# %% wrong: mask_ignored
# says: The mask has no effect: padding goes through the network and changes the state.
# self-check: mask has no effect
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: last_from_lengths_only
# says: You pick the last real step for `last`, but the states after it go on over the padding. Keep the state there.
# self-check: mask has no effect
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    states = np.stack(states, axis=1)
    return states, states[np.arange(len(x)), mask.sum(axis=1) - 1]

# %% wrong: last_word_of_the_first_sentence
# says: Your last is the state at the last real word of the first sentence, for all sentences. Others may go on after that step.
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1), states[np.flatnonzero(mask[0])[-1]]

# %% wrong: no_tanh
# says: The tanh is missing. Without it the state is a linear sum that can grow without limit.
# self-check: tanh is missing
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], x[:, t] @ w_x + state @ w_h + b, state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: w_h_transposed
# says: You multiply by the transpose of w_h. With a batch of rows it is state @ w_h.
# self-check: transposed
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h.T + b), state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: state_reset_each_step
# says: The state starts from zero at every step, so the network remembers nothing. Set it to zero once, before the loop.
# self-check: reset
def rnn_encode(x, mask, w_x, w_h, b):
    states = []
    last = np.zeros((x.shape[0], w_h.shape[0]))
    for t in range(x.shape[1]):
        state = np.zeros((x.shape[0], w_h.shape[0]))
        last = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), last)
        states.append(last)
    return np.stack(states, axis=1), last

# %% wrong: masked_steps_show_zero
# says: You show zeros at masked steps. A masked step repeats the state before it.
# self-check: zero there
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state * mask[:, t, None])
    return np.stack(states, axis=1), state

# %% wrong: mask_resets_state
# says: Multiplying the state by the mask forgets everything at a masked step. Keep the old state there.
# self-check: zero there
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b) * mask[:, t, None]
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: masks_the_input
# says: You set the inputs at masked steps to zero. The step still happens: the state goes through w_h and tanh again.
# self-check: the input is zero
def rnn_encode(x, mask, w_x, w_h, b):
    x = x * mask[..., None]
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: mask_inverted
# says: Your mask works the wrong way round: True marks a real word, which changes the state.
# self-check: inverted
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where(mask[:, t, None], state, new)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: no_bias
# says: The bias b is missing.
# self-check: bias b is missing
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h), state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: one_array_for_all_steps
# says: You collect the same array again and again and overwrite it: all steps show the last state. Store a new array per step.
# self-check: same array
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state[...] = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: stacked_in_front
# says: The first axis of your states is time, (T, B, U). It should be the batch: np.stack(states, axis=1).
# self-check: shape
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states), state

# %% wrong: only_padding_behind
# says: You stop at the first masked step. Masked steps may stand anywhere; the network goes on after them.
# self-check: after a gap
def rnn_encode(x, mask, w_x, w_h, b):
    mask = np.cumprod(mask, axis=1).astype(bool)
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: mask_without_an_axis
# says: mask[:, t] has one entry per sentence and the state a row per sentence. Give the mask a second axis, so that it fits (B, U).
# self-check: give it an axis
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.where(mask[:, t], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: if_for_a_whole_batch
# says: `if mask[:, t]` asks one question about all sentences at once. Some of them go on and others wait: choose row by row, with np.where.
# self-check: choose for each sentence
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        if mask[:, t]:
            state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: tanh_by_exponentials
# says: You compute tanh from exponentials. Those of large numbers are inf, and what is left of inf / inf is 0 in yours. Use np.tanh.
def rnn_encode(x, mask, w_x, w_h, b):
    def tanh(z):
        with np.errstate(all="ignore"):
            return np.nan_to_num((np.exp(z) - np.exp(-z)) / (np.exp(z) + np.exp(-z)))

    state = np.zeros((len(x), len(b)))
    states = []
    for t in range(x.shape[1]):
        new = tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: padding_set_to_zero_in_place
# says: You set masked words to zero in the array that was handed in. Make a new one.
def rnn_encode(x, mask, w_x, w_h, b):
    x = np.asarray(x, dtype="float64")
    x *= np.asarray(mask)[..., None]
    state = np.zeros((len(x), len(b)))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: ends_where_all_are_masked
# says: You leave the loop at the first step that is masked in every sentence. There is a state for each step, and real words may follow.
# self-check: yours ends at the first step
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((len(x), len(b)))
    states = np.zeros((*mask.shape, len(b)))
    for t in range(x.shape[1]):
        if not mask[:, t].any():
            break
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states[:, t] = state
    return states, states[:, -1]

# %% wrong: skips_steps_that_all_have_masked
# says: You skip steps that are masked in every sentence, and their states are missing. A masked step shows the state before it, whatever the others do.
# self-check: such a step has a state too
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((len(x), len(b)))
    states = []
    for t in range(x.shape[1]):
        if not np.any(mask[:, t]):
            continue
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1), state

# %% wrong: as_long_as_the_longest_sentence
# says: Your loop ends with the longest sentence. The steps after it repeat the state before them, up to T, the width of the mask.
# self-check: such a step has a state too
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((len(x), len(b)))
    states = np.zeros((*mask.shape, len(b)))
    for t in range(np.flatnonzero(mask.any(axis=0)).max() + 1):
        state = np.where(mask[:, t, None], np.tanh(x[:, t] @ w_x + state @ w_h + b), state)
        states[:, t] = state
    return states, states[:, -1]

# %% right: states_in_float32
# why: the states are kept in float32, as Keras keeps them; what is rounded is far below what the tests ask for
def rnn_encode(x, mask, w_x, w_h, b):
    states = np.zeros((x.shape[0], x.shape[1], len(b)), dtype="float32")
    state = np.zeros((x.shape[0], len(b)), dtype="float32")
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b).astype("float32")
        state = np.where(mask[:, t, None], new, state)
        states[:, t] = state
    return states, state

# %% right: row_by_row
# why: each sentence alone, step by step
def rnn_encode(x, mask, w_x, w_h, b):
    states = np.zeros((x.shape[0], x.shape[1], len(b)))
    for i in range(len(x)):
        state = np.zeros(len(b))
        for t in range(x.shape[1]):
            if mask[i, t]:
                state = np.tanh(w_x.T @ x[i, t] + w_h.T @ state + b)
            states[i, t] = state
    return states, states[:, -1]

# %% right: projected_first
# why: the inputs are projected for all steps at once with einsum
def rnn_encode(x, mask, w_x, w_h, b):
    projected = np.einsum("btd,du->btu", x, w_x) + b
    states = np.zeros_like(projected)
    state = np.zeros_like(projected[:, 0])
    for t in range(x.shape[1]):
        keep = mask[:, t : t + 1].astype(projected.dtype)
        state = keep * np.tanh(projected[:, t] + state @ w_h) + (1 - keep) * state
        states[:, t] = state
    return states, states[:, -1].copy()

# %% right: nested_lists
# why: lists of lists hold the same numbers
def rnn_encode(x, mask, w_x, w_h, b):
    state, states = np.zeros((len(x), len(b))), []
    for words, real in zip(x.swapaxes(0, 1), mask.T):
        state = np.where(real[:, None], np.tanh(words @ w_x + state @ w_h + b), state)
        states.append(state)
    return np.stack(states, axis=1).tolist(), state.tolist()

# %% right: with_keras
# why: the library's own layer with the same weights, in float32 or float64 as given
def rnn_encode(x, mask, w_x, w_h, b):
    layer = keras.layers.SimpleRNN(len(b), return_sequences=True, return_state=True, dtype=str(x.dtype))
    layer.build(x.shape)
    layer.set_weights([w_x, w_h, b])
    states, last = layer(x, mask=mask)
    return keras.ops.convert_to_numpy(states), keras.ops.convert_to_numpy(last)

# %% right: concatenated_weights
# why: one matrix product of [input, state] with the stacked weights
def rnn_encode(x, mask, w_x, w_h, b):
    weights = np.concatenate([w_x, w_h])
    state = np.zeros((len(x), len(b)))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(np.concatenate([x[:, t], state], axis=1) @ weights + b)
        state = state.copy()
        state[mask[:, t]] = new[mask[:, t]]
        states.append(state)
    return np.array(states).swapaxes(0, 1), states[-1]

# %% equivalent
# because: the mask has a row for each sentence, as x has
# was: state = np.zeros((len(x), len(b)))
# now: state = np.zeros((len(mask), len(b)))

# %% equivalent
# because: w_h is square, with a row for each unit, as b has entries
# was: state = np.zeros((len(x), len(b)))
# now: state = np.zeros((len(x), len(w_h)))

# %% equivalent
# because: the mask has a column for each step, as x has
# was: for t in range(x.shape[1]):
# now: for t in range(mask.shape[1]):

# %% equivalent
# because: the new axis may come before or after the step that is picked; both give (B, 1)
# was: state = np.where(mask[:, t, None], new, state)
# now: state = np.where(mask[:, None, t], new, state)
