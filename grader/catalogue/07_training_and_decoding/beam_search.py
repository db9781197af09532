# %% wrong: unfinished_lost
# says: Only ended hypotheses take part in your final choice. After the last step the unfinished ones compete too.
# self-check: unfinished
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam, done = [([start_id], 0.0)], []
    for _ in range(max_length):
        grown = [(t, s, True) for t, s in done]
        for tokens, total in beam:
            grown += [([*tokens, i], total + p, i == end_id) for i, p in enumerate(next_log_probs(tokens))]
        grown = sorted(grown, key=lambda h: -h[1])[:beam_size]
        done, beam = [h[:2] for h in grown if h[2]], [h[:2] for h in grown if not h[2]]
    if not done:
        return [], -np.inf
    tokens, total = max(done, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return tokens[1:-1], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: ended_make_room
# says: You take ended hypotheses out of the beam, so that others move up. They keep their place and compete.
# self-check: went on
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam, done = [([start_id], 0.0)], []
    for _ in range(max_length):
        grown = [([*t, i], s + p) for t, s in beam for i, p in enumerate(next_log_probs(t))]
        grown = sorted(grown, key=lambda h: -h[1])
        done += [h for h in grown[:beam_size] if h[0][-1] == end_id]
        beam = [h for h in grown if h[0][-1] != end_id][:beam_size]
    tokens, total = max(done + beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    n = len(tokens) - 1
    return [t for t in tokens[1:] if t != end_id], total / ((5 + n) / 6) ** alpha

# %% wrong: probabilities_multiplied
# says: You multiplied probabilities. The score is the sum of their logarithms.
# self-check: no sum
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 1.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total * np.exp(p)) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    tokens, total = beam[0]
    return [t for t in tokens[1:] if t != end_id], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: penalty_multiplied
# says: You multiplied by the penalty. The sum is negative: to favour longer sentences, divide.
# self-check: you multiply by the penalty
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    scores = [s * ((4 + len(t)) / 6) ** alpha for t, s in beam]
    tokens = beam[int(np.argmax(scores))][0]
    return [t for t in tokens[1:-1]] + [t for t in tokens[-1:] if t != end_id], max(scores)

# %% wrong: end_not_counted
# says: Your n leaves the end id out. It counts as a generated id.
# self-check: end id as well
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    def n(tokens):
        return len(tokens) - 1 - (tokens[-1] == end_id)
    scores = [s / ((5 + n(t)) / 6) ** alpha for t, s in beam]
    tokens = beam[int(np.argmax(scores))][0]
    return tokens[1 : n(tokens) + 1], max(scores)

# %% wrong: penalty_in_pruning
# says: You prune by the penalised score. Hypotheses in the beam compete by raw sum.
# self-check: prunes by score
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    def score(h):
        return h[1] / ((4 + len(h[0])) / 6) ** alpha
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=score, reverse=True)[:beam_size]
    tokens = beam[0][0]
    return [t for t in tokens[1:-1]] + [t for t in tokens[-1:] if t != end_id], score(beam[0])

# %% wrong: always_greedy
# says: beam_size has no influence: you keep one hypothesis only.
# self-check: beam_size has no influence
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    tokens, total = [start_id], 0.0
    for _ in range(max_length):
        p = np.asarray(next_log_probs(list(tokens)))
        tokens.append(int(p.argmax()))
        total += p.max()
        if tokens[-1] == end_id:
            break
    n = len(tokens) - 1
    return tokens[1:-1] if tokens[-1] == end_id else tokens[1:], total / ((5 + n) / 6) ** alpha

# %% wrong: keeps_the_end
# says: The end id is part of your tokens. It ends the sentence and is not a word of it.
# self-check: end id is kept
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    tokens, total = max(beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return tokens[1:], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: end_not_scored
# says: The log probability of the end id is missing from your score. Ending costs too.
# self-check: missing from the score
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], [])]
    for _ in range(max_length):
        grown = []
        for tokens, steps in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, steps))
            else:
                grown += [([*tokens, i], [*steps, p]) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=lambda h: -sum(h[1]))[:beam_size]
    tokens, steps = max(beam, key=lambda h: sum(h[1]) / ((4 + len(h[0])) / 6) ** alpha)
    total = sum(steps[:-1] if tokens[-1] == end_id else steps)
    return [t for t in tokens[1:] if t != end_id], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: first_ended_wins
