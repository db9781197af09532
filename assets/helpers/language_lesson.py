"""What notebook 8 prints: subwords of words, hidden texts, losses side by side, samples."""

import textwrap

import keras
import numpy as np
from helpers.manuals import cut_words
from helpers.stack_training import logits_of
from helpers.stored_language import STORED_LANGUAGE
from helpers.subwords import END, MASK, PAD, SPECIAL, Subwords, count_words_of
from helpers.tables import to_width
from helpers.writing import softmax_only


def learn_subwords(paragraphs, learned, merges=200):
    """Learn subwords from the thousand most frequent words of the paragraphs.

    Args:
        paragraphs: Texts.
        learned: The student's `(train_bpe, apply_bpe)`; None takes merges that were learned before.
        merges: How many.

    Returns:
        `Subwords`.
    """
    if learned is None:
        return Subwords(pair.split("+") for pair in STORED_LANGUAGE["merges"].split("|"))
    return Subwords(learned[0](count_words_of(paragraphs), merges), learned[1])


def print_hidden(hide, cut, text, seed=0):
    """Print a text with 15% of its subwords selected, as the reading stack gets it.

    Args:
        hide: The student's `mask_tokens`; None hides every sixth subword.
        cut: `Subwords`.
        text: A paragraph.
        seed: Seed of the random numbers.
    """
    ids = np.array([cut.encode(text)])
    if hide is None:
        selected = np.arange(ids.shape[1])[None] % 6 == 3
        inputs = np.where(selected, MASK, ids)
    else:
        inputs, selected = hide(ids, len(cut), MASK, list(range(len(SPECIAL))), np.random.default_rng(seed))
    inputs, selected = np.asarray(inputs), np.asarray(selected)
    shown = [f"{{{cut.show(i)}}}" if s else cut.symbols[i] for i, s in zip(inputs[0], selected[0], strict=True)]
    print(textwrap.fill("read: " + "".join(shown).strip(), 92, subsequent_indent=" " * 6))
    print(textwrap.fill("name: " + ", ".join(cut.show(i) for i in ids[selected]), 92, subsequent_indent=" " * 6))


def compare_losses(stack, ids, loss=None):
    """Print the loss of a stack on ids `(B, T)` by the student's function, by Keras, and their difference."""
    logits = np.asarray(stack(ids))
    keras_loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)
    theirs = float(keras_loss(ids[:, 1:], logits[:, :-1]))
    mine = theirs if loss is None else float(loss(logits, ids, PAD))
    guess = np.log(stack.settings["vocab_size"])
    print(f"untrained: loss {mine:.3f}, difference from Keras {abs(mine - theirs):.6f}; equal chances cost {guess:.3f}")


def print_losses(stack_loss, counting):
    """Print losses and perplexities of models, the worst first."""
    print("model         nats per symbol   perplexity")
    for name, loss in sorted([*counting.items(), ("your writer", stack_loss)], key=lambda item: -item[1]):
        print(f"{to_width(name, 12)} {loss:16.2f} {np.exp(loss):12.1f}")


def hit_shares(writer, reader, ids, seed=1):
    """Return how often the first guess is right: of the writer for the next subword, of the reader for a hidden one.

    Args:
        writer: A causal stack.
        reader: A stack without a causal mask.
        ids: Ids `(N, T)` of new texts.
        seed: Seed of the gaps; each hidden subword is replaced by `[MASK]`.
    """
    ids = ids[:, :48]  # the same part of each window for both
    gaps = (np.random.default_rng(seed).random(ids.shape) < 0.15) & (ids >= len(SPECIAL))
    written = logits_of(writer, ids).argmax(axis=-1)
    filled = logits_of(reader, np.where(gaps, MASK, ids)).argmax(axis=-1)
    return float((written[:, :-1] == ids[:, 1:]).mean()), float((filled == ids)[gaps].mean())


def shaped(shape, temperature=1.0, top_k=None, top_p=None):
    """Return a function from logits to probabilities, by the student's function or, if it is None, without filters."""
    if shape is None:
        return softmax_only(max(temperature, 0.01))
    return lambda logits: shape(logits, temperature, top_k, top_p)


def print_samples(writing, cut, prompt, shape, settings, seed=0):
    """Print a continuation of a text for each setting, and return the texts.

    Args:
        writing: A `Writer`.
        cut: `Subwords`.
        prompt: Beginning of the text.
        shape: The student's `next_token_probabilities`, or None.
        settings: Tuples `(temperature, top_k, top_p)`.
        seed: Seed of the draws.
    """
    texts, ids = [], [END, *cut.encode(prompt)]
    for temperature, top_k, top_p in settings:
        more = writing.write(ids, shaped(shape, temperature, top_k, top_p), np.random.default_rng(seed), END)
        limits = (f", top_k {top_k}" if top_k else "") + (f", top_p {top_p}" if top_p else "")
        limits += " (not applied before exercise 8.4)" if limits and shape is None else ""
        texts.append(cut.decode(ids + more))
        print(textwrap.fill(f"[temperature {temperature}{limits}] {texts[-1]}", 92, subsequent_indent="    "))
    return texts


def share_known(writing, cut, prompt, shape, setting, texts, draws=20):
    """Return the share of the words of continuations, but the last of each, that occur in texts."""
    known = {word.strip() for text in texts for word in cut_words(text)}
    ids, found = [END, *cut.encode(prompt)], []
    for seed in range(draws):
        more = writing.write(ids, shaped(shape, *setting), np.random.default_rng(seed), END)
        words = [word.strip() for word in cut_words(cut.decode(ids + more))][len(cut_words(prompt)) : -1]
        found += [word in known for word in words if word.isalpha()]
    return float(np.mean(found))


def print_leaks(leaks, stacks, ids, seed=0):
    """Print for each stack whether a later id can change an earlier row.

    Args:
        leaks: The student's `leaks_future`; None changes the last id once.
        stacks: Dict from a name to a stack.
        ids: Ids `(T,)`.
        seed: Seed of the trials.
    """
    for name, stack in stacks.items():

        def model(some, stack=stack):
            return np.asarray(stack(np.asarray(some)[None]))[0]

        if leaks is None:
            found = np.abs(model(np.append(ids[:-1], END)) - model(ids))[:-1].max() > 1e-5
        else:
            found = leaks(model, ids, np.random.default_rng(seed), 10)
        print(f"{name:8} {'leaks' if found else 'does not leak'}")


def print_cache_sizes():
    """Print the size of the cache of GPT-2 small, 2 bytes a number, with keys for each head and shared ones."""
    for name, heads in (("a key and a value for each head", 12), ("one of each for all heads", 1)):
        print(f"{to_width(name, 31)} {12 * 2 * 1024 * heads * 64 * 2 / 2**20:6.1f} MiB for each text of 1,024 subwords")
