"""Two sliders that work in ipywidgets 7 and 8, by keyboard and with a screen reader."""

from helpers.widgets import capture_html
from IPython.display import display


def explore_two(function, first, first_range, second, second_range):
    """Call a function with the values of two sliders, again each time one of them is let go.

    Each slider has a number box beside it, for the keyboard and for screen readers.

    Args:
        function: Called with both values; it draws and prints.
        first: What the first value means.
        first_range: Smallest, largest and first value, integers.
        second: What the second value means.
        second_range: The same for it.
    """
    values = [first_range[2], second_range[2]]

    def picture_of(_):
        return function(*values)

    try:
        import ipywidgets as widgets
    except ImportError:  # no widgets here: the one picture still shows
        picture_of(None)
        return
    picture, rows = widgets.HTML(capture_html(picture_of, None)), []
    for place, (label, (low, high, value)) in enumerate(((first, first_range), (second, second_range))):
        slider = widgets.IntSlider(
            value=value, min=low, max=high, description=label, continuous_update=False,
            style={"description_width": "110px"}, layout={"width": "420px"}, readout=False,
        )  # fmt: skip
        box = widgets.BoundedIntText(value=value, min=low, max=high, layout={"width": "90px"})
        widgets.jslink((slider, "value"), (box, "value"))

        def redraw(change, place=place):
            values[place] = change["new"]
            picture.value = capture_html(picture_of, None)

        slider.observe(redraw, "value")
        rows.append(widgets.HBox([slider, box]))
    display(widgets.VBox([*rows, picture]))
