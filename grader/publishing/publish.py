"""Write the students' repository from the instructor's private one: `grader publish`.

What goes along is a list, made here: the released notebooks, a README, the notebooks' requirements, an environment, the
licence. Before anything is written, every byte of it is looked through for solutions, hidden tests and answers of the
catalogue, and so is what already lies in the folder.
"""

from __future__ import annotations

import ast
import importlib.metadata
import re
import string
import sys
from pathlib import Path

import nbformat

from grader.authoring.release import out_of_date, refuse_doubtful_markers
from grader.authoring.sync import COLAB, set_badge
from grader.authoring.translate import known_language
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.names import imported_modules, tree_of
from grader.core.notebook import read_notebook
from grader.languages.building import readme, translated_release
from grader.languages.catalogues import state, translations
from grader.languages.fonts import lacking
from grader.languages.messages import ENGLISH, MINUTES, names_of_catalogues
from grader.publishing.facts import Facts, facts_of
from grader.publishing.folder import MANIFEST, Published, manifest, others, refuse_edits, write_files
from grader.publishing.leaks import Leak, leaks, secrets_of, stray_files, unguarded

#: What is needed to open the notebooks, beside what they import.
_ALWAYS = ("jupyterlab", "ipykernel", "tensorflow", "tensorflow-cpu")
_BADGE = "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"


def publish(
    course: Course, to: Path, replace: bool = False, language: str = ENGLISH, incomplete: bool = False
) -> Published:
    """Write or update the students' repository.

    Args:
        course: The course.
        to: Its folder: new, empty, a fresh clone, or written by this before.
        replace: Also replace files that were edited there since.
        language: The language of the notebooks and the README.
        incomplete: Publish a translation that is not finished; what is missing or out of date stays English.

    Returns:
        What was written, or why nothing was.

    Raises:
        GraderError: If the folder cannot be used, or something to publish is missing, translations too.
    """
    known_language(course, language)  # it becomes part of paths
    if language != ENGLISH and not incomplete:
        refuse_incomplete(course, language)
    if not course.has_address:
        fix = "under [tool.course] set repository to the students' one, as owner/name; then grader sync, grader release"
        raise GraderError("the Colab badges have no address yet", str(course.root / "pyproject.toml"), fix)
    refuse_doubtful_markers(course, course.assignments())
    to = to.resolve()
    before = manifest(course, to)
    result = Published(refused=stray_files(course))
    if result.refused:
        return result
    files = contents(course, language)
    result.refused += unguarded(course)
    secrets = secrets_of(course)
    for name, data in files.items():
        result.refused += leaks(name, data, secrets)
    for path in others(to, set(files) | set(before) | {MANIFEST}):
        name = path.relative_to(to).as_posix()
        result.left.append(name)
        if path.is_symlink():
            result.refused.append(Leak(f"{to}/{name}", "it is a link, and what it leads to would go along"))
        else:
            result.refused += leaks(f"{to}/{name}", path.read_bytes(), secrets)
    if not result.refused:
        result.refused = [
            Leak(f"notebooks/{a}", "out of date with solutions/: run grader release")
            for a in out_of_date(course, course.assignments())
        ]
    if result.refused:
        return result
    refuse_edits(to, before, files, replace)
    write_files(to, files, before, result)
    return result


