# %% wrong: return_order
# says: returns context and weights in the wrong order
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([embedded, context], axis=-1)
    return given_gru_cell(x, state, params), weights, context


# %% wrong: old_state_returned
# says: returns the state that came in instead of the new one
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([embedded, context], axis=-1)
    new = given_gru_cell(x, state, params)
    return state, context, weights


# %% wrong: inverted_mask
# says: reads True in the mask as padding
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], ~mask)
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([embedded, context], axis=-1)
    return given_gru_cell(x, state, params), context, weights


# %% wrong: first_mask
# says: uses the mask of the first sentence for the whole batch
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask[:1])
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([embedded, context], axis=-1)
    return given_gru_cell(x, state, params), context, weights


# %% right: way_3
# why: keras.layers.GRUCell with the arrays of params set by hand, in float64; returns a list whose first entry is a tensor
def attention_decoder_step(embedded, state, encoder_states, mask, params):

    context, weights = given_additive_attention(
        np.expand_dims(state, 1), encoder_states, encoder_states, params["w_query"], params["w_key"], params["v"],
        mask=np.expand_dims(mask, 1))
    context, weights = np.take(context, 0, axis=1), np.take(weights, 0, axis=1)
    x = keras.ops.concatenate([keras.ops.cast(a, "float64") for a in (embedded, context)], axis=-1)
    cell = keras.layers.GRUCell(state.shape[-1], reset_after=False, dtype="float64")
    cell.build(x.shape)
    cell.set_weights([params["gru_x"], params["gru_h"], params["gru_b"]])
    new = cell(x, [keras.ops.cast(state, "float64")])[0]
    return [new, context, weights]
