# %% wrong: query_is_the_word
# says: asks with the embedded word, padded or cut to the width of the state, instead of with the state
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    U, D = state.shape[-1], embedded.shape[-1]
    query = np.zeros_like(state)
    query[:, : min(U, D)] = embedded[:, : min(U, D)]
    context, weights = given_additive_attention(
        query[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([embedded, context], axis=-1)
    return given_gru_cell(x, state, params), context, weights


# %% wrong: squeeze
# says: removes the axis of positions with squeeze, which also removes the axis of a batch of one
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = np.squeeze(context), np.squeeze(weights)
    x = np.concatenate([embedded, context], axis=-1)
    return given_gru_cell(x, state, params), context, weights


# %% wrong: order_of_parts
# says: joins the context first and the embedded word second
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([context, embedded], axis=-1)
    return given_gru_cell(x, state, params), context, weights


# %% wrong: masked_mean_read
# says: hands the GRU the mean of the real annotations (a fixed summary of the sentence) and returns the attended context only as output
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    real = mask[..., None]
    summary = (encoder_states * real).sum(axis=1) / np.maximum(real.sum(axis=1), 1)
    x = np.concatenate([embedded, summary], axis=-1)
    return given_gru_cell(x, state, params), context, weights


# %% right: way_1
# why: a loop over the sentences of the batch; attention and gates written out for one sentence at a time, with plain sums
import math


def attention_decoder_step(embedded, state, encoder_states, mask, params):
    states, contexts, all_weights = [], [], []
    for word, s, annotations, real in zip(embedded, state, encoder_states, mask):
        asked = s @ params["w_query"]
        scores = [float(np.tanh(asked + h @ params["w_key"]) @ params["v"]) for h in annotations]
        allowed = [e for e, r in zip(scores, real) if r]
        largest = max(allowed) if allowed else 0.0
        exponentials = [math.exp(e - largest) if r else 0.0 for e, r in zip(scores, real)]
        total = sum(exponentials) or 1.0
        weights = [e / total for e in exponentials]
        context = sum(w * h for w, h in zip(weights, annotations))
        x = np.array([*word, *context])
        states.append(given_gru_cell(x[None], s[None], params)[0])
        contexts.append(context)
        all_weights.append(weights)
    return np.array(states), np.array(contexts), np.array(all_weights)


# %% right: way_2
# why: vectorised, without the given attention: broadcast scores, where, einsum; the GRU reads np.hstack
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    hidden = np.tanh((state @ params["w_query"])[:, None] + encoder_states @ params["w_key"])     # (B, S, A)
    scores = np.where(mask, hidden @ params["v"], -np.inf)
    top = scores.max(axis=1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(axis=1, keepdims=True)
    weights = e / np.where(total > 0, total, 1.0)
    context = np.einsum("bs,bse->be", weights, encoder_states)
    return given_gru_cell(np.hstack([embedded, context]), state, params), context, weights
