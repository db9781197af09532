"""Write the web edition of the course: `grader publish --site DIR`.

Pages are made of the released notebooks and of the outputs that the executed sources hold, or that are kept of a run in
the page's language; Sphinx makes HTML of them. No notebook is run. As for the students' repository, every file is
looked through for what is the instructor's before anything is written: the sources of the pages, and then what Sphinx
made of them.
"""

from __future__ import annotations

import html
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat

from grader.authoring.release import out_of_date, refuse_doubtful_markers
from grader.authoring.runs import kept
from grader.authoring.sync import COLAB, set_badge
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import write_if_changed
from grader.core.notebook import read_notebook
from grader.languages.building import translated_release
from grader.languages.catalogues import languages as languages_of
from grader.languages.catalogues import state
from grader.languages.messages import ENGLISH, names_of_catalogues
from grader.publishing.facts import facts_of
from grader.publishing.folder import MANIFEST, Published, manifest, others, refuse_edits, write_files
from grader.publishing.frames import frames_of_notebook
from grader.publishing.leaks import Leak, leaks, parts_released, secrets_of, stray_files, unguarded
from grader.publishing.site_pages import language_links, make_page, tag
from grader.publishing.site_words import WORDS, theme_catalogue, with_labels


def publish_site(course: Course, to: Path, replace: bool = False, languages: tuple[str, ...] = (ENGLISH,)) -> Published:
    """Write or update the web edition.

    Args:
        course: The course.
        to: Its folder: new, empty, a fresh clone, or written by this before.
        replace: Also replace files that were edited there since.
        languages: The languages to build, each in a folder of its name.

    Returns:
        What was written, or why nothing was.

    Raises:
        GraderError: If the folder cannot be used, or a page cannot be built.
    """
    refuse_doubtful_markers(course, course.assignments())
    to = to.resolve()
    before = manifest(course, to)
    result = Published(refused=stray_files(course))
    stale = [] if result.refused else out_of_date(course, course.assignments())
    result.refused += [Leak(f"notebooks/{a}", "out of date with solutions/: run grader release") for a in stale]
    if result.refused:
        return result
    result.refused += unguarded(course)
    secrets = secrets_of(course)
    files: dict[str, bytes] = {"index.html": _front_door(languages), ".nojekyll": b""}
    for language in languages:
        sources = site_sources(course, language, languages)
        known = parts_released(_released_cells(sources), secrets)
        result.refused += [leak for name, data in sources.items() for leak in leaks(name, data, secrets, known)]
        if result.refused:
            return result
        for name, data in _built(course, sources, language).items():
            files[f"{language}/{name}"] = data
            if sources.get(name) != data:  # it was looked through
                result.refused += leaks(f"{language}/{name}", data, secrets, known)
    for path in others(to, set(files) | set(before) | {MANIFEST}):
        name = path.relative_to(to).as_posix()
        result.left.append(name)
        found = [Leak(f"{to}/{name}", "it is a link, and what it leads to would go along")]
        result.refused += found if path.is_symlink() else leaks(f"{to}/{name}", path.read_bytes(), secrets)
    if not result.refused:
        refuse_edits(to, before, files, replace)
        write_files(to, files, before, result)
    return result


def site_sources(course: Course, language: str = ENGLISH, languages: tuple[str, ...] = (ENGLISH,)) -> dict[str, bytes]:
    """Make what Sphinx builds the pages of one language from, by path.

    Args:
        course: The course.
        language: The language, one of `WORDS`.
        languages: All languages of the site.
    """
    others = tuple(other for other in languages if other != language)
    files: dict[str, bytes] = {}
    rows = []
    words = WORDS[language]
    for assignment in course.assignments():
        release, source = read_notebook(course.released(assignment)), read_notebook(course.source(assignment))
        shown, _ = translated_release(course, assignment, language)
        set_badge(shown, course, assignment, language)
        frames, _ = frames_of_notebook(course, assignment, source, language)
        colab = _colab(course, assignment, language)
        own = None if language == ENGLISH else kept(course, assignment, language, source).outputs
        page = make_page(release, source, assignment, colab, frames, language, shown, others, own)
        files[f"{assignment}.md"] = page.text.encode()
        files |= page.files
        files[f"notebooks/{assignment}.ipynb"] = (nbformat.writes(shown, version=nbformat.NO_CONVERT) + "\n").encode()
        facts, told = facts_of(release), facts_of(shown)
        lead = " ".join(told.lead.split()).replace("|", r"\|")
        extent = words["extent"].format(minutes=facts.minutes, points=facts.points)
        rows.append(f"| [{told.title or assignment}]({assignment}.md) | {lead} | {extent} |")
    table = [
        f"| {words['notebook']} | {words['about']} | {words['takes']} |",
        "|---|---|---|",
        *rows,
    ]
    toctree = ["```{toctree}", ":hidden:", ":maxdepth: 1", "", *course.assignments(), "```"]
    contents = ['<div class="notebooks">', "\n".join(table), "</div>"]
    links = [f'<p class="buttons">{language_links(others, "index.html")}</p>'] if others else []
    welcome = words["welcome"].format(open=words["open_colab" if course.has_address else "open_here"])
    parts = [f"# {words['course']}", *links, welcome, *contents, words["points_note"], "\n".join(toctree)]
    files["index.md"] = ("\n\n".join(parts) + "\n").encode()
    return files


