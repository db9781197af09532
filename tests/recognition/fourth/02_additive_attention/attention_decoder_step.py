# %% wrong: context_before_embedding
# says: The GRU reads the context followed by the embedding; the embedding has to come first, because the rows of gru_x are ordered that way.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(
        state[:, None, :], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask
    )
    context, weights = context[:, 0], weights[:, 0]
    new_state = given_gru_cell(np.concatenate([context, embedded], axis=-1), state, params)
    return new_state, context, weights


# %% wrong: weights_lose_batch_axis
# says: squeeze without an axis removes the batch axis of the weights as well if there is only one sentence (and the last one if S is 1), so they are not (B, S).
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    query = np.expand_dims(state, axis=1)
    attended = given_additive_attention(
        query, encoder_states, encoder_states, params["w_query"], params["w_key"], params["v"], mask=mask[:, None, :]
    )
    context = attended[0].reshape(len(state), -1)
    x = np.hstack((embedded, context))
    return given_gru_cell(x, state, params), context, attended[1].squeeze()


# %% wrong: keeps_keys_in_params
# says: The projected keys are stored in params and used again in later calls, so something is added to the dictionary and other sentences are scored with old keys.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    if "keys" not in params:
        params["keys"] = encoder_states @ params["w_key"]
    hidden = np.tanh((state @ params["w_query"])[:, None, :] + params["keys"])
    scores = np.where(mask, hidden @ params["v"], -np.inf)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    context = np.einsum("bs,bse->be", weights, encoder_states)
    state = given_gru_cell(np.concatenate([embedded, context], axis=1), state, params)
    return state, context, weights


# %% right: sentence_by_sentence
# why: runs every sentence as a batch of one with slices that keep the batch axis, and joins the three results in the end
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    attention = [params[name] for name in ("w_query", "w_key", "v")]
    results = []
    for b in range(len(state)):
        one = slice(b, b + 1)
        c, w = given_additive_attention(state[one, None], encoder_states[one], None, *attention, mask[one, None])
        c, w = np.asarray(c)[0], np.asarray(w)[0]
        results.append((given_gru_cell(np.c_[embedded[one], c], state[one], params), c, w))
    return tuple(np.concatenate(parts) for parts in zip(*results))
