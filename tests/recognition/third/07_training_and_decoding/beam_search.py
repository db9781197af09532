# %% wrong: start_taken_for_end
# says: A hypothesis counts as ended when its last id is the end id, also if that is the start id with which it begins.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0)]
    for _ in range(max_length):
        candidates = []
        for tokens, total in beam:
            if tokens[-1] == end_id:
                candidates.append((tokens, total))
                continue
            log_probs = np.asarray(next_log_probs(list(tokens)))
            for i in range(len(log_probs)):
                candidates.append(([*tokens, i], total + float(log_probs[i])))
        beam = sorted(candidates, key=lambda h: h[1], reverse=True)[:beam_size]

    def score(h):
        return h[1] / ((5 + len(h[0]) - 1) / 6) ** alpha

    best = max(beam, key=score)
    tokens = best[0][1:]
    if tokens and tokens[-1] == end_id:
        tokens = tokens[:-1]
    return tokens, score(best)


# %% wrong: last_id_always_cut
# says: The last id of the winner is cut off whether or not it is the end id, so an unfinished sentence loses its last word.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [([start_id], 0.0, False)]
    for _ in range(max_length):
        grown = []
        for tokens, total, done in beam:
            if done:
                grown.append((tokens, total, True))
            else:
                for i, p in enumerate(np.asarray(next_log_probs(tokens))):
                    grown.append((tokens + [i], total + p, i == end_id))
        grown.sort(key=lambda h: -h[1])
        beam = grown[:beam_size]
    scores = [total / ((5 + len(tokens) - 1) / 6) ** alpha for tokens, total, _ in beam]
    winner = int(np.argmax(scores))
    return beam[winner][0][1:-1], float(scores[winner])


# %% wrong: stops_when_the_best_has_ended
# says: The search stops as soon as the hypothesis with the largest sum has ended, although with a penalty a longer one may still win.
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    beam = [(0.0, [start_id], False)]
    for _ in range(max_length):
        candidates = [h for h in beam if h[2]]
        for total, tokens, ended in beam:
            if not ended:
                log_probs = np.asarray(next_log_probs(tokens))
                candidates += [(total + log_probs[i], [*tokens, i], i == end_id) for i in range(len(log_probs))]
        candidates.sort(key=lambda h: h[0], reverse=True)
        beam = candidates[:beam_size]
        if beam[0][2]:
            break
    score = lambda h: h[0] / ((5 + len(h[1]) - 1) / 6) ** alpha
    best = max(beam, key=score)
    tokens = best[1][1:-1] if best[2] else best[1][1:]
    return tokens, float(score(best))


# %% right: way_1
# why: recursion over the steps left; hypotheses are nested tuples (parent, id), the beam is cut with heapq
def beam_search(next_log_probs, start_id, end_id, beam_size, max_length, alpha=0.0):
    import heapq

    def spell(node):
        ids = []
        while node is not None:
            node, i = node
            ids.append(i)
        return ids[::-1]

    def grow(beam, left):
        if left == 0 or all(ended for _, _, ended in beam):
            return beam
        pool = []
        for total, node, ended in beam:
            if ended:
                pool.append((total, node, True))
                continue
            row = np.asarray(next_log_probs([start_id, *spell(node)]), dtype=float)
            pool.extend((total + p, (node, i), i == end_id) for i, p in enumerate(row.tolist()))
        return grow(heapq.nlargest(beam_size, pool, key=lambda h: h[0]), left - 1)

    best_tokens, best_score = None, None
    for total, node, ended in grow([(0.0, None, False)], max_length):
        ids = spell(node)
        score = total * (6 / (5 + len(ids))) ** alpha
        if best_score is None or score > best_score:
            best_tokens, best_score = ids[: len(ids) - ended], score
    return best_tokens, float(best_score)
