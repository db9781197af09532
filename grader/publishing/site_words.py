"""The words that the site itself adds to the notebooks, for each language that it can be built in."""

from __future__ import annotations

#: Language to its words. Its keys are the languages that the site knows; the folders are named after them.
WORDS: dict[str, dict[str, str]] = {
    "en": {
        "name": "English",
        "course": "Attention, from the bottleneck to the Transformer",
        "welcome": (
            "Read the course here, with all figures and results, before you run anything. To do the exercises, open a "
            "notebook in Google Colab or download it. It is a single file that needs nothing beside it."
        ),
        "notebook": "Notebook",
        "about": "What it is about",
        "takes": "Time and points",
        "extent": "{minutes} minutes, <br>{points} points",
        "points_note": (
            "The first number counts the points of the automatic tests. The second is for a written answer, which a "
            "person reads."
        ),
        "colab": "Open in Colab",
        "download": "Download",
        "solved": (
            "What the cells show here comes from a run in which every exercise was solved. The exercises themselves "
            "are as you get them."
        ),
        "setup": "Set-up",
        "helper": "Helper",
        "machinery": "The set-up cell and {count} helper cells",
        "test": "Test",
        "answer": "Your code",
        "written": "Your answer",
        "sliders": "In the notebook, {controls} redraw this picture.",
        "slider": "In the notebook, {controls} redraws this picture.",
        "and": "and",
        "choose": "Choose what the picture shows",
    }
}
