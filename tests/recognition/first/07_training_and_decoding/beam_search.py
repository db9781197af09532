# %% wrong: append
# says: appends to the hypothesis itself: all candidates share one list
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                candidates.append((tokens, total))
                continue
            for i, log_p in enumerate(next_log_probs(tokens)):
                longer = tokens
                longer.append(i)
                candidates.append((longer, total + float(log_p)))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
        if all(tokens[-1] == end_id for tokens, _ in beam):
            break

    def score(hypothesis):
        tokens, total = hypothesis
        return total / ((5 + len(tokens) - 1) / 6) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: multiplies_logs
# says: multiplies the log probabilities
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 1.0)]
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                candidates.append((tokens, total))
                continue
            for i, log_p in enumerate(next_log_probs(tokens)):
                candidates.append(([*tokens, i], -abs(total * float(log_p))))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
        if all(tokens[-1] == end_id for tokens, _ in beam):
            break

    def score(hypothesis):
        tokens, total = hypothesis
        return total / ((5 + len(tokens) - 1) / 6) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: fills_with_ended
# says: stops as soon as beam_size hypotheses have ended, counting those that did not stay in the beam
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam, ended = [([start_id], 0.0)], set()
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                candidates.append((tokens, total))
                continue
            for i, log_p in enumerate(next_log_probs(tokens)):
                candidates.append(([*tokens, i], total + float(log_p)))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
        ended |= {tuple(h[0]) for h in candidates if h[0][-1] == end_id}
        if len(ended) >= beam_size:
            break

    def score(hypothesis):
        tokens, total = hypothesis
        return total / ((5 + len(tokens) - 1) / 6) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: alpha_outside
# says: multiplies the penalty by alpha instead of raising it to the power
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            if len(tokens) > 1 and tokens[-1] == end_id:
                candidates.append((tokens, total))
                continue
            for i, log_p in enumerate(next_log_probs(tokens)):
                candidates.append(([*tokens, i], total + float(log_p)))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
        if all(tokens[-1] == end_id for tokens, _ in beam):
            break

    def score(hypothesis):
        tokens, total = hypothesis
        return total / (alpha * (5 + len(tokens) - 1) / 6 if alpha else 1.0)

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% right: way_2
# why: NumPy: all sums of a step in one vector, the best by argsort; NumPy integers and a NumPy float as results
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    hypotheses, sums, ended = [[start_id]], np.zeros(1), np.zeros(1, dtype=bool)
    for _ in range(max_length):
        if ended.all():
            break
        longer, totals, closed = [], [], []
        for tokens, total, done in zip(hypotheses, sums, ended):
            if done:
                longer.append(tokens), totals.append([total]), closed.append([True])
                continue
            log_probs = np.asarray(next_log_probs(tokens), dtype=float)
            words = np.arange(len(log_probs))
            longer += [tokens + [i] for i in words]
            totals.append(total + log_probs), closed.append(words == end_id)
        totals, closed = np.concatenate(totals), np.concatenate(closed)
        best = np.argsort(-totals, kind="stable")[:beam_size]
        hypotheses, sums, ended = [longer[i] for i in best], totals[best], closed[best]
    n = np.array([len(tokens) - 1 for tokens in hypotheses])
    scores = sums / ((5 + n) / 6) ** alpha
    winner = int(np.argmax(scores))
    tokens = hypotheses[winner][1:]
    return tokens[:-1] if ended[winner] else tokens, scores[winner]


# %% right: way_1
# why: pure Python with (sum, ids, ended) triples and a loop by while
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam, steps = [(0.0, [start_id], False)], 0
    while steps < max_length and not all(ended for _, _, ended in beam):
        steps += 1
        candidates = []
        for total, ids, ended in beam:
            if ended:
                candidates.append((total, ids, True))
            else:
                log_probs = next_log_probs(list(ids))
                for i in range(len(log_probs)):
                    candidates.append((total + float(log_probs[i]), ids + [i], i == end_id))
        candidates.sort(key=lambda h: -h[0])
        beam = candidates[:beam_size]
    best, best_score = None, None
    for total, ids, ended in beam:
        n = len(ids) - 1
        score = total / ((5 + n) / 6) ** alpha
        if best is None or score > best_score:
            best, best_score = (ids[1:-1] if ended else ids[1:]), score
    return best, best_score
