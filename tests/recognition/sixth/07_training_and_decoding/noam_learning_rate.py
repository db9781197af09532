# %% wrong: falls_from_the_end_of_warmup
# says: After the warm-up the root is taken of the steps since the warm-up ended, not of the step itself, so the rate jumps up and falls from there.
def noam_learning_rate(step, d_model, warmup_steps):
    if step <= warmup_steps:
        factor = step * warmup_steps ** -1.5
    else:
        factor = (step - warmup_steps) ** -0.5
    return float(d_model ** -0.5 * factor)


# %% wrong: width_scales_one_branch
# says: A slip with the parentheses: 1/sqrt(d_model) multiplies only the falling branch and not the rising one.
def noam_learning_rate(step, d_model, warmup_steps):
    return float(min(d_model ** -0.5 * step ** -0.5, step * warmup_steps ** -1.5))
