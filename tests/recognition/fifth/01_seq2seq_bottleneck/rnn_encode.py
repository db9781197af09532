# %% wrong: same_array_in_list
# says: The list of states holds the same array again and again, because the state is changed in place and appended without a copy; so the states of all steps equal the last one.
def rnn_encode(x, mask, w_x, w_h, b):
    B, T, _ = x.shape
    state = np.zeros((B, w_h.shape[0]))
    history = []
    for t in range(T):
        rows = mask[:, t]
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state[rows] = new[rows]
        history.append(state)
    return np.stack(history, axis=1), state


# %% wrong: last_is_the_candidate
# says: The second result is the newly computed state of the last step even where that step is masked; only the states in the first result respect the mask there, so last differs from states[:, -1] for sentences that end with padding.
def rnn_encode(x, mask, w_x, w_h, b):
    def step(inputs, previous):
        return np.tanh(inputs @ w_x + previous @ w_h + b)

    B, T = mask.shape
    states = np.zeros((B, T, len(b)))
    old = np.zeros((B, len(b)))
    for t in range(T):
        last = step(x[:, t], old)
        states[:, t] = np.where(mask[:, t, None], last, old)
        old = states[:, t]
    return states, last


# %% right: compact_then_spread
# why: Each sentence runs over its real words only; the states (with the zero state in front) are then spread over all steps by the running count of real words. A masked step so repeats the latest state.
def rnn_encode(x, mask, w_x, w_h, b):
    states = []
    for words, real in zip(x, mask):
        compact = [np.zeros(len(b))]
        for word in words[real]:
            compact.append(np.tanh(word @ w_x + compact[-1] @ w_h + b))
        states.append(np.array(compact)[np.cumsum(real)])
    states = np.array(states)
    return states, states[:, -1]
