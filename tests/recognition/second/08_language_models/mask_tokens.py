# %% wrong: a_set_is_not_seen
# says: hands special_ids to np.isin as it is, which finds nothing in a set, so special tokens are selected
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    candidates = np.array([i for i in range(vocab_size) if i not in special_ids])
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special_ids)
    fate = rng.random(ids.shape)
    inputs = np.where(selected & (fate < 0.8), mask_id, ids)
    random_ids = rng.choice(candidates, ids.shape)
    inputs = np.where(selected & (fate >= 0.8) & (fate < 0.9), random_ids, inputs)
    return inputs, selected


# %% wrong: an_exact_number
# says: selects an exact number of tokens, the share of all ordinary ones, instead of each independently
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    inputs = ids.copy()
    selected = np.zeros(ids.shape, dtype=bool)
    ordinary = np.flatnonzero(~np.isin(ids, special))
    chosen = rng.choice(ordinary, size=round(share * len(ordinary)), replace=False)
    selected.flat[chosen] = True
    candidates = np.setdiff1d(np.arange(vocab_size), special)
    for i in chosen:
        u = rng.random()
        if u < 0.8:
            inputs.flat[i] = mask_id
        elif u < 0.9:
            inputs.flat[i] = rng.choice(candidates)
    return inputs, selected


# %% wrong: writes_into_ids
# says: writes the masks and random ids into the array that it was given
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    candidates = np.setdiff1d(np.arange(vocab_size), special)
    u = rng.random(ids.shape)
    inputs = ids
    random_ids = rng.choice(candidates, ids.shape)
    inputs[selected & (u < 0.8)] = mask_id
    replaced = selected & (u >= 0.8) & (u < 0.9)
    inputs[replaced] = random_ids[replaced]
    return inputs, selected


# %% wrong: tenth_of_the_rest
# says: replaces a tenth of the tokens that were not masked, about 2% of the selected ones instead of 10%
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = np.array(sorted(int(i) for i in special_ids))
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    inputs = np.array(ids)
    masked = selected & (rng.random(ids.shape) < 0.8)
    inputs[masked] = mask_id
    replaced = selected & ~masked & (rng.random(ids.shape) < 0.1)
    candidates = np.setdiff1d(np.arange(vocab_size), special)
    inputs[replaced] = rng.choice(candidates, replaced.sum())
    return inputs, selected


# %% wrong: one_random_id_for_all
# says: draws a single random id and puts it in all places that get one
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = set(int(i) for i in special_ids)
    candidates = [i for i in range(vocab_size) if i not in special]
    selected = (rng.random(ids.shape) < share) & np.isin(ids, candidates)
    fate = rng.choice(3, ids.shape, p=[0.8, 0.1, 0.1])
    inputs = ids.copy()
    inputs[selected & (fate == 0)] = mask_id
    inputs[selected & (fate == 1)] = rng.choice(candidates)
    return inputs, selected


# %% right: way_1
# why: loops over all tokens, draws a number for each decision, and makes nested lists into arrays at the end
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = {int(i) for i in special_ids}
    ordinary = [i for i in range(vocab_size) if i not in special]
    inputs, selected = [], []
    for row in np.asarray(ids).tolist():
        new_row, flags = [], []
        for token in row:
            chosen = token not in special and bool(rng.random() < share)
            if chosen:
                fate = int(rng.integers(10))
                if fate < 8:
                    token = mask_id
                elif fate == 8:
                    token = ordinary[int(rng.integers(len(ordinary)))]
            new_row.append(int(token))
            flags.append(chosen)
        inputs.append(new_row)
        selected.append(flags)
    return np.array(inputs), np.array(selected, dtype=bool)


# %% right: way_2
# why: a single uniform number decides both whether and how a token is hidden; keras.ops, and tensors come back
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ops = keras.ops
    is_special = np.zeros(vocab_size, dtype=bool)
    is_special[list(special_ids)] = True
    ordinary = np.flatnonzero(~is_special)
    u = np.where(is_special[ids], 2.0, rng.random(np.shape(ids)))
    random_ids = ordinary[rng.integers(0, len(ordinary), size=np.shape(ids))]
    ids = ops.cast(ids, "int32")
    inputs = ops.where(u < 0.9 * share, ops.cast(random_ids, "int32"), ids)
    inputs = ops.where(u < 0.8 * share, ops.cast(mask_id, "int32"), inputs)
    return inputs, ops.convert_to_tensor(u < share)
