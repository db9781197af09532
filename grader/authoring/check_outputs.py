"""Rules for what is saved with a notebook: outputs, metadata, size; and for the release."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape

import nbformat

from grader.authoring.check_base import Finding, On, Page, rule
from grader.authoring.check_reading import listed, output_texts
from grader.authoring.frame import FOLDED_HEADING_KEYS, FOLDED_NOTEBOOK_KEYS, machinery
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.names import names_of, tree_of
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests, solutions

_SOURCE_KB, _RELEASE_KB = 1000, 500


@rule("executed", On.SOURCE, "Saved outputs are what readers on GitHub see and what nbval compares with.")
def _executed(page: Page) -> Iterator[Finding]:
    if not page.executed:
        counts = enumerate(page.code, start=1)
        cell = next(c for n, c in counts if c.get("execution_count") != n)
        what = f"execution count {cell.get('execution_count')}: the saved outputs are not of a run from top to bottom"
        yield page.finding(cell, what, f"run `grader execute {page.assignment[:2]}`")


@rule("no-error-output", On.SOURCE, "A solution notebook runs from top to bottom.")
def _errors(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        names = [o.ename for o in cell.get("outputs", []) if o.output_type == "error"]
        if names and "raises-exception" not in cell.metadata.get("tags", []):
            yield page.finding(cell, f"ended in {names[0]}", "mend it and run `grader execute`")


@rule("no-stderr", On.SOURCE, "Warnings and logs are noise to a student and vary by machine.")
def _stderr(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                what = f"saved output on stderr: {output.text.strip().splitlines()[0][:60]!r}"
                yield page.finding(cell, what, "remove its cause, or silence it in the set-up")
                break


@rule("no-addresses", On.SOURCE, "An address differs in every run, so the notebook could not be compared.")
def _addresses(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        found = next((m for t in output_texts(cell) if (m := re.search(r".{0,30}\b0x[0-9a-fA-F]{5,}", t))), None)
        if found:
            yield page.finding(cell, f"prints an address: `{found[0].strip()}`", "print what matters of the object")


@rule("no-plot-repr", On.SOURCE, "What a plotting call returns is no result to show.")
def _repr(page: Page) -> Iterator[Finding]:
    pattern = re.compile(r"<Figure size|\bText\(\d|<matplotlib\.|<Axes|<BarContainer|\[<.*Line2D")
    for cell in page.code:
        if any(pattern.search(t) for t in output_texts(cell)):
            yield page.finding(cell, "shows the value of a plotting call", "end with show(figure, alt)")


@rule("figure-alt", On.SOURCE, "Who cannot see a figure gets its alternative text, or nothing.")
def _alt(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            images = re.findall(r"<img\b[^>]*>", data.get("text/html", ""))
            if any(k in ("image/png", "image/jpeg", "image/gif") for k in data) and not images:
                yield page.finding(cell, "a picture without alternative text", "show it with show(figure, alt)")
                break
            texts = [re.search(r"""\balt=(?:"([^"]*)"|'([^']*)')""", tag) for tag in images]
            short = [t for t in texts if t is None or len(unescape(t[1] or t[2] or "").split()) < 4]
            if short:
                fix = "say in `alt` what is drawn and what it shows"
                yield page.finding(cell, "a picture with an alternative text of fewer than four words", fix)
                break


