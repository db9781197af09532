# %% wrong: start_id_taken_for_the_end
# says: Whether a hypothesis has ended is read off its last id, start id included, so if start_id equals end_id the search takes the empty beginning for a finished sentence and generates nothing.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            if tokens[-1] == end_id:
                candidates.append((tokens, total))
                continue
            for i, logp in enumerate(next_log_probs(list(tokens))):
                if logp > -np.inf:
                    candidates.append((tokens + [i], total + float(logp)))
        beam = sorted(candidates, key=lambda c: c[1], reverse=True)[:beam_size]

    def score(h):
        return h[1] / ((5 + len(h[0]) - 1) / 6) ** alpha

    best = max(beam, key=score)
    generated = best[0][1:]
    if best[0][-1] == end_id:
        generated = generated[:-1]
    return generated, score(best)


# %% wrong: ended_hypotheses_take_no_place
# says: Ended hypotheses are put aside into a list of their own and take no place in the beam, so beam_size unfinished ones always go on. By the rules the ended ones compete with the others for the places; with a length penalty this gives other results.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    live = [([], 0.0)]
    done = []
    for _ in range(max_length):
        candidates = []
        for tokens, total in live:
            logp = next_log_probs([start_id] + tokens)
            for i in range(len(logp)):
                if np.isfinite(logp[i]):
                    candidates.append((tokens + [i], total + float(logp[i])))
        candidates.sort(key=lambda c: -c[1])
        live = []
        for tokens, total in candidates:
            if len(live) == beam_size:
                break
            if tokens[-1] == end_id:
                done.append((tokens, total))
            else:
                live.append((tokens, total))
        if not live:
            break
    results = []
    for tokens, total in done + live:
        score = total / ((5 + len(tokens)) / 6) ** alpha
        results.append((score, [t for t in tokens if t != end_id]))
    score, tokens = max(results, key=lambda r: r[0])
    return tokens, score


# %% right: heap_and_dictionary
# why: The beam is a dict from tuples of generated ids to sums, the best are taken with heapq.nlargest; ended tuples are recognised by their last generated id, so the start id cannot end anything. All the rules hold.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    import heapq

    def ended(h):
        return len(h) > 0 and h[-1] == end_id

    beam = {(): 0.0}
    for _ in range(max_length):
        pool = {h: s for h, s in beam.items() if ended(h)}
        for h in beam.keys() - pool.keys():
            row = np.asarray(next_log_probs([start_id, *h]))
            for i in np.flatnonzero(row > -np.inf).tolist():
                pool[h + (i,)] = beam[h] + float(row[i])
        beam = dict(heapq.nlargest(beam_size, pool.items(), key=lambda item: item[1]))
    final = {h: s / ((5 + len(h)) / 6) ** alpha for h, s in beam.items()}
    winner = max(final, key=final.get)
    return list(winner[:-1] if ended(winner) else winner), final[winner]
