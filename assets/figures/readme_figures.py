"""Make two pictures of the README and CONTRIBUTING.md: `python assets/figures/readme_figures.py`.

The diagram is drawn by the helper of notebook 6; the alignment is the picture that the executed notebook 2 holds.
"""

import base64
import json
import re
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from helpers import diagrams_transformer  # noqa: E402
from PIL import Image  # noqa: E402


def draw_transformer(path):
    """Draw the whole Transformer into a file."""

    def save(figure, alt):
        figure.savefig(path, dpi=200)
        Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)

    diagrams_transformer.show = save
    diagrams_transformer.show_transformer_diagram(["twenty", "three"], ["<start>", "drei", "und"], "zwanzig")


def copy_alignment(path, notebook, beginning):
    """Write the first saved picture of a notebook whose alternative text begins as given into a file."""
    page = "".join(
        "".join(output["data"].get("text/html", ""))
        for cell in json.loads(notebook.read_text())["cells"]
        for output in cell.get("outputs", [])
        if "data" in output
    )
    picture = re.search(rf'<img alt="{re.escape(beginning)}[^"]*" src="data:image/png;base64,([^"]+)"', page)
    path.write_bytes(base64.b64decode(picture[1]))


if __name__ == "__main__":
    draw_transformer(HERE / "transformer.png")
    solved = HERE.parents[1] / "solutions" / "02_additive_attention" / "02_additive_attention.ipynb"
    copy_alignment(HERE / "alignment.png", solved, "Heat map of attention weights for seven hundred forty")
