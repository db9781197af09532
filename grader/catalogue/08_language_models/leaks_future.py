# %% wrong: changes_one_place
# says: You change the last position only. A leak may come from any position after the row: try them all.
# self-check: middle
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for new in rng.integers(before.shape[1], size=trials if len(ids) > 1 else 0):
        changed = ids.copy()
        changed[-1] = new
        if np.abs(np.asarray(model(changed))[:-1] - before[:-1]).max() > 1e-5:
            return True
    return False

# %% wrong: compares_the_last_row
# says: You compare the last row, which may see everything. A leak shows in the rows before the changed position.
# self-check: honest
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[-1] - before[-1]).max() > 1e-5:
                return True
    return False

# %% wrong: changes_nothing
# says: The model gets the same ids twice, so nothing can differ. Change the copy, and hand the copy over.
# self-check: mean over all rows
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    return any(np.abs(np.asarray(model(ids.copy())) - before).max() > 1e-5 for _ in range(trials))

# %% wrong: own_row_counts
# says: You compare the row of the changed position as well. That one may change: it sees its own id.
# self-check: the row of the changed position
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[: position + 1] - before[: position + 1]).max() > 1e-5:
                return True
    return False

# %% wrong: first_row_only
# says: You look at row 0 only. A leak may reach any row before the changed position.
# self-check: right before
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[0] - before[0]).max() > 1e-5:
                return True
    return False

# %% wrong: neighbour_only
# says: You compare only the row right before the changed position. A leak may reach any earlier row.
# self-check: row 0
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[position - 1] - before[position - 1]).max() > 1e-5:
                return True
    return False

# %% wrong: ids_of_the_text
# says: You put in only ids that are no larger than the largest one of the text. Draw from the whole vocabulary: the logits have a
#   column for each id.
# self-check: not in the text
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(ids.max() + 1, size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: mean_difference
# says: You take the mean of all differences. One logit that moves drowns in it, so take the largest difference.
# self-check: one of 2,000 logits
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).mean() > 1e-6:
                return True
    return False

# %% wrong: sum_of_differences
# says: You add up all differences, so the rounding of many logits looks like a leak. Take the largest difference.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).sum() > 1e-3:
                return True
    return False

# %% wrong: without_the_absolute_value
# says: You look for logits that rise. A leak may lower them as well: take the absolute value of the difference.
# self-check: only lowers logits
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if (np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: one_id_each
# says: You try each position with a single id. Half of all ids may not show the leak, so try `trials` of them.
# self-check: half of the ids
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        changed = ids.copy()
        changed[position] = (ids[position] + 1 + rng.integers(before.shape[1] - 1)) % before.shape[1]
        if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
            return True
    return False

# %% wrong: one_other_id
# says: You always put the same other id there. Whether a leak shows may depend on the id, so draw several.
# self-check: half of the ids
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for _ in range(trials):
            changed = ids.copy()
            changed[position] = 2 if ids[position] == 0 else 0
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: random_positions
# says: You draw `trials` positions at random, so some position may never be tried, or only with an id that does not show the leak.
# self-check: half of the ids
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for _ in range(trials if len(ids) > 1 else 0):
        position, changed = rng.integers(1, len(ids)), ids.copy()
        changed[position] = rng.integers(before.shape[1])
        if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
            return True
    return False

# %% wrong: numpys_own_numbers
# says: You draw from np.random, so nobody can repeat the test, not even with the same seed. Draw the ids from rng.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in np.random.randint(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: generator_of_its_own
# says: You draw from a generator of your own with a fixed seed, so every test asks the same questions, whatever rng is. Draw the ids from rng.
def leaks_future(model, ids, rng, trials=10):
    rng = np.random.default_rng(0)
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: spaced_ids
# says: Your ids are a fixed list, spread over the vocabulary. What shows only for the ids between them is missed. Draw the ids from rng.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in np.linspace(0, before.shape[1] - 1, trials).astype(int):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: first_row_and_neighbour
# says: You compare the first row and the one right before the changed position. A leak into a row between them is missed: compare all earlier rows.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs((np.asarray(model(changed)) - before)[[0, position - 1]]).max() > 1e-5:
                return True
    return False

# %% wrong: never_restored
# says: Your copy is made once, above the loops, so ids that were changed before are still changed. Begin each trial with a fresh copy.
# self-check: still changed
def leaks_future(model, ids, rng, trials=10):
    before, changed = np.asarray(model(ids)), ids.copy()
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: first_middle_last
# says: You try three positions. A leak may come from any later one: try them all.
def leaks_future(model, ids, rng, trials=10):
    before, T = np.asarray(model(ids)), len(ids)
    for position in {1, T // 2, T - 1} - {0} if T > 1 else ():
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: last_three_rows
# says: You compare the three rows before the changed position. A leak may reach further back: compare all earlier rows.
# self-check: another row
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs((np.asarray(model(changed)) - before)[max(position - 3, 0) : position]).max() > 1e-5:
                return True
    return False

# %% wrong: exact
# says: The same sum in another order rounds differently. Exact equality accuses honest models: allow 1e-6.
# self-check: rounding
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.array_equal(np.asarray(model(changed))[:position], before[:position]):
                return True
    return False

# %% wrong: changes_ids
# says: You change ids itself, so the caller's text is another one afterwards, and changes pile up. Change a copy.
# self-check: change a copy
def leaks_future(model, ids, rng, trials=10):
    before = np.array(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            ids[position] = new
            if np.abs(np.asarray(model(ids))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: last_position_left_out
# says: Your range ends before the last position. It is the one that a wrong mask shows most often.
# self-check: last position
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids) - 1):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: most_likely_id_only
# says: You compare which id is most likely. A leak may move the logits without changing the winner.
# self-check: last position
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids)).argmax(axis=-1)
    size = np.shape(model(ids))[1]
    for position in range(1, len(ids)):
        for new in rng.integers(size, size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.array_equal(np.asarray(model(changed)).argmax(axis=-1)[:position], before[:position]):
                return True
    return False

# %% wrong: relative_tolerance
# says: np.allclose allows a share of the number itself, so among large logits a small leak passes. Compare absolute differences.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.allclose(np.asarray(model(changed))[:position], before[:position], rtol=1e-4, atol=1e-5):
                return True
    return False

# %% wrong: relative_tolerance_of_allclose
# says: np.allclose allows 1e-5 of the number itself beside atol, so among large logits a small leak passes. Say rtol=0.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.allclose(np.asarray(model(changed))[:position], before[:position], atol=1e-5):
                return True
    return False

# %% wrong: rounded_before_comparing
# says: You round the logits before you compare them. Two that lie on both sides of an edge differ then, however near they are: look at their difference.
def leaks_future(model, ids, rng, trials=10):
    before = np.round(np.asarray(model(ids)), 4)
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.array_equal(np.round(np.asarray(model(changed)), 4)[:position], before[:position]):
                return True
    return False

# %% wrong: sorted_into_bins
# says: You sort the logits into bins before you compare them. Two that lie on both sides of an edge differ then, however near they are: look at their difference.
def leaks_future(model, ids, rng, trials=10):
    before = np.round(np.asarray(model(ids)) / 5e-4)
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.array_equal(np.round(np.asarray(model(changed)) / 5e-4)[:position], before[:position]):
                return True
    return False

# %% wrong: half_of_the_trials
# says: You try fewer random ids at each position than trials says.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials // 2 + 5):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% right: allclose_without_a_share
# why: np.allclose with rtol=0 compares absolute differences
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if not np.allclose(np.asarray(model(changed))[:position], before[:position], rtol=0, atol=1e-4):
                return True
    return False

# %% wrong: inverted
# says: The answer is inverted: True is for models that leak.
# self-check: honest
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=trials):
            changed = ids.copy()
            changed[position] = new
            if np.abs(np.asarray(model(changed))[:position] - before[:position]).max() > 1e-5:
                return False
    return True

