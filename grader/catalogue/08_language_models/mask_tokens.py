# %% wrong: all_masked
# says: Every selected token becomes the mask. BERT masks 80% of them, replaces 10% and leaves 10%: at test time there are no masks, so the
#   model should not rely on them.
# self-check: 10% get a random id
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, list(special_ids))
    return np.where(selected, mask_id, ids), selected

# %% wrong: of_all_tokens
# says: The 80% and 10% are shares of all tokens in yours. They are shares of the selected ones.
# self-check: tokens not selected stay
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    free = ~np.isin(ids, special)
    selected, lot = (rng.random(ids.shape) < share) & free, rng.random(ids.shape)
    inputs = np.where(free & (lot < 0.8), mask_id, ids)
    ordinary = np.setdiff1d(np.arange(vocab_size), special)
    return np.where(free & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: selects_special
# says: Special tokens are selected as well. Padding and the like carry no information, and nobody should have to guess them.
# self-check: special tokens are not selected
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    selected, lot = rng.random(ids.shape) < share, rng.random(ids.shape)
    ordinary = np.setdiff1d(np.arange(vocab_size), list(special_ids))
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: draws_special
# says: The random ids are drawn from the whole vocabulary, special ones included. Draw from the ordinary ones only.
# self-check: no special id is drawn
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, list(special_ids))
    lot = rng.random(ids.shape)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.integers(vocab_size, size=ids.shape), inputs), selected

# %% wrong: assumes_special_first
# says: You draw from the ids after the special ones, as if these were 0, 1, 2 and so on. They may be any ids of the vocabulary.
# self-check: among the ids
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, list(special_ids))
    lot = rng.random(ids.shape)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.integers(len(special_ids), vocab_size, size=ids.shape), inputs), selected

# %% wrong: same_places_in_every_row
# says: One row of random numbers serves all sentences, so the same places are selected in each. Draw for every token.
# self-check: independently
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape[1]) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: exactly_the_share
# says: You select exactly the same number of tokens in each row. Each token should be selected independently, so the numbers vary.
# self-check: independently
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    ranks = np.where(np.isin(ids, special), 2, rng.random(ids.shape)).argsort(axis=1).argsort(axis=1)
    free = ~np.isin(ids, special)
    selected = (ranks < np.round(share * free.sum(axis=1, keepdims=True))) & free
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: exact_number_in_the_batch
# says: You select the same number of tokens in every draw. share is a probability: each token is selected by itself, so the number varies.
# self-check: differs from draw to draw
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special, selected = list(special_ids), np.zeros(ids.size, dtype=bool)
    free = np.flatnonzero(~np.isin(ids, special))
    selected[rng.permutation(free)[: round(share * len(free))]] = True
    selected = selected.reshape(ids.shape)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: exact_numbers_of_fates
# says: You divide the selected tokens into exactly 80%, 10% and 10%. What happens to a token should be drawn for each of them.
# self-check: masked tokens differs
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    places, ordinary = rng.permutation(np.flatnonzero(selected)), np.setdiff1d(np.arange(vocab_size), special)
    masked, drawn, _ = np.split(places, [round(0.8 * len(places)), round(0.9 * len(places))])
    inputs = ids.copy()
    inputs.flat[masked] = mask_id
    inputs.flat[drawn] = rng.choice(ordinary, len(drawn))
    return inputs, selected

# %% wrong: unchanged_ones_not_selected
# says: The 10% that stay are missing from selected. The model has to predict them too, or it would learn that a visible token is always right.
# self-check: stay are selected too
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    inputs = np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs)
    return inputs, selected & ((lot < 0.8) | (lot > 0.9))

# %% wrong: in_place
# says: You write into ids itself, which the training still needs as the right answers. Work on a copy.
# self-check: inputs are unchanged
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    ids[selected & (lot < 0.8)] = mask_id
    changed = selected & (lot > 0.9)
    ids[changed] = rng.choice(ordinary, changed.sum())
    return ids, selected

# %% wrong: share_ignored
# says: Your share is always 15%. It is an argument.
# self-check: argument share
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < 0.15) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: one_random_id
# says: All replaced tokens get the same random id. Draw one for each of them.
# self-check: equally often
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary), inputs), selected

# %% wrong: one_id_for_a_column
# says: The random ids are drawn once for each column, so replaced tokens at the same position get the same id in every row. Draw one
#   for each token.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape[1]), inputs), selected

# %% wrong: generator_of_its_own
# says: You make a generator of your own, so the same tokens are hidden in every epoch. Draw from rng.
# self-check: another generator
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special, rng = list(special_ids), np.random.default_rng(0)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: numpys_own_numbers
# says: You draw from np.random, so nobody can repeat what was hidden, not even with the same seed. Draw from rng.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (np.random.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = np.random.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), np.random.choice(ordinary, ids.shape), inputs), selected

# %% wrong: ids_from_np_random
# says: Selection and lots come from rng, but the random ids come from np.random. Draw these from rng too.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), np.random.choice(ordinary, ids.shape), inputs), selected

# %% wrong: ids_from_a_generator_of_its_own
# says: The random ids come from a generator of your own, so they are the same in every epoch. Draw them from rng.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    drawn = np.random.default_rng(0).choice(ordinary, ids.shape)
    return np.where(selected & (lot > 0.9), drawn, inputs), selected

