# %% wrong: masks_the_input_only
# says: sets the padded word vectors to zero and believes that a zero input leaves the state alone
def rnn_encode(x, mask, w_x, w_h, b):
    x = x * mask[:, :, None]
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    return np.stack(states, axis=1), state


# %% wrong: stops_at_the_first_gap
# says: treats the first masked step as the end of the sentence and ignores real words after it
def rnn_encode(x, mask, w_x, w_h, b):
    states = np.zeros((x.shape[0], x.shape[1], w_h.shape[0]))
    for i in range(x.shape[0]):
        state = np.zeros(w_h.shape[0])
        ended = False
        for t in range(x.shape[1]):
            if not mask[i, t]:
                ended = True
            if not ended:
                state = np.tanh(x[i, t] @ w_x + state @ w_h + b)
            states[i, t] = state
    return states, states[:, -1]


# %% wrong: time_first
# says: turns the list of states into an array with the steps on the first axis, (T, B, U)
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        state = np.where(mask[:, t, None], new, state)
        states.append(state)
    return np.array(states), state


# %% wrong: mask_ignored
# says: takes the mask for bookkeeping only, so padding changes the state like a word
def rnn_encode(x, mask, w_x, w_h, b):
    state = np.zeros((x.shape[0], w_h.shape[0]))
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ w_x + state @ w_h + b)
        states.append(state)
    return np.stack(states, axis=1), state


# %% right: way_1
# why: pure Python loops over sentences, steps, units and inputs, with math.tanh
import math


def rnn_encode(x, mask, w_x, w_h, b):
    batch, steps, size = x.shape
    units = len(b)
    states = np.zeros((batch, steps, units))
    last = np.zeros((batch, units))
    for i in range(batch):
        state = [0.0] * units
        for t in range(steps):
            if mask[i, t]:
                new = []
                for u in range(units):
                    total = float(b[u])
                    for d in range(size):
                        total += float(x[i, t, d]) * float(w_x[d, u])
                    for v in range(units):
                        total += state[v] * float(w_h[v, u])
                    new.append(math.tanh(total))
                state = new
            states[i, t] = state
        last[i] = state
    return states, last


# %% right: way_4
# why: functools.reduce carries the list of states; the choice is arithmetic, old + mask * (new - old); float32 results
import functools


def rnn_encode(x, mask, w_x, w_h, b):
    def step(states, t):
        old = states[-1]
        new = np.tanh(x[:, t] @ w_x + old @ w_h + b)
        return [*states, old + mask[:, t : t + 1] * (new - old)]

    start = [np.zeros((x.shape[0], w_h.shape[0]))]
    states = np.stack(functools.reduce(step, range(x.shape[1]), start)[1:], axis=1).astype("float32")
    return states, states[:, -1].copy()