def contents(course: Course, language: str = ENGLISH) -> dict[str, bytes]:
    """Make all that is published, by its path.

    Args:
        course: The course.
        language: The language of the notebooks and the README.

    Raises:
        GraderError: If a file that it is made from is missing.
    """
    files, rows, imports = {}, [], set()
    for assignment in course.assignments():
        name = f"notebooks/{assignment}/{assignment}.ipynb"
        raw, nb = course.released(assignment).read_bytes(), read_notebook(course.released(assignment))
        facts = facts_of(nb)
        nb, _ = translated_release(course, assignment, language)
        set_badge(nb, course, assignment, language)
        same = nb == read_notebook(course.released(assignment))
        files[name] = raw if same else (nbformat.writes(nb, version=nbformat.NO_CONVERT) + "\n").encode()
        imports |= _imports(nb)
        rows.append(_row(course, facts, facts_of(nb).title or assignment, name, language))
    environment = course.repository(language).split("/")[-1]
    template = string.Template(readme(course, language))
    texts = {"table": "\n".join(rows), "repository": course.repository(language), "folder": environment}
    files["README.md"] = template.substitute(texts, environment=environment).encode()
    files["requirements.txt"] = _requirements(course, imports).encode()
    files["environment.yml"] = (
        f"name: {environment}\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.12\n  - pip\n"
        "  - pip:\n      - -r requirements.txt\n"
    ).encode()
    files["LICENSE"] = _read(course, "LICENSE").encode()
    files[".gitignore"] = b".ipynb_checkpoints/\n.venv/\n__pycache__/\n"
    return files


def refuse_incomplete(course: Course, language: str) -> None:
    """Refuse to publish in a language whose catalogues are not complete.

    Raises:
        GraderError: If messages are missing or out of date.
    """
    states = [state(course, language, name) for name in names_of_catalogues(course)]
    behind = [f"{s.name}: {len(s.missing)} missing, {len(s.fuzzy)} out of date" for s in states if not s.complete]
    letters = {a: lacking(course, language, a) for a in course.assignments()}
    behind += [f"{a}: its figures need the letters {''.join(sorted(few))}" for a, few in letters.items() if few]
    if behind:
        shown = "; ".join(behind[:5]) + (f"; and {len(behind) - 5} more" if len(behind) > 5 else "")
        fix = f"run grader translate --fonts --language {language} and fill the catalogues, or give --incomplete"
        raise GraderError(f"the translation is not complete: {shown}", language, fix)


def _row(course: Course, facts: Facts, title: str, name: str, language: str) -> str:
    address = f"{COLAB}/github/{course.repository(language)}/blob/main/{name}"
    said = translations(course, language, "frame").get(MINUTES, MINUTES) if language != ENGLISH else MINUTES
    time = said.format(minutes=facts.minutes) if facts.minutes else ""
    return f"| [{title}]({name}) | {time} | {facts.points} | {_BADGE}({address}) |"


def _imports(nb: nbformat.NotebookNode) -> set[str]:
    """Name the packages that a notebook's code imports."""
    found: set[str] = set()
    for cell in nb.cells:
        for node in ast.walk(tree_of(cell.source)) if cell.cell_type == "code" else ():
            found |= {module.split(".")[0] for module in imported_modules(node)}
    return found - set(sys.stdlib_module_names)


def _requirements(course: Course, imports: set[str]) -> str:
    """Take the pins of what the notebooks need from the instructor's, which the tests ran with."""
    known = importlib.metadata.packages_distributions()
    wanted = set(_ALWAYS)
    for module in imports:
        if module not in known:
            fix = "install it, or take the import away"
            raise GraderError(f"a notebook imports {module}, which is not installed here", str(course.release), fix)
        wanted |= {_plain(name) for name in known[module]}
    pins: dict[str, list[str]] = {}
    for line in _read(course, "requirements.txt").splitlines():
        match = re.match(r"([A-Za-z0-9][\w.\-]*)==", line)
        if match and _plain(match[1]) in wanted:
            pins.setdefault(_plain(match[1]), []).append(line.strip())
    missing = {n for m in imports for n in map(_plain, known[m])} - set(pins) - {"tensorflow", "tensorflow-cpu"}
    if missing:
        fix = "add it to pyproject.toml and run make requirements"
        raise GraderError(f"no version of {', '.join(sorted(missing))}", str(course.root / "requirements.txt"), fix)
    head = "# What the notebooks need, in the versions they were tested with. Python 3.11, 3.12 or 3.13.\n"
    return head + "".join(f"{line}\n" for name in sorted(pins) for line in pins[name])


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _read(course: Course, name: str) -> str:
    try:
        return (course.root / name).read_text(encoding="utf-8")
    except OSError as error:
        raise GraderError(f"it cannot be read: {error.strerror}", str(course.root / name), "restore it") from None
