# %% wrong: width_factor_only_after_warmup
# says: The factor d_model ** -0.5 belongs only to the second branch of the conditional expression, so during the warm-up the rate is not divided by the root of d_model.
def noam_learning_rate(step, d_model, warmup_steps):
    return step * warmup_steps ** -1.5 if step < warmup_steps else step ** -0.5 * d_model ** -0.5


# %% wrong: decays_with_one_over_step
# says: After the warm-up the rate falls like 1/step instead of with one over the root of step. Up to the peak it is right.
def noam_learning_rate(step, d_model, warmup_steps):
    highest = 1.0 / np.sqrt(d_model * warmup_steps)
    progress = step / warmup_steps
    return float(highest * min(progress, 1 / progress))
