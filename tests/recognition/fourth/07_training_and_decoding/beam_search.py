# %% wrong: ended_keep_a_place
# says: Ended hypotheses are set aside without competing for the beam_size places, so they are never pruned and push nothing out of the beam.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    live = [([], 0.0)]
    done = []
    for _ in range(max_length):
        options = []
        for words, total in live:
            for i, lp in enumerate(np.asarray(next_log_probs([start_id] + words))):
                if np.isfinite(lp):
                    options.append((words + [i], total + float(lp)))
        options.sort(key=lambda o: o[1], reverse=True)
        done += [o for o in options if o[0][-1] == end_id]
        live = [o for o in options if o[0][-1] != end_id][:beam_size]
        if not live:
            break
    pool = done + live

    def score(h):
        return h[1] / ((5 + len(h[0])) / 6) ** alpha

    best = max(pool, key=score)
    words = best[0][:-1] if best[0][-1] == end_id else best[0]
    return list(words), score(best)


# %% wrong: only_ended_may_win
# says: Unfinished hypotheses are left out of the final choice whenever an ended one exists; after the last step all hypotheses in the beam compete by score.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [{"ids": [start_id], "sum": 0.0, "over": False}]
    for step in range(max_length):
        candidates = [h for h in beam if h["over"]]
        for h in beam:
            if h["over"]:
                continue
            log_probs = np.asarray(next_log_probs(list(h["ids"])), dtype="float64")
            for token in np.flatnonzero(log_probs > -np.inf):
                candidates.append({"ids": h["ids"] + [int(token)], "sum": h["sum"] + float(log_probs[token]),
                                   "over": int(token) == end_id})
        beam = sorted(candidates, key=lambda h: -h["sum"])[:beam_size]
        if all(h["over"] for h in beam):
            break
    finalists = [h for h in beam if h["over"]] or beam
    best, best_score = None, None
    for h in finalists:
        n = len(h["ids"]) - 1
        s = h["sum"] / ((5 + n) / 6) ** alpha
        if best is None or s > best_score:
            best, best_score = h, s
    tokens = best["ids"][1:]
    if best["over"]:
        tokens = tokens[:-1]
    return tokens, best_score


# %% wrong: start_filtered_out
# says: Every start id is filtered out of the result, also one that was generated later; only the first id, which was given, must be removed.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [(0.0, (start_id,), False)]
    for _ in range(max_length):
        pool = []
        for total, ids, ended in beam:
            if ended:
                pool.append((total, ids, True))
            else:
                row = np.asarray(next_log_probs(list(ids)))
                pool += [(total + float(p), ids + (k,), k == end_id) for k, p in enumerate(row) if p != -np.inf]
        pool.sort(key=lambda item: item[0])
        beam = pool[-beam_size:]
    scored = [(total / ((5 + len(ids) - 1) / 6) ** alpha, ids, ended) for total, ids, ended in beam]
    score, ids, ended = max(scored, key=lambda item: item[0])
    if ended:
        ids = ids[:-1]
    return [k for k in ids if k != start_id], score


# %% right: way_1
# why: A recursion over the remaining steps on immutable tuples; every hypothesis is a generator of its successors, an ended one yields only itself.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    import heapq

    def successors(total, generated, ended):
        if ended:
            yield total, generated, ended
            return
        row = np.asarray(next_log_probs([start_id, *generated]), dtype="float64").tolist()
        for token, log_p in enumerate(row):
            if log_p > float("-inf"):
                yield total + log_p, generated + (token,), token == end_id

    def grow(beam, left):
        if left == 0 or all(ended for _, _, ended in beam):
            return beam
        pool = (child for hypothesis in beam for child in successors(*hypothesis))
        return grow(heapq.nlargest(beam_size, pool, key=lambda h: h[0]), left - 1)

    def score(h):
        return h[0] / ((5 + len(h[1])) / 6) ** alpha

    winner = max(grow([(0.0, (), False)], int(max_length)), key=score)
    return list(winner[1][:len(winner[1]) - int(winner[2])]), score(winner)
