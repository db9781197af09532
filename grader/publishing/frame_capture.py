"""What a kernel runs in place of `explore` to draw a picture for every choice; see `frame_making`.

The module's text is a cell there: standard library only, and `capture_html` comes from the notebook.
"""

import itertools


def values_of(control):
    """Return what a control can be set to, what a reader sees of each, and the place of the first choice."""
    if len(control) == 2:
        choices, start = list(control[0]), control[1]
        return list(range(len(choices))), [str(choice) for choice in choices], start
    low, high, start, step = (*control, 1)[:4]
    values = [low + step * n for n in range(round((high - low) / step) + 1)]
    values = [value if isinstance(step, int) else round(value, 6) for value in values]
    return values, [f"{value:g}" for value in values], min(range(len(values)), key=lambda n: abs(values[n] - start))


def thinned(counts, starts, lists, most):
    """Choose places so that there are at most so many combinations: fewer of the longest slider, never of a list.

    Returns:
        For each control its places, ends and start among them; None if three of each slider are still too many.
    """
    kept = list(counts)
    while _product(kept) > most:
        longest = max((n for n in range(len(kept)) if not lists[n]), key=lambda n: kept[n], default=None)
        if longest is None or kept[longest] <= 3:
            return None
        kept[longest] -= 1
    return [_spread(count, few, start) for count, few, start in zip(counts, kept, starts, strict=True)]


def _spread(count, few, start):
    """Return places from the first to the last, evenly spread, with one of them."""
    if few >= count:
        return list(range(count))
    places = [round(n * (count - 1) / (few - 1)) for n in range(few)]
    if start not in places:
        inner = range(1, few - 1)
        places[min(inner, key=lambda n: abs(places[n] - start))] = start
    return sorted(places)


def _product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def chosen_places(values, wanted, start):
    """Return the places of the values that somebody chose, all if none; the start has to be among them."""
    if not wanted:
        return list(range(len(values)))
    places = [min(range(len(values)), key=lambda n: abs(values[n] - value)) for value in wanted]
    if start not in places:
        raise ValueError(f"the chosen values {wanted} lack the first one, {values[start]}")
    return places


def frames_of(function, controls, capture, most, chosen=None):
    """Call a function with all choices that are kept.

    Args:
        function: What `explore` is given.
        controls: The controls, as `explore` takes them.
        capture: `capture_html` of the notebook.
        most: How many pictures at most.
        chosen: For each control the values that are kept, none for all; then there may be any number of pictures.

    Returns:
        A dictionary of plain data, None if there would be too many.
    """
    table = [values_of(control) for control in controls.values()]
    lists = [len(control) == 2 for control in controls.values()]
    if chosen:
        kept = [chosen_places(v, wanted, start) for (v, _, start), wanted in zip(table, chosen, strict=True)]
    else:
        kept = thinned([len(values) for values, _, _ in table], [start for _, _, start in table], lists, most)
    if kept is None:
        return None
    shown = [
        {"label": label, "list": is_list, "values": [words[n] for n in places], "start": places.index(start)}
        for label, is_list, (_, words, start), places in zip(controls, lists, table, kept, strict=True)
    ]
    choices = itertools.product(
        *([values[n] for n in places] for (values, _, _), places in zip(table, kept, strict=True))
    )
    return {"controls": shown, "frames": [capture(function, *values) for values in choices]}