# %% wrong: one_list_of_ids
# says: The replaced tokens get the same ids in every call, one after another, from a generator of your own. Draw them from rng.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special, own = list(special_ids), np.random.default_rng(0)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    changed = (selected & (lot > 0.9)).T
    inputs.T[changed] = own.choice(ordinary, changed.sum())
    return inputs, selected

# %% wrong: set_handed_to_isin
# says: np.isin takes a set for one single object, so no id is special. Make a list of it first.
# self-check: may be a set
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special_ids)
    lot, ordinary = rng.random(ids.shape), np.setdiff1d(np.arange(vocab_size), list(special_ids))
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% wrong: the_same_lot_twice
# says: One random number decides both whether a token is selected and what becomes of it. The selected ones are those with a small
#   number, so all of them are masked. Draw a second number.
# self-check: 10% get a random id
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special, lot = list(special_ids), rng.random(ids.shape)
    selected = (lot < share) & ~np.isin(ids, special)
    ordinary = np.setdiff1d(np.arange(vocab_size), special)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% right: token_by_token
# why: plain loops, one decision after another
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = set(int(i) for i in special_ids)
    ordinary = [i for i in range(vocab_size) if i not in special]
    inputs, selected = ids.copy(), np.zeros(ids.shape, dtype=bool)
    for place in np.ndindex(ids.shape):
        if int(ids[place]) in special or rng.random() >= share:
            continue
        selected[place] = True
        lot = rng.random()
        if lot < 0.8:
            inputs[place] = mask_id
        elif lot < 0.9:
            inputs[place] = ordinary[int(rng.random() * len(ordinary))]
    return inputs, selected

# %% right: one_lot_in_parts
# why: one random number for both decisions, cut into parts that are independent of each other
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = np.array(list(special_ids))
    lot = np.where(np.isin(ids, special), 2.0, rng.random(ids.shape))
    inputs = np.array(ids)
    inputs[lot < 0.8 * share] = mask_id
    drawn = (lot >= 0.8 * share) & (lot < 0.9 * share)
    inputs[drawn] = rng.choice([i for i in range(vocab_size) if i not in special], size=drawn.sum())
    return inputs, lot < share

# %% right: by_choice
# why: the fate of each token is drawn by name, and a table says which ids are ordinary
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    is_special = np.zeros(vocab_size, dtype=bool)
    is_special[list(special_ids)] = True
    fate = rng.choice(4, size=ids.shape, p=[1 - share, 0.8 * share, 0.1 * share, 0.1 * share])
    fate = np.where(is_special[ids], 0, fate)
    drawn = rng.choice(np.flatnonzero(~is_special), size=ids.shape)
    return np.choose(fate, [ids, np.full_like(ids, mask_id), drawn, ids]), fate > 0

# %% right: a_spawned_generator
# why: generators that rng leads to, one of them by a seed that rng draws
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special, (first, second) = list(special_ids), rng.spawn(2)
    third = np.random.default_rng(rng.integers(2**31))
    ordinary = np.setdiff1d(np.arange(vocab_size), special)
    selected = (first.uniform(size=ids.shape) < share) & ~np.isin(ids, special)
    lot = second.integers(10, size=ids.shape)
    inputs = np.where(selected & (lot < 8), mask_id, ids)
    return np.where(selected & (lot == 9), ordinary[third.integers(len(ordinary), size=ids.shape)], inputs), selected

# %% wrong: special_ids_sorted
# says: You sort special_ids in place: the list that was handed in is changed. `sorted` makes a new one.
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    if isinstance(special_ids, list):
        special_ids.sort()
    special = list(special_ids)
    ordinary = np.setdiff1d(np.arange(vocab_size), special)
    selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
    lot = rng.random(ids.shape)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    return np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs), selected

# %% right: by_in1d
# why: np.in1d is the older name of np.isin, which NumPy has up to 2.3
def mask_tokens(ids, vocab_size, mask_id, special_ids, rng, share=0.15):
    special = list(special_ids)
    allowed = ~np.in1d(ids.ravel(), special).reshape(ids.shape)
    ordinary = np.array([i for i in range(vocab_size) if i not in special])
    selected = (rng.random(ids.shape) < share) & allowed
    lot = rng.random(ids.shape)
    inputs = np.where(selected & (lot < 0.8), mask_id, ids)
    inputs = np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs)
    return inputs, selected

# %% equivalent
# because: a random number hits a bound exactly with probability zero
# was: inputs = np.where(selected & (lot < 0.8), mask_id, ids)
# now: inputs = np.where(selected & (lot <= 0.8), mask_id, ids)
# was: inputs = np.where(selected & (lot > 0.9), rng.choice(ordinary, ids.shape), inputs)
# now: inputs = np.where(selected & (lot >= 0.9), rng.choice(ordinary, ids.shape), inputs)
# was: selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
# now: selected = (rng.random(ids.shape) <= share) & ~np.isin(ids, special)

# %% equivalent
# because: both are random numbers from the same generator, and which of them is drawn first is left open
# was: selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special) ;; lot = rng.random(ids.shape)
# now: lot = rng.random(ids.shape) ;; selected = (rng.random(ids.shape) < share) & ~np.isin(ids, special)
