# %% wrong: fall_counts_from_peak
# says: After the warm-up the steps are counted anew, so the rate falls with the root of the steps since the peak.
def noam_learning_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        return float(d_model**-0.5 * step * warmup_steps**-1.5)
    return float(d_model**-0.5 * (step - warmup_steps) ** -0.5)


# %% wrong: width_in_one_branch
# says: The factor of the width stands inside min before the first branch only, so the rising branch is not scaled.
def noam_learning_rate(step, d_model, warmup_steps):
    return min(d_model**-0.5 * step**-0.5, step * warmup_steps**-1.5)


# %% wrong: step_and_warmup_exchanged
# says: In the second branch step and warm-up have changed places: the warm-up times the step to the power -1.5.
def noam_learning_rate(step, d_model, warmup_steps):
    return np.sqrt(1 / d_model) * min(step**-0.5, warmup_steps * step**-1.5)


# %% right: way_1
# why: works with logarithms, where the smaller branch has the smaller sum, and takes the exponential at the end
def noam_learning_rate(step, d_model, warmup_steps):
    log_n, log_d, log_w = np.log(np.array([step, d_model, warmup_steps], dtype=float))
    branches = np.array([-log_n / 2, log_n - 3 * log_w / 2])
    return float(np.exp(branches.min() - log_d / 2))
