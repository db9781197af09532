"""A slider that works in ipywidgets 7 and 8, by keyboard and with a screen reader."""

import html

from IPython.display import display
from IPython.utils.capture import capture_output


def capture_html(function, value):
    """Call a function and give what it shows and prints as HTML.

    Args:
        function: Called with the value.
        value: Handed on.

    Returns:
        HTML: pictures as `show` makes them, printed text in `<pre>`.
    """
    with capture_output(stderr=False) as captured:
        function(value)
    texts = [out.data.get("text/plain", "") for out in captured.outputs if "text/html" not in out.data]
    pictures = [out.data["text/html"] for out in captured.outputs if "text/html" in out.data]
    printed = "\n".join([*texts, captured.stdout]).strip()
    return "".join(pictures) + f'<pre aria-live="polite">{html.escape(printed)}</pre>'


def explore(function, label, low, high, value, step=1):
    """Call a function with the value of a slider, again each time the slider is let go.

    The slider has a number box beside it, for the keyboard and for screen readers.

    Args:
        function: Called with the value; it draws and prints, and says in words what there is to see.
        label: What the value means; it stands beside the slider.
        low: Smallest value.
        high: Largest value.
        value: The value to begin with.
        step: Difference of neighbouring values; a float makes a slider of floats.
    """
    try:
        import ipywidgets as widgets
    except ImportError:  # no widgets here: the one picture still shows
        function(value)
        return
    whole = isinstance(step, int)
    slider = (widgets.IntSlider if whole else widgets.FloatSlider)(
        value=value, min=low, max=high, step=step, description=label, continuous_update=False,
        style={"description_width": "initial"}, layout={"width": "420px"}, readout=False,
    )  # fmt: skip
    box = (widgets.BoundedIntText if whole else widgets.BoundedFloatText)(
        value=value, min=low, max=high, step=step, layout={"width": "90px"}
    )
    widgets.jslink((slider, "value"), (box, "value"))
    # Not an Output widget: that one needs a front end, and a run without one (nbclient, nbgrader) stumbles over it.
    picture = widgets.HTML(capture_html(function, value))

    def redraw(change):
        picture.value = capture_html(function, change["new"])

    slider.observe(redraw, "value")
    display(widgets.VBox([widgets.HBox([slider, box]), picture]))