# %% wrong: always_ten_trials
# says: You try ten ids, however many `trials` asks for.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(before.shape[1], size=10):
            changed = ids.copy()
            changed[position] = new
            after = np.asarray(model(changed))
            if np.abs(after[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% wrong: last_id_never_drawn
# says: The upper end of rng.integers is left out already, so you never draw the last id.
def leaks_future(model, ids, rng, trials=10):
    before = np.asarray(model(ids))
    for position in range(1, len(ids)):
        for new in rng.integers(0, before.shape[1] - 1, size=trials):
            changed = ids.copy()
            changed[position] = new
            after = np.asarray(model(changed))
            if np.abs(after[:position] - before[:position]).max() > 1e-5:
                return True
    return False

# %% right: later_ids_together
# why: for each cut all ids after it are drawn anew, many times; a single position that leaks is among them
def leaks_future(model, ids, rng, trials=10):
    before, T = np.asarray(model(ids)), len(ids)
    for cut in range(1, T):
        for _ in range(2 * trials):
            changed = np.concatenate([ids[:cut], rng.integers(0, before.shape[1], T - cut)])
            if np.max(np.abs(np.asarray(model(changed))[:cut] - before[:cut])) > 1e-4:
                return True
    return False

# %% right: all_ids
# why: tries every id of the vocabulary in every later place, so it needs no chance
def leaks_future(model, ids, rng, trials=10):
    logits = np.array(model(ids))
    T, size = logits.shape
    for t in range(1, T):
        for new in range(size):
            other = np.array([*ids[:t], new, *ids[t + 1 :]])
            worst = np.abs(np.array(model(other))[:t] - logits[:t])
            if np.any(worst > 5e-4):
                return True
    return False

# %% right: worst_of_all
# why: collects the largest difference and judges at the end
def leaks_future(model, ids, rng, trials=10):
    before, worst = np.asarray(model(ids), dtype="float64"), 0.0
    for position in range(len(ids) - 1, 0, -1):
        for new in rng.choice(before.shape[1], trials):
            changed = np.where(np.arange(len(ids)) == position, new, ids)
            after = np.asarray(model(changed), dtype="float64")
            worst = max(worst, float(np.max(np.abs(after - before)[:position])))
    return bool(worst > 2e-6)

# %% equivalent
# because: the docstring leaves everything between 1e-6 and 1e-3 open, so the bound itself and its neighbours are as good
# was: if np.abs(after[:position] - before[:position]).max() > 1e-05:
# now: if np.abs(after[:position] - before[:position]).max() >= 1e-05:
# was: if np.abs(after[:position] - before[:position]).max() > 1e-05:
# now: if np.abs(after[:position] - before[:position]).max() > 2e-05:

# %% equivalent
# because: the size of a difference does not depend on what is subtracted from what
# was: if np.abs(after[:position] - before[:position]).max() > 1e-05:
# now: if np.abs(before[:position] - after[:position]).max() > 1e-05:
