# %% wrong: tenth_of_the_rest
# says: After 80% of the selected tokens became the mask, only 10% of the remaining fifth (2% of all selected) become a random id, and 18% stay.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.asarray(ids)
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    inputs = ids.copy()
    hidden = selected & (rng.random(ids.shape) < 0.8)
    inputs[hidden] = mask_id
    changed = selected & ~hidden & (rng.random(ids.shape) < 0.1)
    candidates = np.setdiff1d(np.arange(vocab_size), special)
    inputs[changed] = rng.choice(candidates, int(changed.sum()))
    return inputs, selected


# %% wrong: one_random_id_for_all
# says: Draws a single random id and puts it into all tokens that are to be replaced by a random one, instead of drawing independently for each.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    ids = np.array(ids)
    special = np.array(list(special_ids))
    selected = ~np.isin(ids, special) & (rng.random(ids.shape) < share)
    fate = rng.random(ids.shape)
    candidates = [i for i in range(vocab_size) if i not in special]
    inputs = np.where(selected & (fate < 0.8), mask_id, ids)
    inputs = np.where(selected & (fate >= 0.8) & (fate < 0.9), rng.choice(candidates), inputs)
    return inputs, selected
