# %% wrong: a_tenth_of_the_rest_is_random
# says: Of the selected tokens that are not masked only a tenth become random, so 2% instead of 10% of the selected ones do and 18% stay. It would have to be half of the rest.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    ordinary = np.setdiff1d(np.arange(vocab_size), special)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    hide = selected & (rng.random(ids.shape) < 0.8)
    swap = selected & ~hide & (rng.random(ids.shape) < 0.1)
    inputs = np.where(hide, mask_id, ids)
    inputs = np.where(swap, rng.choice(ordinary, ids.shape), inputs)
    return inputs, selected


# %% wrong: fixed_number_of_tokens
# says: Exactly round(share * number of ordinary tokens) tokens are selected in every batch; each token should be selected independently of the others, so that their number varies.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = np.array(sorted(set(int(s) for s in special_ids)))
    ordinary = np.array([i for i in range(vocab_size) if i not in special])
    places = np.flatnonzero(~np.isin(ids, special))
    number = int(round(share * len(places)))
    chosen = rng.choice(places, size=number, replace=False) if number > 0 else places[:0]
    selected = np.zeros(ids.size, dtype=bool)
    selected[chosen] = True
    inputs = np.array(ids).reshape(-1)
    for k in chosen:
        u = rng.random()
        if u < 0.8:
            inputs[k] = mask_id
        elif u < 0.9:
            inputs[k] = rng.choice(ordinary)
    return inputs.reshape(ids.shape), selected.reshape(ids.shape)


# %% right: token_by_token
# why: It goes through the tokens one at a time and draws an integer from 0 to 9 for the fate of a selected one: 0 to 7 mask, 8 random, 9 stays. All draws come from rng and are independent.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    never = {int(s) for s in special_ids}
    allowed = [i for i in range(vocab_size) if i not in never]
    inputs = np.array(ids)
    selected = np.zeros(inputs.shape, dtype=bool)
    for place, token in np.ndenumerate(ids):
        if int(token) in never or rng.random() >= share:
            continue
        selected[place] = True
        fate = rng.integers(10)
        if fate <= 7:
            inputs[place] = mask_id
        elif fate == 8:
            inputs[place] = allowed[rng.integers(len(allowed))]
    return inputs, selected
