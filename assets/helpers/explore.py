"""Sliders and lists that redraw a picture, in ipywidgets 7 and 8, by keyboard and with a screen reader.

The sliders of ipywidgets 7 are no sliders to a screen reader; there the number box beside each serves.
"""

import html

from IPython.display import display
from IPython.utils.capture import capture_output

# What ipywidgets leaves undone for screen readers: the handle of a slider has no name, and nobody is told that the text
# has changed. Widgets are drawn some time after this runs, so one watch for the whole page looks whenever it changes.
FOR_SCREEN_READERS = """
(() => {
  if (window.exploreWatch) return;
  const name = () => {
    for (const handle of document.querySelectorAll(".widget-slider .noUi-handle:not([aria-label])")) {
      const label = handle.closest(".widget-slider").querySelector(".widget-label");
      if (label && label.textContent) handle.setAttribute("aria-label", label.textContent);
    }
    for (const text of document.querySelectorAll(".finding:not([aria-live])")) text.setAttribute("aria-live", "polite");
  };
  window.exploreWatch = new MutationObserver(name);
  window.exploreWatch.observe(document.body, {childList: true, subtree: true});
  name();
})();
"""


def capture_html(function, *values):
    """Call a function and give what it shows and prints as HTML.

    Args:
        function: Called with the values.
        *values: Handed on.

    Returns:
        `(pictures, text)`, both HTML: pictures as `show` makes them, printed text in `<pre>`.
    """
    with capture_output(stderr=False) as captured:
        function(*values)
    texts = [out.data.get("text/plain", "") for out in captured.outputs if "text/html" not in out.data]
    pictures = [out.data["text/html"] for out in captured.outputs if "text/html" in out.data]
    printed = html.escape("\n".join([*texts, captured.stdout]).strip())
    return "".join(pictures), f'<pre style="white-space:pre-wrap;word-break:normal">{printed}</pre>'


def _make_slider(widgets, wide, label, low, high, value, step=1):
    """Make a slider with its number box; give the slider and the row that holds both."""
    whole = isinstance(step, int)
    slider = (widgets.IntSlider if whole else widgets.FloatSlider)(
        value=value, min=low, max=high, step=step, description=label, continuous_update=False,
        style={"description_width": wide}, layout={"width": "440px"}, readout=False,
    )  # fmt: skip
    # The box bears the same label, for screen readers; it takes no room, since the slider shows it.
    box = (widgets.BoundedIntText if whole else widgets.BoundedFloatText)(
        value=value, min=low, max=high, step=step, description=label, style={"description_width": "0px"},
        layout={"width": "90px"},
    )  # fmt: skip
    # Rounded: by keyboard a slider of floats comes to 1.0999999. What is the same but for that does not go back.
    widgets.dlink((slider, "value"), (box, "value"), lambda value: round(value, 6))
    back = lambda value: value if abs(value - slider.value) > 1e-9 else slider.value  # noqa: E731
    widgets.dlink((box, "value"), (slider, "value"), back)
    return slider, widgets.HBox([slider, box])


def _make_list(widgets, wide, label, choices, index):
    """Make a list to choose from; its value is the index of the choice."""
    chooser = widgets.Dropdown(
        options=[(str(choice), i) for i, choice in enumerate(choices)], value=index, description=label,
        style={"description_width": wide}, layout={"width": "440px"},
    )  # fmt: skip
    return chooser, chooser


def explore(function, controls):
    """Call a function with the values of sliders and lists, again each time one of them is changed.

    A slider has a number box beside it, for the keyboard and for screen readers.

    Args:
        function: Called with the values in order; it draws and prints, and says in words what there is to see.
        controls: Dictionary from a label to `(low, high, value)` or `(low, high, value, step)` for a slider (of floats
            if the step is one), or to `(choices, index)` for a list, which hands on the index of the choice.
    """
    values = [control[1] if len(control) == 2 else control[2] for control in controls.values()]
    try:
        import ipywidgets as widgets
    except ImportError:  # no widgets here: the one picture still shows
        function(*values)
        return
    # Not an Output widget: that one needs a front end, and a run without one (nbclient, nbgrader) stumbles over it.
    picture, text = shown = [widgets.HTML(part) for part in capture_html(function, *values)]
    text.add_class("finding")
    rows = []
    wide = f"{max(map(len, controls)) * 0.6:.1f}em"  # the same for all, so that they stand below each other
    for place, (label, control) in enumerate(controls.items()):
        source, row = (_make_list if len(control) == 2 else _make_slider)(widgets, wide, label, *control)

        def redraw(change, place=place):
            values[place] = change["new"]
            picture.value, text.value = capture_html(function, *values)

        source.observe(redraw, "value")
        rows.append(row)
    display(widgets.VBox([*rows, *shown]))
    display({"application/javascript": FOR_SCREEN_READERS, "text/plain": ""}, raw=True)
