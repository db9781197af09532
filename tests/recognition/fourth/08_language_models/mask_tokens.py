# %% wrong: kept_are_not_selected
# says: Selected tokens that stay as they are are missing in `selected`, because it marks only the positions whose id has changed.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.asarray(ids)
    special = [int(s) for s in special_ids]
    ordinary = np.array([i for i in range(vocab_size) if i not in special])
    inputs = ids.copy()
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            if ids[b, t] in special or rng.random() >= share:
                continue
            u = rng.random()
            if u < 0.8:
                inputs[b, t] = mask_id
            elif u < 0.9:
                inputs[b, t] = rng.choice(ordinary)
    return inputs, inputs != ids


# %% wrong: tenth_of_the_rest
# says: The random ids go to 10% of the selected tokens that are not masked, so to 2% of the selected ones instead of 10%.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.array(ids)
    special = np.array(sorted(int(s) for s in special_ids))
    candidates = np.setdiff1d(np.arange(vocab_size), special)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    masked = selected & (rng.random(ids.shape) < 0.8)
    swapped = selected & ~masked & (rng.random(ids.shape) < 0.1)
    inputs = np.where(masked, mask_id, ids)
    inputs = np.where(swapped, rng.choice(candidates, ids.shape), inputs)
    return inputs, selected


# %% wrong: isin_with_a_set
# says: np.isin gets `special_ids` as it is; for a set it finds nothing, so special tokens are selected although a set is allowed.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.asarray(ids)
    allowed = np.array([i for i in range(vocab_size) if i not in special_ids])
    selected = np.logical_and(rng.random(ids.shape) < share, np.isin(ids, special_ids, invert=True))
    fate = rng.random(ids.shape)
    inputs = ids.copy()
    inputs[selected & (fate < 0.8)] = mask_id
    change = selected & (fate >= 0.8) & (fate < 0.9)
    inputs[change] = rng.choice(allowed, size=change.sum())
    return inputs, selected


# %% right: way_1
# why: One ten-sided die for each token decides its fate, and np.choose picks from three whole candidate arrays; special ids come from a truth table.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    old = np.array(ids).astype(np.int64)
    ordinary = np.ones(int(vocab_size), dtype=bool)
    ordinary[[int(s) for s in special_ids if 0 <= int(s) < vocab_size]] = False
    selected = ordinary[old] & (rng.random(old.shape) < share)
    pool = np.flatnonzero(ordinary)
    drawn = pool[rng.integers(len(pool), size=old.shape)]
    die = rng.integers(10, size=old.shape)
    fate = selected * (1 + (die == 8) + 2 * (die == 9))
    return np.choose(fate, [old, np.full_like(old, int(mask_id)), drawn, old]), selected