# says: You stop at the first ended hypothesis. Another may still overtake it: all compete after the last step.
# self-check: too soon
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = [([*t, i], s + p) for t, s in beam for i, p in enumerate(next_log_probs(t))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
        ended = [h for h in beam if h[0][-1] == end_id]
        if ended:
            tokens, total = ended[0]
            return tokens[1:-1], total / ((4 + len(tokens)) / 6) ** alpha
    tokens, total = beam[0]
    return tokens[1:], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: ended_go_on
# says: You continue hypotheses after their end id. An ended one only keeps its place.
# self-check: went on
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = [([*t, i], s + p) for t, s in beam for i, p in enumerate(next_log_probs(t))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    tokens, total = max(beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return [t for t in tokens[1:] if t != end_id], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: only_the_last_token
# says: You give the model the last id only. It is asked with the whole list, start id first.
# self-check: only the last token
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens[-1:]))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    tokens, total = max(beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return [t for t in tokens[1:] if t != end_id], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: ended_dropped
# says: Ended hypotheses vanish at the next step. They keep their place in the beam and compete.
# self-check: an ended hypothesis is lost
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) == 1 or tokens[-1] != end_id:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens))]
        if not grown:
            break
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    scores = [s / ((4 + len(t)) / 6) ** alpha for t, s in beam]
    tokens = beam[int(np.argmax(scores))][0]
    return [t for t in tokens[1:-1]] + [t for t in tokens[-1:] if t != end_id], max(scores)

# %% wrong: append_to_the_hypothesis
# says: append changes the hypothesis itself, so all its candidates are one list. Make a new list for each.
# self-check: make a new list
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
                continue
            for i, p in enumerate(next_log_probs(list(tokens))):
                tokens.append(i)
                grown.append((tokens, total + p))
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    scores = [s / ((4 + len(t)) / 6) ** alpha for t, s in beam]
    tokens = beam[int(np.argmax(scores))][0]
    return [t for t in tokens[1:] if t != end_id], max(scores)

# %% wrong: start_counted
# says: n counts the generated ids only; yours counts the start id too.
# self-check: n leaves the start id out
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        grown = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                grown.append((tokens, total))
            else:
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(tokens))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
    scores = [s / ((5 + len(t)) / 6) ** alpha for t, s in beam]
    tokens = beam[int(np.argmax(scores))][0]
    return [t for t in tokens[1:-1]] + [t for t in tokens[-1:] if t != end_id], max(scores)

# %% right: best_of_each_first
# why: cutting each hypothesis's continuations to beam_size first loses nothing
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [(0.0, [start_id], False)]
    for _ in range(max_length):
        grown = [h for h in beam if h[2]]
        for total, tokens, done in beam:
            if not done:
                p = np.asarray(next_log_probs(list(tokens)))
                grown += [(total + p[i], [*tokens, int(i)], i == end_id) for i in np.argsort(-p, kind="stable")[:beam_size]]
        beam = sorted(grown, key=lambda h: -h[0])[:beam_size]
    best = max(beam, key=lambda h: h[0] / ((5 + len(h[1]) - 1) / 6) ** alpha)
    n = len(best[1]) - 1
    return best[1][1 : n if best[2] else n + 1], best[0] / ((5 + n) / 6) ** alpha

