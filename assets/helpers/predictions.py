"""A prediction beside what was measured; nothing is printed as a guess until there is one."""


def settle(guess, measured, close=0.1, what=""):
    """Print what was measured, and how it compares with the guess.

    Args:
        guess: What was predicted: a number or a word; `None` for no prediction.
        measured: What happened: a share from 0 to 1, a count, or a word.
        close: How far a share may be off and still count as close; a count has to be exact.
        what: What was measured, printed first.
    """
    share = isinstance(measured, float)
    shown = f"{measured:.3f}" if share else measured
    if guess is None:
        verdict = "you made no prediction"
    elif isinstance(measured, str):
        right = str(guess).lower() == measured.lower()
        verdict = f"you predicted {guess}, which is {'right' if right else 'wrong'}"
    elif isinstance(guess, str):
        verdict = f"you predicted {guess}, which is no number"
    elif abs(guess - measured) <= (close if share else 0):
        verdict = f"you predicted {guess}, which is {'close' if share else 'right'}"
    else:
        verdict = f"you predicted {guess}, which is too {'high' if guess > measured else 'low'}"
    print(f"{what + ': ' if what else ''}measured {shown}; {verdict}")