@rule("no-svg", On.SOURCE, "nbval compares SVG byte by byte, and Colab shows it unreliably.")
def _svg(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        data = [o.get("data", {}) for o in cell.get("outputs", [])]
        if any("image/svg+xml" in d or "<svg" in d.get("text/html", "") for d in data):
            yield page.finding(cell, "an SVG among the outputs", "save figures as PNG")


@rule("keras-difference", On.SOURCE, "What students wrote and what Keras computes is compared in a printed number.")
def _difference(page: Page) -> Iterator[Finding]:
    texts = [t for c in page.of(CellKind.DEMONSTRATION) for t in output_texts(c)]
    if page.executed and not any(re.search(r"differ.*\d|\d.*differ", t, re.I) for t in texts):
        fix = "print the largest difference from the Keras layer in a demonstration, with the word difference"
        yield page.finding(None, "no output shows the difference from Keras", fix)


@rule("widget", On.SOURCE, "One thing to play with, and a still picture of it where no widget can run.")
def _widget(page: Page) -> Iterator[Finding]:
    makers = [c for c in page.of(CellKind.HELPERS) if "ipywidgets" in c.source]
    names = {n for c in makers for n in names_of(c.source).bound} - {"display"}
    section, inside = [], False
    for cell in page.cells:
        if cell.cell_type == "markdown":
            for title in re.findall(r"^## (.*)$", cell.source, re.M):
                inside = "Try it yourself" in title
        elif inside:
            section.append(cell)
    playing = [c for c in section if "ipywidgets" in c.source or names & names_of(c.source).free]
    still = any("<img" in o.get("data", {}).get("text/html", "") for c in section for o in c.get("outputs", []))
    if not playing or (page.executed and not still):
        missing = "widget" if not playing else "still picture"
        fix = "have a widget and, beside it, a figure by show() with its first values"
        yield page.finding(None, f"no {missing} in the section `Try it yourself`", fix)


_LOCAL = re.compile(
    r"(?<![\w.:/~-])(?:/(?:home|Users|root|tmp|work|opt|mnt|usr|var|private)/\w[^\s\"'`)]*|[A-Z]:\\\w+)"
)


@rule(
    "no-local-paths", On.BOTH, "A path of one machine means nothing on another, and says who worked where.", guards=True
)
def _paths(page: Page) -> Iterator[Finding]:
    for cell in page.cells:
        texts = [("", cell.source), *((" in its output", t) for t in output_texts(cell))]
        for where, text in texts:
            found = _LOCAL.search(text)
            if found:
                yield page.finding(cell, f"the path {found[0]}{where}", "use no path, or one made by tempfile")
                break


_NOTEBOOK_KEYS = {"kernelspec", "language_info"}
_CELL_KEYS = {"tags", "nbgrader", "course", "cellView", "jupyter", "deletable", "editable"}


@rule(
    "clean-metadata",
    On.BOTH,
    "What editors leave is noise in changes; widget state breaks nbgrader's feedback.",
    guards=True,
)
def _metadata(page: Page) -> Iterator[Finding]:
    heading = machinery(page.nb)
    extra = set(page.nb.metadata) - _NOTEBOOK_KEYS - (FOLDED_NOTEBOOK_KEYS if heading else set())
    fix = "run `grader sync` or save without it"
    if extra:
        yield page.finding(None, f"notebook metadata {listed(extra)}", fix)
    if page.nb.metadata.get("kernelspec", {}).get("name") != "python3":
        yield page.finding(None, "the kernel is not python3", fix)
    kept = {c.id: _CELL_KEYS | (FOLDED_HEADING_KEYS if c is heading else set()) for c in page.cells}
    for key in sorted({k for c in page.cells for k in set(c.metadata) - kept[c.id]}):
        cells = [c for c in page.cells if key in set(c.metadata) - kept[c.id]]
        more = f", and {len(cells) - 1} more cells" if len(cells) > 1 else ""
        yield page.finding(cells[0], f"cell metadata {key}{more}", fix)


@rule("size", On.BOTH, f"GitHub and Colab open small files faster: {_SOURCE_KB} kB source, {_RELEASE_KB} release.")
def _size(page: Page) -> Iterator[Finding]:
    limit = _RELEASE_KB if page.released else _SOURCE_KB
    size = len(nbformat.writes(page.nb).encode()) / 1000
    if size > limit:
        big = max(page.cells, key=lambda c: len(str(c)))
        yield page.finding(big, f"the notebook has {size:.0f} kB, this cell most of it", f"stay below {limit} kB")


@rule("release-no-outputs", On.RELEASE, "Outputs would show the answers.")
def _release_outputs(page: Page) -> Iterator[Finding]:
    for cell in page.code:
        if cell.get("outputs") or cell.get("execution_count") is not None:
            yield page.finding(cell, "has an output or execution count", "run `grader release`")


@rule("release-no-solutions", On.RELEASE, "A student copy holds no solution, hidden test or rubric.")
def _release_solutions(page: Page) -> Iterator[Finding]:
    markers = [m for kind in (solutions(), hidden_tests()) for m in (kind.begin, kind.end)]
    secrets = _secret_lines(page)
    everything = "\n".join(c.source for c in page.cells)
    for cell in page.cells:
        marker = next((m for m in markers if m in cell.source), None)
        lines = {line.strip() for line in cell.source.split("\n")}
        known = secrets.get(grade_id(cell) or "", set()) & lines
        if marker:
            yield page.finding(cell, f"contains `{marker}`", "run `grader release`")
        elif known:
            yield page.finding(cell, f"contains the source's line `{min(known)[:60]}`", "run `grader release`")
        elif kind_of(cell) is CellKind.WRITTEN and "rubric" in cell.source.lower():
            yield page.finding(cell, "contains the rubric", "enclose it in solution markers in the source")
    if not everything.strip():
        yield page.finding(None, "is empty", "run `grader release`")


def _secret_lines(page: Page) -> dict[str, set[str]]:
    """Return, by cell, the characteristic lines of the source that the release must not contain."""
    path = page.course.source(page.assignment)
    if not path.is_file():
        return {}
    secrets: dict[str, set[str]] = {}
    for cell in read_notebook(path).cells:
        found = solutions().regions(cell.source) + hidden_tests().regions(cell.source)
        inside = [line.strip() for region in found for line in region]
        outside = cell.source.split("\n")
        # A line that also occurs outside the regions is no secret.
        shown = [line.strip() for line in outside]
        secret = {line for line in inside if len(line) > 12 and shown.count(line) == inside.count(line)}
        secrets[grade_id(cell) or ""] = secret
    return secrets


@rule("release-stubs", On.RELEASE, "An answer cell that does not raise could earn points, or fail without a word.")
def _stubs(page: Page) -> Iterator[Finding]:
    for cell in page.of(CellKind.ANSWER):
        for node in tree_of(cell.source).body:
            if isinstance(node, ast.FunctionDef) and "NotImplementedError" not in ast.dump(node):
                what = f"{node.name} does not raise NotImplementedError"
                yield page.finding(cell, what, "put the solution between markers, in the function's body")
