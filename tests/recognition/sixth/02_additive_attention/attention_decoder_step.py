# %% wrong: context_before_embedding
# says: Joins context and embedding in the wrong order: the GRU reads the context first.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(
        state[:, None], encoder_states, encoder_states, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    new_state = given_gru_cell(np.concatenate([context, embedded], axis=-1), state, params)
    return new_state, context, weights


# %% wrong: attends_again_with_new_state
# says: After the GRU step it attends a second time with the new state and returns that context and those weights, instead of the ones asked for by the previous state.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    def attend(s):
        c, w = given_additive_attention(
            s[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
        return c[:, 0], w[:, 0]

    context, _ = attend(state)
    new_state = given_gru_cell(np.concatenate([embedded, context], axis=-1), state, params)
    context, weights = attend(new_state)
    return new_state, context, weights


# %% right: sentence_by_sentence
# why: Loops over the sentences of the batch and gives the attention only the real annotations of each, so that no mask is needed.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    contexts, all_weights = [], []
    for s, h, m in zip(state, encoder_states, mask):
        scores = np.tanh(s @ params["w_query"] + h[m] @ params["w_key"]) @ params["v"]
        e = np.exp(scores - scores.max())
        weights = np.zeros(len(m))
        weights[m] = e / e.sum()
        contexts.append(weights[m] @ h[m])
        all_weights.append(weights)
    context = np.array(contexts)
    joined = np.hstack([embedded, context])
    return given_gru_cell(joined, state, params), context, np.array(all_weights)
