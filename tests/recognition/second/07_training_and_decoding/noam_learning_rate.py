# %% wrong: minus_one
# says: counts steps from 1 and subtracts one; the first rate is 0
def noam_learning_rate(step, d_model, warmup_steps):
    step = max(step - 1, 1e-9)
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: warmup_half
# says: warmup_steps to the power of -0.5
def noam_learning_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-0.5)


# %% wrong: from_zero
# says: counts steps from 0 and adds one
def noam_learning_rate(step, d_model, warmup_steps):
    step = step + 1
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: no_width
# says: d_model is left out
def noam_learning_rate(step, d_model, warmup_steps):
    return min(step**-0.5, step * warmup_steps**-1.5)


# %% right: way_4
# why: by the highest rate: (D w)^-1/2 times the share of it
def noam_learning_rate(step, d_model, warmup_steps):
    highest = 1.0 / (d_model * warmup_steps) ** 0.5
    return highest * min(step / warmup_steps, (warmup_steps / step) ** 0.5)


# %% right: way_1
# why: plain Python with math.sqrt and a case split at the warm-up
import math


def noam_learning_rate(step, d_model, warmup_steps):
    if step < warmup_steps:
        factor = step / (warmup_steps * math.sqrt(warmup_steps))
    else:
        factor = 1 / math.sqrt(step)
    return factor / math.sqrt(d_model)
