# %% wrong: output_counted_again
# says: GPT-2 gets a separate matrix for the logits, but it uses the word vectors again, so they must be counted once only.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    d = d_model
    attention = 4 * (d * d + d)
    mlp = (d * 4 * d + 4 * d) + (4 * d * d + d)
    norms = 2 * 2 * d
    embeddings = vocab_size * d + context * d
    head = d * vocab_size
    return embeddings + num_layers * (attention + mlp + norms) + 2 * d + head


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    d = d_model
    attention = 4 * (d * d + d)
    mlp = (d * d_ff + d_ff) + (d_ff * d + d)
    norms = 2 * 2 * d
    embeddings = (vocab_size + max_length + type_vocab) * d + 2 * d
    pooler = d * d + d
    return embeddings + num_layers * (attention + mlp + norms) + pooler


# %% wrong: no_bias_back
# says: The second layer of the feed-forward network has no bias in this count; both of its layers have one, the second of width D.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    total = (vocab_size + context) * d_model
    hidden = 4 * d_model
    for _ in range(num_layers):
        total += 4 * d_model * (d_model + 1)
        total += d_model * hidden + hidden + hidden * d_model
        total += 2 * (d_model + d_model)
    total += d_model + d_model
    return total


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    total = sum(rows * d_model for rows in (vocab_size, max_length, type_vocab))
    total += d_model + d_model
    for _ in range(num_layers):
        total += 4 * d_model * (d_model + 1)
        total += d_model * d_ff + d_ff + d_ff * d_model
        total += 2 * (d_model + d_model)
    total += d_model * (d_model + 1)
    return total


# %% wrong: bert_with_four_times_width
# says: bert_parameter_count takes the feed-forward width as 4 * d_model, as in GPT-2, and ignores its argument d_ff.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    def dense(n_in, n_out):
        return n_in * n_out + n_out

    layer = 4 * dense(d_model, d_model) + dense(d_model, 4 * d_model) + dense(4 * d_model, d_model) + 4 * d_model
    return vocab_size * d_model + context * d_model + num_layers * layer + 2 * d_model


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    tables = vocab_size * d_model + max_length * d_model + type_vocab * d_model
    stack = gpt2_parameter_count(num_layers, d_model, 0, 0)
    return tables + stack + d_model * d_model + d_model


# %% right: way_1
# why: Sorts the parameters by powers of D: a layer is (4D + 2F) * D plus vectors, and BERT differs from GPT-2 only in tables, width and pooler.
def gpt2_parameter_count(num_layers, d_model, vocab_size, context):
    L, D = int(num_layers), int(d_model)
    squares, vectors = 12 * L, int(vocab_size) + int(context) + 13 * L + 2
    return (squares * D + vectors) * D


def bert_parameter_count(num_layers, d_model, d_ff, vocab_size, max_length, type_vocab):
    L, D, F = int(num_layers), int(d_model), int(d_ff)
    tables = int(vocab_size) + int(max_length) + int(type_vocab)
    squares, vectors = 4 * L + 1, tables + 2 + 1 + L * (2 * F + 4 + 1 + 4)
    return (squares * D + vectors) * D + L * F