def site_languages(course: Course, incomplete: bool = False) -> tuple[str, ...]:
    """Return the languages that the site can be built in: English, and those whose translation is complete.

    Args:
        course: The course.
        incomplete: Whether unfinished translations count too; what they lack stays English.
    """
    known = [language for language in languages_of(course) if language in WORDS and language != ENGLISH]
    names = names_of_catalogues(course) if known else []
    ready = (all(state(course, one, name).complete for name in names) or incomplete for one in known)
    return (ENGLISH, *(language for language, is_ready in zip(known, ready, strict=True) if is_ready))


def _colab(course: Course, assignment: str, language: str) -> str | None:
    """Return the address that opens a notebook in Colab; None as long as the course has no address."""
    if not course.has_address:
        return None
    return f"{COLAB}/github/{course.repository(language)}/blob/main/notebooks/{assignment}/{assignment}.ipynb"


def _built(course: Course, sources: dict[str, bytes], language: str) -> dict[str, bytes]:
    """Let Sphinx make the pages.

    Raises:
        GraderError: If Sphinx is not installed, or warns of anything: a link to nowhere, a block that does not end.
    """
    if importlib.util.find_spec("sphinx") is None:
        fix = "install the extra: python -m pip install -e '.[site]'"
        raise GraderError("the web edition needs Sphinx, which is not installed", str(course.root), fix)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        extra = folder / "extra"  # taken over as they are
        for name, data in sources.items():
            place = folder / "pages" if name.endswith(".md") else extra
            write_if_changed(place / name, data)
        # Sphinx looks there by itself, beside the pages.
        theme = folder / "pages" / "locales" / language / "LC_MESSAGES" / "sphinx.po"
        write_if_changed(theme, theme_catalogue(language).encode())
        title = WORDS[language]["course"]
        settings = {"project": title, "html_title": title, "language": language, "html_extra_path": str(extra)}
        pages, made = folder / "pages", folder / "html"
        given = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
        # A process for each language: Sphinx leaves behind what it registers. With -P none of the current folder runs.
        command = [sys.executable, "-P", "-m", "sphinx", "-q", "-N", "-b", "html", "-c", str(course.web), *given]
        done = subprocess.run([*command, str(pages), str(made)], capture_output=True, text=True, check=False)
        warned = done.stderr.replace(f"{pages}/", "").strip()
        if done.returncode or "WARNING" in warned or "ERROR" in warned:
            raise GraderError(
                f"Sphinx warns of\n{warned}", f"the site in {language!r}", "mend the notebook's text there"
            )
        written = {p.relative_to(made).as_posix(): p.read_bytes() for p in sorted(made.rglob("*")) if p.is_file()}
        for name in [name for name in written if name.endswith(".html")]:
            written[name] = with_labels(written[name].decode(), language).encode()
        return {name: data for name, data in written.items() if not name.startswith(_LEFT_OUT)}


#: What Sphinx writes for other programs, and nobody reads.
_LEFT_OUT = (".buildinfo", ".doctrees/", "objects.inv")


def _released_cells(sources: dict[str, bytes]) -> Iterator[str]:
    """Yield the cells of the released notebooks among the sources, as they are and as a page shows their words."""
    for name, data in sources.items():
        for cell in json.loads(data)["cells"] if name.endswith(".ipynb") else []:
            source = "".join(cell["source"])
            yield source
            yield re.sub(r"[`*]", "", source)


def _front_door(languages: tuple[str, ...]) -> bytes:
    """Return the page of the site's own address: it leads to the first language, and to each by a link."""
    first = languages[0]
    links = "".join(
        f'<p><a lang="{tag(name)}" href="{name}/index.html">{WORDS[name]["name"]}</a></p>' for name in languages
    )
    return (
        f'<!doctype html>\n<html lang="{tag(first)}"><head><meta charset="utf-8">'
        f"<title>{html.escape(WORDS[first]['course'])}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="refresh" content="0; url={first}/index.html"></head>'
        f"<body><main><h1>{html.escape(WORDS[first]['course'])}</h1>{links}</main></body></html>\n"
    ).encode()
