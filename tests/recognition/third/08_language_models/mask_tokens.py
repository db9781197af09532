# %% wrong: only_changed_ones_selected
# says: The tokens that were selected but stay as they are do not count as selected, so the model is never asked for them.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.asarray(ids)
    special = list(special_ids)
    chosen = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    fate = rng.random(ids.shape)
    ordinary = np.array([i for i in range(vocab_size) if i not in special])
    inputs = np.where(chosen & (fate < 0.8), mask_id, ids)
    inputs = np.where(chosen & (fate >= 0.8) & (fate < 0.9), rng.choice(ordinary, ids.shape), inputs)
    selected = chosen & (fate < 0.9)
    return inputs, selected


# %% wrong: set_handed_to_isin
# says: np.isin gets the special ids as they come; a set is one object to it, so then no id is special and padding is selected.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ordinary = [i for i in range(vocab_size) if i not in special_ids]
    selected = (rng.random(np.shape(ids)) < share) & ~np.isin(ids, special_ids)
    inputs = np.array(ids)
    fate = rng.random(np.shape(ids))
    inputs[selected & (fate < 0.8)] = mask_id
    random_ones = selected & (fate >= 0.8) & (fate < 0.9)
    inputs[random_ones] = rng.choice(ordinary, random_ones.sum())
    return inputs, selected


# %% wrong: exact_number_selected
# says: A fixed number of tokens, the rounded share of all ordinary ones, is drawn without replacement, so the tokens are not selected independently.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.asarray(ids)
    ordinary = np.setdiff1d(np.arange(vocab_size), list(special_ids))
    places = np.flatnonzero(np.isin(ids, ordinary))
    picked = rng.choice(places, size=round(share * len(places)), replace=False) if len(places) else places
    selected = np.zeros(ids.size, dtype=bool)
    selected[picked] = True
    selected = selected.reshape(ids.shape)
    fate = rng.random(ids.shape)
    drawn = rng.choice(ordinary, ids.shape)
    inputs = np.where(selected & (fate < 0.8), mask_id, np.where(selected & (fate < 0.9), drawn, ids))
    return inputs, selected


# %% right: way_1
# why: one draw among four fates for each token, with the probabilities multiplied out beforehand
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.array(ids)
    special = {int(i) for i in special_ids}
    ordinary = np.array(sorted(set(range(int(vocab_size))) - special))
    is_ordinary = np.zeros(int(vocab_size), dtype=bool)
    is_ordinary[ordinary] = True
    fates = rng.choice(4, size=ids.shape, p=[1 - share, 0.8 * share, 0.1 * share, 0.1 * share])
    fates = fates * is_ordinary[ids]
    drawn = ordinary[rng.integers(len(ordinary), size=ids.shape)]
    inputs = np.choose(fates, [ids, np.full_like(ids, mask_id), drawn.astype(ids.dtype), ids])
    return inputs, fates > 0
