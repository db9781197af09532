# %% wrong: ended_ones_leave_the_beam
# says: Hypotheses that have ended are put aside and take no place in the beam, so they never push out unfinished ones and are never pushed out by them.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    live, ended = [([start_id], 0.0)], []
    for _ in range(max_length):
        candidates = []
        for tokens, total in live:
            logs = np.asarray(next_log_probs(list(tokens)))
            for i, log in enumerate(logs):
                if log > -np.inf:
                    candidates.append(([*tokens, i], total + float(log)))
        candidates.sort(key=lambda h: h[1], reverse=True)
        live = []
        for tokens, total in candidates[:beam_size]:
            (ended if tokens[-1] == end_id else live).append((tokens, total))
        if not live:
            break

    def score(h):
        return h[1] / ((5 + len(h[0]) - 1) / 6) ** alpha

    best = max(live + ended, key=score)
    tokens = best[0][1:]
    if tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: unfinished_only_if_none_ended
# says: At the end only the ended hypotheses compete; the unfinished ones are considered only if there is no ended one.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([], 0.0, False)]
    for _ in range(max_length):
        if all(done for _, _, done in beam):
            break
        candidates = []
        for tokens, total, done in beam:
            if done:
                candidates.append((tokens, total, True))
                continue
            logs = np.asarray(next_log_probs([start_id] + tokens))
            for i in range(len(logs)):
                if np.isfinite(logs[i]):
                    candidates.append((tokens + [i], total + float(logs[i]), i == end_id))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]
    pool = [h for h in beam if h[2]] or beam
    scored = [(total / ((5 + len(tokens)) / 6) ** alpha, tokens, done) for tokens, total, done in pool]
    score, tokens, done = max(scored, key=lambda h: h[0])
    return (tokens[:-1] if done else tokens), score
