# %% wrong: query_is_new_state
# says: You asked with the new state. The query is the previous one: attend first, then make the GRU's step.
# self-check: previous state
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    width = encoder_states.shape[-1]
    early = given_gru_cell(np.concatenate([embedded, np.zeros((len(state), width))], -1), state, params)
    context, weights = given_additive_attention(early[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: context_not_concatenated
# says: The context has no influence on the new state. The GRU reads [embedded; context].
# self-check: no influence
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, 0 * context], -1), state, params), context, weights

# %% wrong: mask_missing
# says: The mask was not handed on: padding has weights.
# self-check: padding
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"])
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: mask_inverted
# says: Your mask works the wrong way round: True means that a position may be attended to.
# self-check: inverted
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], ~mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: context_first
# says: The GRU reads [embedded; context], in this order; yours has the context in front.
# self-check: order
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([context, embedded], -1), state, params), context, weights

# %% wrong: axis_of_positions_kept
# says: Context and weights still have the axis of positions, of size 1. Take it away: (B, E) and (B, S).
# self-check: shape
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    new = given_gru_cell(np.concatenate([embedded, context[:, 0]], -1), state, params)
    return new, context, weights

# %% wrong: all_axes_of_size_one_removed
# says: You remove every axis of size 1 from the weights. Of one sentence, the axis of sentences goes too.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], np.squeeze(weights)
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: old_state_returned
# says: You returned the state that came in. The first result is the new one, from the GRU.
# self-check: came in
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    given_gru_cell(np.concatenate([embedded, context], -1), state, params)
    return state, context, weights

# %% wrong: mean_context
# says: Your context is the plain mean of the annotations. Mix them with the weights.
# self-check: weighted sum
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    _, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    weights = weights[:, 0]
    context = (encoder_states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: last_annotation_as_context
# says: Your context is the last annotation: the fixed vector of notebook 1 again. Mix all of them with the weights.
# self-check: weighted sum
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    _, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context = encoder_states[:, -1]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights[:, 0]

# %% wrong: state_forgotten
# says: The GRU started from zeros. It continues from the previous state.
# self-check: from zeros
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), np.zeros_like(state), params), context, weights

# %% wrong: embedded_left_out
# says: The word written last does not reach the GRU. It reads [embedded; context].
# self-check: embedded
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([0 * embedded, context], -1), state, params), context, weights

# %% wrong: results_in_another_order
# says: Return state, context, weights, in this order.
# self-check: shape
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return context, given_gru_cell(np.concatenate([embedded, context], -1), state, params), weights

# %% wrong: query_without_positions
# says: The query needs an axis of positions: (B, 1, U), that is state[:, None].
# self-check: query must be (B, T, Dq), got (5, 8)
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state, encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: state_as_one_batch
# says: The new axis belongs between batch and features: state[:, None] is (B, 1, U).
# self-check: query must be (B, T, Dq), got (1, 5, 8)
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: context_not_squeezed
# says: The context has the axis of positions, (B, 1, E). Take it away before you join it with the embedding.
# self-check: take it away before you join
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context, weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: squeezed_without_axis
# says: squeeze() without an axis removes every axis of size 1, that of a batch of one sentence as well. Write squeeze(1), or take [:, 0].
# self-check: squeeze
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context.squeeze(), weights.squeeze()
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% wrong: padding_set_to_zero_in_place
# says: You set padded states to zero in the array that was handed in. Their weight is 0 already.
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    encoder_states[~np.asarray(mask)] = 0
    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask
    )
    context, weights = context[:, 0], weights[:, 0]
    x = np.concatenate([embedded, context], axis=-1)
    return given_gru_cell(x, state, params), context, weights

# %% right: mask_with_positions
# why: the mask with an axis of positions, (B, 1, S), as exercise 2.4 has it
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask[:, None])
    context, weights = context[:, 0], weights[:, 0]
    return given_gru_cell(np.concatenate([embedded, context], -1), state, params), context, weights

# %% right: sentence_by_sentence
# why: a loop over the batch, the GRU written out
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    U = state.shape[-1]
    news, contexts, rows = [], [], []
    for x, s, h, m in zip(embedded, state, encoder_states, mask):
        scores = np.tanh(s @ params["w_query"] + h @ params["w_key"]) @ params["v"]
        e = np.where(m, np.exp(scores), 0.0)
        w = e / e.sum()
        c = w @ h
        a = np.concatenate([x, c]) @ params["gru_x"] + params["gru_b"]
        z = 1 / (1 + np.exp(-(a[:U] + s @ params["gru_h"][:, :U])))
        r = 1 / (1 + np.exp(-(a[U:2 * U] + s @ params["gru_h"][:, U:2 * U])))
        h_new = np.tanh(a[2 * U:] + (r * s) @ params["gru_h"][:, 2 * U:])
        news.append(z * s + (1 - z) * h_new)
        contexts.append(c)
        rows.append(w)
    return np.array(news), np.array(contexts), np.array(rows)

# %% right: keys_named
# why: the annotations given as keys too, the axis taken away with squeeze(1), a list returned
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(
        np.expand_dims(state, 1), encoder_states, encoder_states, params["w_query"], params["w_key"], params["v"], mask=mask)
    context, weights = context.squeeze(1), weights.squeeze(1)
    return [given_gru_cell(np.hstack([embedded, context]), state, params), context, weights]

# %% right: keras_cell_float32
# why: Keras' own GRU cell, reset before the product, in float32
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    context, weights = given_additive_attention(
        state[:, None], encoder_states, None, params["w_query"], params["w_key"], params["v"], mask)
    context, weights = context[:, 0].astype("float32"), weights[:, 0].astype("float32")
    x = np.concatenate([embedded, context], axis=-1).astype("float32")
    cell = keras.layers.GRUCell(state.shape[-1], reset_after=False)
    cell.build(x.shape)
    cell.set_weights([params["gru_x"], params["gru_h"], params["gru_b"]])
    new, _ = cell(x, [keras.ops.convert_to_tensor(state, "float32")])
    return new, context, weights

# %% right: loop_scores
# why: with the slower given functions, mask (B, 1, S)
def attention_decoder_step(embedded, state, encoder_states, mask, params):
    scores = given_additive_scores(state[:, None], encoder_states, params["w_query"], params["w_key"], params["v"])
    weights = given_masked_softmax(scores, mask[:, None])
    context = np.einsum("bts,bse->be", weights, encoder_states)
    x = np.concatenate([embedded, context], axis=1)
    return given_gru_cell(x, state, params), context, weights.reshape(mask.shape)

# %% equivalent
# because: the axis of positions has size 1, so its first entry is its last
# was: context, weights = (context[:, 0], weights[:, 0])
# now: context, weights = (context[:, -1], weights[:, 0])

# %% equivalent
# because: the axis of positions has size 1, so its first entry is its last
# was: context, weights = (context[:, 0], weights[:, 0])
# now: context, weights = (context[:, 0], weights[:, -1])
