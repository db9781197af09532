# %% wrong: projection_cached_in_params
# says: It stores the projected annotations in params, to which nothing may be added; a later call with other sentences and the same params uses the old projection.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    if "projected" not in params:
        params["projected"] = encoder_states @ params["w_key"]
    hidden = np.tanh((state @ params["w_query"])[:, None] + params["projected"])
    weights = given_masked_softmax(hidden @ params["v"], mask)
    context = np.einsum("bs,bse->be", weights, encoder_states)
    new_state = given_gru_cell(np.concatenate([embedded, context], axis=-1), state, params)
    return new_state, context, weights


# %% wrong: attends_again_with_new_state
# says: The context and weights it returns come from a second attention with the new state as the query; they should be those of the previous state, which the GRU read.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    def attend(s):
        context, weights = given_additive_attention(
            s[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask[:, None])
        return context[:, 0], weights[:, 0]

    context, weights = attend(state)
    state = given_gru_cell(np.concatenate([embedded, context], axis=1), state, params)
    context, weights = attend(state)
    return state, context, weights
