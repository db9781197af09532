# %% wrong: keeps_the_end
# says: The end id is part of your result. It ends the sentence and is not a word of it.
# self-check: end id is kept
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        tokens.append(int(np.argmax(next_logits(tokens))))
        if tokens[-1] == end_id:
            break
    return tokens[1:]

# %% wrong: keeps_the_start
# says: The start id that you put in front is part of your result. Leave it out.
# self-check: start token is kept
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return tokens

# %% wrong: never_stops_at_the_end
# says: You go on after the end id, up to max_length. The end id ends the sentence.
# self-check: went on after the end
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        tokens.append(int(np.argmax(next_logits(tokens))))
    return [t for t in tokens[1:] if t != end_id]

# %% wrong: no_limit
# says: Your loop ends only at the end id. A model that never gives it would run for ever: stop after max_length calls.
# self-check: does not stop
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while True:
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            return tokens[1:]
        tokens.append(best)

# %% wrong: only_the_last_token
# says: You give the model the last token only. It is asked with the whole list so far.
# self-check: only the last token
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argmax(next_logits(tokens[-1:])))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]

# %% wrong: start_gets_lost
# says: After the first call you ask without the start id. The list begins with it every time.
# self-check: start token got lost
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = []
    for _ in range(max_length):
        best = int(np.argmax(next_logits(tokens if tokens else [start_id])))
        if best == end_id:
            break
        tokens.append(best)
    return tokens

# %% wrong: one_call_too_few
# says: You count the start as one of the max_length ids, so you make one call too few.
# self-check: count the calls
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) < max_length:
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]

# %% wrong: one_call_too_many
# says: You call the model max_length + 1 times: the call that gives the end counts as well.
# self-check: count the calls
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) <= max_length + 1:
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:max_length + 1]

# %% wrong: last_of_ties
# says: Of equal logits you take the last. The first one wins, as with np.argmax.
# self-check: first of ties
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argsort(np.asarray(next_logits(tokens)), kind="stable")[-1])
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]

# %% wrong: removes_every_start
# says: You remove every start id. Only the one you put in front goes; one that the model generates is an ordinary id.
# self-check: not every start id
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argmax(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return [t for t in tokens if t != start_id]

# %% wrong: smallest_logit
# says: You take the smallest logit. The most likely word has the largest.
# self-check: largest logit
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        best = int(np.argmin(next_logits(tokens)))
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]

# %% wrong: cuts_the_last_word
# says: You drop the last id even if it is not the end. Without an end id all max_length ids belong to the result.
# self-check: belongs to the result
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    for _ in range(max_length):
        tokens.append(int(np.argmax(next_logits(tokens))))
        if tokens[-1] == end_id:
            break
    return tokens[1:-1]

# %% wrong: first_word_repeated
# says: You ask once and repeat the answer. Each further id is a new question to the model, with the whole list so far.
# self-check: whole list
def greedy_decode(next_logits, start_id, end_id, max_length):
    best = int(np.argmax(next_logits([start_id])))
    return [] if best == end_id else [best] * max_length

# %% wrong: the_example_by_heart
# says: Right for the model of the visible test alone, which you know by heart. Each id has to come from the model.
def greedy_decode(next_logits, start_id, end_id, max_length):
    first = int(np.argmax(next_logits([start_id])))
    if (start_id, end_id, max_length) == (1, 2, 7):
        for tokens in ([1, 6], [1, 6, 1], [1, 6, 1, 8]):
            next_logits(tokens)
        return [6, 1, 8]
    return [] if first == end_id else [first] * max_length

# %% right: while_loop
# why: a while loop with a counter, and a copy of the list for each call
def greedy_decode(next_logits, start_id, end_id, max_length):
    words, calls = [], 0
    while calls < max_length:
        calls += 1
        word = np.asarray(next_logits([start_id] + words)).argmax()
        if word == end_id:
            return words
        words.append(word)
    return words

# %% right: recursive
# why: the rest of the sentence is a sentence
def greedy_decode(next_logits, start_id, end_id, max_length):
    def rest(tokens, calls):
        if calls == 0:
            return []
        best = int(np.argmax(next_logits(tokens)))
        return [] if best == end_id else [best, *rest([*tokens, best], calls - 1)]

    return rest([start_id], max_length)

# %% right: array_of_tokens
# why: the ids so far as an integer array, the result as numpy integers
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = np.array([start_id])
    for _ in range(max_length):
        best = int(keras.ops.argmax(keras.ops.convert_to_tensor(next_logits(tokens))))
        if best == end_id:
            break
        tokens = np.append(tokens, best)
    return list(tokens[1:])

# %% right: end_cut_off_afterwards
# why: the end is appended and removed after the loop
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) <= max_length and (len(tokens) == 1 or tokens[-1] != end_id):
        logits = list(next_logits(tokens))
        tokens.append(logits.index(max(logits)))
    if len(tokens) > 1 and tokens[-1] == end_id:
        tokens.pop()
    return tokens[1:]

# %% right: place_in_an_array_of_one
# why: an array of one element is taken for a number, as NumPy 2.1 to 2.3 does with a warning
def greedy_decode(next_logits, start_id, end_id, max_length):
    tokens = [start_id]
    while len(tokens) <= max_length:
        logits = next_logits(tokens)
        best = int(np.argwhere(logits == np.max(logits))[0])
        if best == end_id:
            break
        tokens.append(best)
    return tokens[1:]
