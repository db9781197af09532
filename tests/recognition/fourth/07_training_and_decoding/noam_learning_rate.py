# %% wrong: counts_from_zero
# says: One is added to the step as if steps were counted from 0, but the first step is already 1, so every rate is that of the next step.
def noam_learning_rate(step, d_model, warmup_steps):
    s = float(step + 1)
    w = float(warmup_steps)
    return float(d_model) ** -0.5 * min(s ** -0.5, s * w ** -1.5)


# %% wrong: width_on_one_branch
# says: The factor D ** -0.5 is applied only to the falling branch; it has to stand before the minimum and scale both branches.
def noam_learning_rate(step, d_model, warmup_steps):
    falling = 1.0 / np.sqrt(d_model) * 1.0 / np.sqrt(step)
    rising = step / (warmup_steps * np.sqrt(warmup_steps))
    return float(np.minimum(falling, rising))


# %% wrong: falls_with_step
# says: After the warm-up the rate falls with 1 / step instead of with one over the root of the step.
def noam_learning_rate(step, d_model, warmup_steps):
    peak = 1.0 / float(d_model * warmup_steps) ** 0.5
    if step <= warmup_steps:
        return float(peak * step / warmup_steps)
    return float(peak * warmup_steps / step)


# %% right: way_1
# why: Takes s ** -0.5 out of the minimum: what is left is min(1, s / w) ** 1.5, and the root covers D and s together.
def noam_learning_rate(step, d_model, warmup_steps):
    s, D, w = float(step), float(d_model), float(warmup_steps)
    return (D * s) ** -0.5 * min(1.0, s / w) ** 1.5
