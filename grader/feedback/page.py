"""What students get back: no script, no hidden test, no path of this machine, and a reason for each lost point.

The exporter for `GenerateFeedback.exporter_class`, named in `nbgrader_config.py`. The steps (`steps.py`) take from the
notebook what must not be on the page; the exporter writes the page from a template of its own, which escapes or cleans
whatever it shows once more. The page's content security policy forbids scripts and requests altogether, should anything
slip through. The price is that formulas stay as they were typed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode
from traitlets.config import Config

from grader.core.findings import Finding, Level
from grader.feedback.colours import coloured
from grader.feedback.sanitise import clean_html, student_markdown


class FeedbackExporter(HTMLExporter):
    """Writes the feedback page of a notebook that went through the steps above."""

    def __init__(self, config: Config | None = None, **kwargs: Any):
        config = Config(config or {})  # a copy
        # nbgrader names its own template in the section HTMLExporter; a setting for this class goes before.
        own = config.FeedbackExporter
        own.setdefault("template_name", "course_feedback")
        own.setdefault("extra_template_basedirs", [str(Path(__file__).with_name("templates"))])
        own.setdefault("preprocessors", [])  # those of the section HTMLExporter are for the formgrader's page
        super().__init__(config=config, **kwargs)  # type: ignore[no-untyped-call]

    def default_filters(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield the filters that the template uses beside nbconvert's."""
        yield from super().default_filters()  # type: ignore[no-untyped-call]
        yield "blocks", blocks
        yield "student_html", clean_html
        yield "student_markdown", student_markdown
        yield "student_code", coloured
        yield "findings_for_student", findings_for_student
        yield "inline_code", inline_code


def blocks(cells: list[NotebookNode]) -> list[dict[str, Any]]:
    """Group a notebook's cells for the page.

    Returns:
        In order, `{"kind": "lesson", "heading": ..., "failed": ..., "cells": [...]}` for runs of cells that carry no
        points, with the text of the last heading in them and whether one ended with an error, and
        `{"kind": "graded", "cells": [cell]}` for answers and tests. A section that a failed test points to begins a
        run of its own, with its `id`.
    """
    found: list[dict[str, Any]] = []
    for cell in cells:
        marks = cell.metadata.get("nbgrader", {})
        graded = bool(marks.get("grade") or marks.get("solution") or marks.get("task"))
        section = cell.metadata.get("section", {})
        if graded or section or not found or found[-1]["kind"] == "graded":
            found.append({"kind": "graded" if graded else "lesson", "heading": "", "failed": False, "cells": []})
            found[-1] |= {"id": section.get("id", ""), "heading": section.get("title", "")}
        found[-1]["cells"].append(cell)
        found[-1]["failed"] |= any(output.output_type == "error" for output in cell.get("outputs", []))
        if not graded and not found[-1]["id"] and cell.cell_type == "markdown":
            for heading in re.findall(r"(?m)^#{1,6}\s+(.+?)\s*#*$", cell.source):
                found[-1]["heading"] = heading.replace("**", "").replace("`", "")
    return found


def findings_for_student(nb: NotebookNode) -> list[Finding]:
    """Read from the notebook's metadata what was noticed, without what is for the instructor only."""
    entries = nb.metadata.get("marking", {}).get("findings", [])
    findings = []
    for entry in entries if isinstance(entries, list) else []:
        try:
            finding = Finding.from_json(entry)
        except (KeyError, TypeError, ValueError):
            continue
        if finding.level in (Level.REPAIRED, Level.LOST):
            findings.append(finding)
    return findings


def inline_code(text: str) -> str:
    """Return a plain text as HTML, with whatever is between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
