# %% wrong: max_for_min
# says: You took the larger of the two branches. The smaller one is the rate.
# self-check: in place of min
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * max(float(step) ** -0.5, float(step) * float(warmup_steps) ** -1.5)

# %% wrong: root_for_one_over_root
# says: The power of the step is minus one half. Yours grows with the step.
# self-check: one over the root
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * min(float(step) ** 0.5, float(step) * float(warmup_steps) ** -1.5)

# %% wrong: no_width
# says: d_model has no influence. The rate is divided by its root.
# self-check: d_model is missing
def noam_learning_rate(step, d_model, warmup_steps):
    return min(float(step) ** -0.5, float(step) * float(warmup_steps) ** -1.5)

# %% wrong: times_the_root_of_the_width
# says: Wider models get smaller rates: divide by the root of d_model.
# self-check: d_model is -0.5
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** 0.5 * min(float(step) ** -0.5, float(step) * float(warmup_steps) ** -1.5)

# %% wrong: warmup_to_one_half
# says: The power of warmup_steps is -1.5, so that the branches meet at the warm-up.
# self-check: warmup_steps is -1.5
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * min(float(step) ** -0.5, float(step) * float(warmup_steps) ** -0.5)

# %% wrong: counts_from_zero
# says: You added 1 to the step. Steps arrive counted from 1.
# self-check: one too many
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * min((step + 1.0) ** -0.5, (step + 1.0) * float(warmup_steps) ** -1.5)

# %% wrong: flat_after_the_warmup
# says: After the warm-up your rate stays. It falls with the root of the step.
# self-check: yours stays
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * min(float(warmup_steps) ** -0.5, float(step) * float(warmup_steps) ** -1.5)

# %% wrong: no_warmup
# says: The rise is missing: your rate is highest at the first step.
# self-check: rise is missing
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * float(step) ** -0.5

# %% wrong: falls_with_the_step
# says: After the warm-up the rate falls with the root of the step, not with the step itself.
# self-check: root of the step
def noam_learning_rate(step, d_model, warmup_steps):
    return float(d_model) ** -0.5 * min(1 / float(step), float(step) / float(warmup_steps) ** 2)

# %% right: two_branches
# why: an if in place of min
def noam_learning_rate(step, d_model, warmup_steps):
    if step < warmup_steps:
        return float(step / (warmup_steps * np.sqrt(d_model * warmup_steps)))
    return float(1 / np.sqrt(d_model * step))

# %% right: with_numpy
# why: numpy's minimum and roots
def noam_learning_rate(step, d_model, warmup_steps):
    return np.minimum(1 / np.sqrt(step), step / np.sqrt(warmup_steps) ** 3) / np.sqrt(d_model)

# %% right: peak_times_share
# why: the peak, times a share of it
def noam_learning_rate(step, d_model, warmup_steps):
    share = float(step) / float(warmup_steps)
    return (float(d_model) * float(warmup_steps)) ** -0.5 * min(share, share**-0.5)

# %% equivalent
# because: numpy integers with a float exponent give floats as well; the conversion only makes that plain
# was: step, d_model, warmup_steps = (float(step), float(d_model), float(warmup_steps))
# now: pass
