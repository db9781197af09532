# %% wrong: n_without_end
# says: n leaves the end id out
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
        return total / ((5 + len(tokens) - 1 - (tokens[-1] == end_id)) / 6) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: ascending
# says: takes the smallest sum: sorts in the wrong direction
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
        beam = sorted(candidates, key=lambda h: h[1], reverse=False)[:beam_size]
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


# %% wrong: multiplies
# says: multiplies by the penalty
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
        return total * ((5 + len(tokens) - 1) / 6) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: divides_by_length
# says: divides by the length to the power of alpha, without the 5 and 6
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
        return total / (len(tokens) - 1) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% right: way_3
# why: heapq.nlargest, only each hypothesis' beam_size best words as candidates; impossible words are left out
import heapq


def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [(0.0, (), False)]
    for _ in range(max_length):
        candidates = [h for h in beam if h[2]]
        for total, words, done in beam:
            if not done:
                log_probs = np.asarray(next_log_probs([start_id, *words]))
                for i in heapq.nlargest(beam_size, range(len(log_probs)), key=lambda i: log_probs[i]):
                    if log_probs[i] > -np.inf:
                        candidates.append((total + float(log_probs[i]), (*words, i), i == end_id))
        beam = heapq.nlargest(beam_size, candidates, key=lambda h: h[0])
    total, words, done = max(beam, key=lambda h: h[0] / ((5 + len(h[1])) / 6) ** alpha)
    return list(words[:-1] if done else words), total / ((5 + len(words)) / 6) ** alpha
