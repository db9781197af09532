"""A prediction beside what was measured; nothing is printed as a guess until there is one."""


def settle(guess, measured, close=0.1, what="", options=()):
    """Print what was measured, and how it compares with the guess.

    Args:
        guess: What was predicted: a number or a word; `None` for no prediction.
        measured: What happened: a share from 0 to 1, a count, a word, or with a `close` above 0.1 any real number.
        close: How far a share may be off and still count as close; a count has to be exact.
        what: What was measured, printed first.
        options: The words to choose from, if `measured` is one of them; for "yes" and "no" they are known.
    """
    real = isinstance(measured, float)
    shown = f"{measured:.3f}" if real else measured
    choices = [str(option) for option in options] or (["yes", "no"] if measured in ("yes", "no") else [])
    listed = ", ".join(choices)
    if guess is None:
        verdict = "you made no prediction"
    elif isinstance(measured, str) and choices and str(guess).lower() not in (option.lower() for option in choices):
        verdict = f"you predicted {guess}, which is none of the answers to choose from: {listed}"
    elif isinstance(measured, str):
        right = str(guess).lower() == measured.lower()
        verdict = f"you predicted {guess}, which is {'right' if right else 'wrong'}"
    elif isinstance(guess, str):
        verdict = f"you predicted {guess}, which is no number"
    elif real and close <= 0.1 and measured <= 1 < guess <= 100:
        verdict = f"you predicted {guess}, but a share is from 0 to 1: write {guess / 100:g} for {guess}%"
    elif real and abs(guess - measured) <= close:
        verdict = f"you predicted {guess}, which is close (at most {close} off)"
    elif guess == measured:
        verdict = f"you predicted {guess}, which is right"
    else:
        verdict = f"you predicted {guess}, which is too {'high' if guess > measured else 'low'}"
    print(f"{what + ': ' if what else ''}measured {shown}; {verdict}")