# %% wrong: one_step_too_many
# says: With max_length=1 you take two steps: you ask whether to stop after the second one only.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    def grow(beam):
        grown = [h for h in beam if h[0][1:] and h[0][-1] == end_id]
        for tokens, total in beam:
            if not (tokens[1:] and tokens[-1] == end_id):
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(list(tokens)))]
        return sorted(grown, key=lambda h: -h[1])[:beam_size]

    beam, steps = grow([([start_id], 0.0)]), 1
    while True:
        beam, steps = grow(beam), steps + 1
        if steps >= max_length:
            break
    tokens, total = max(beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    score = total / ((4 + len(tokens)) / 6) ** alpha
    return tokens[1:-1] if tokens[-1] == end_id else tokens[1:], score

# %% wrong: ended_stay_for_good
# says: An ended hypothesis keeps its place for good in your beam. It competes: others with larger sums may displace it.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam, done = [([start_id], 0.0)], []
    for _ in range(max_length):
        grown = [([*t, i], s + p) for t, s in beam for i, p in enumerate(next_log_probs(list(t)))]
        grown = sorted(grown, key=lambda h: -h[1])[: beam_size - len(done)]
        done += [h for h in grown if h[0][-1] == end_id]
        beam = [h for h in grown if h[0][-1] != end_id]
        if not beam:
            break
    tokens, total = max(done + beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return [t for t in tokens[1:-1]] + [t for t in tokens[-1:] if t != end_id], total / ((4 + len(tokens)) / 6) ** alpha

# %% wrong: ended_collected
# says: Your final choice knows ended hypotheses that fell out of the beam. Only those in the beam after the last step compete.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    def ended(tokens):
        return len(tokens) > 1 and tokens[-1] == end_id

    beam, pool = [([start_id], 0.0)], []
    for _ in range(max_length):
        grown = [h for h in beam if ended(h[0])]
        for tokens, total in beam:
            if not ended(tokens):
                grown += [([*tokens, i], total + p) for i, p in enumerate(next_log_probs(list(tokens)))]
        beam = sorted(grown, key=lambda h: -h[1])[:beam_size]
        pool += [h for h in beam if ended(h[0]) and h not in pool]
    tokens, total = max(pool + beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return tokens[1:-1] if ended(tokens) else tokens[1:], total / ((4 + len(tokens)) / 6) ** alpha

# %% right: asks_again
# why: which lists the model is asked about counts, not how often
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0, False)]
    for _ in range(max_length):
        grown = [h for h in beam if h[2]]
        for tokens, total, done in beam:
            if not done:
                for i in range(len(next_log_probs(tokens))):
                    grown.append((tokens + [i], total + next_log_probs(tokens)[i], i == end_id))
        beam = sorted(grown, key=lambda h: h[1], reverse=True)[:beam_size]
    tokens, total, done = max(beam, key=lambda h: h[1] / ((4 + len(h[0])) / 6) ** alpha)
    return tokens[1:-1] if done else tokens[1:], total / ((4 + len(tokens)) / 6) ** alpha

# %% right: stops_early
# why: leaves the loop when all hypotheses have ended
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [((), 0.0)]
    for _ in range(max_length):
        if all(t and t[-1] == end_id for t, _ in beam):
            break
        grown = []
        for t, s in beam:
            if t and t[-1] == end_id:
                grown.append((t, s))
                continue
            for i, p in enumerate(np.asarray(next_log_probs([start_id, *t]))):
                grown.append((t + (i,), s + p))
        grown.sort(key=lambda h: h[1], reverse=True)
        beam = grown[:beam_size]
    t, s = max(beam, key=lambda h: h[1] / ((5 + len(h[0])) / 6) ** alpha)
    return [int(i) for i in (t[:-1] if t[-1] == end_id else t)], float(s / ((5 + len(t)) / 6) ** alpha)

# %% right: arrays_of_sums
# why: sums in an array, one argsort over all continuations
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    texts, sums, over = [[start_id]], np.zeros(1), [False]
    for _ in range(max_length):
        new_texts, new_sums, new_over = [], [], []
        for text, total, done in zip(texts, sums, over):
            if done:
                new_texts.append(text)
                new_sums.append(total)
                new_over.append(True)
            else:
                for i, p in enumerate(next_log_probs(list(text))):
                    new_texts.append(text + [i])
                    new_sums.append(total + p)
                    new_over.append(i == end_id)
        keep = np.argsort(-np.array(new_sums), kind="stable")[:beam_size]
        texts, sums, over = [new_texts[k] for k in keep], [new_sums[k] for k in keep], [new_over[k] for k in keep]
    scores = np.array([s / ((4 + len(t)) / 6) ** alpha for s, t in zip(sums, texts)])
    k = int(scores.argmax())
    return texts[k][1:-1] if over[k] else texts[k][1:], float(scores[k])
