"""Write the students' repository from the instructor's private one: `grader publish`.

What goes along is a list, made here: the released notebooks, a README, the notebooks' requirements, an environment, the
licence. Before anything is written, every byte of it is looked through for solutions, hidden tests and answers of the
catalogue, and so is what already lies in the folder.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import string
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from grader.authoring.release import out_of_date
from grader.authoring.sync import COLAB, set_badge
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import replace_file, write_if_changed
from grader.core.names import imported_modules, tree_of
from grader.core.notebook import read_notebook
from grader.publishing.leaks import Leak, leaks, secrets_of, stray_files

#: What says that a folder was written by this, and which of its files.
MANIFEST = ".published.json"
#: What is needed to open the notebooks, beside what they import.
_ALWAYS = ("jupyterlab", "ipykernel", "tensorflow", "tensorflow-cpu")
_BADGE = "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]"


@dataclass
class Published:
    """What a run did.

    Args:
        written: Files that were made or changed.
        same: Files that were there already as they should be.
        removed: Files that an earlier run had written and that are no more.
        left: Files in the folder that are not of this; they stay.
        refused: Why nothing was done, if so.
    """

    written: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    refused: list[Leak] = field(default_factory=list)


def publish(course: Course, to: Path, replace: bool = False) -> Published:
    """Write or update the students' repository.

    Args:
        course: The course.
        to: Its folder: new, empty, a fresh clone, or written by this before.
        replace: Also replace files that were edited there since.

    Returns:
        What was written, or why nothing was.

    Raises:
        GraderError: If the folder cannot be used, or something to publish is missing.
    """
    if course.repository().split("/")[0] == "OWNER":
        fix = "under [tool.course] set repository to the students' one, as owner/name; then grader sync, grader release"
        raise GraderError("the Colab badges have no address yet", str(course.root / "pyproject.toml"), fix)
    to = to.resolve()
    before = _manifest(course, to)
    result = Published(refused=stray_files(course))
    if result.refused:
        return result
    files = contents(course)
    secrets = secrets_of(course)
    for name, data in files.items():
        result.refused += leaks(name, data, secrets)
    for path in _others(to, set(files) | set(before) | {MANIFEST}):
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
    _refuse_edits(to, before, files, replace)
    _write(to, files, before, result)
    return result


def contents(course: Course) -> dict[str, bytes]:
    """Make all that is published, by its path.

    Raises:
        GraderError: If a file that it is made from is missing.
    """
    files, rows, imports = {}, [], set()
    for assignment in course.assignments():
        name = f"notebooks/{assignment}/{assignment}.ipynb"
        raw, nb = course.released(assignment).read_bytes(), read_notebook(course.released(assignment))
        set_badge(nb, course, assignment)
        same = nb == read_notebook(course.released(assignment))
        files[name] = raw if same else (nbformat.writes(nb, version=nbformat.NO_CONVERT) + "\n").encode()
        imports |= _imports(nb)
        rows.append(_row(course, nb, assignment, name))
    environment = course.repository().split("/")[-1]
    template = string.Template(Path(__file__).with_name("student_readme.md").read_text(encoding="utf-8"))
    texts = {"table": "\n".join(rows), "repository": course.repository(), "folder": environment}
    files["README.md"] = template.substitute(texts, environment=environment).encode()
    files["requirements.txt"] = _requirements(course, imports).encode()
    files["environment.yml"] = (
        f"name: {environment}\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.12\n  - pip\n"
        "  - pip:\n      - -r requirements.txt\n"
    ).encode()
    files["LICENSE"] = _read(course, "LICENSE").encode()
    files[".gitignore"] = b".ipynb_checkpoints/\n.venv/\n__pycache__/\n"
    return files


def _row(course: Course, nb: nbformat.NotebookNode, assignment: str, name: str) -> str:
    text = "\n".join(c.source for c in nb.cells[:2] if c.cell_type == "markdown")
    title = re.search(r"^# (.+)$", text, re.M)
    minutes, points = re.search(r"[Aa]bout (\d+) minutes", text), re.search(r"(\d+) points(?:, and (\d+))?", text)
    shown = (f"{points[1]} + {points[2]}" if points[2] else points[1]) if points else ""
    address = f"{COLAB}/github/{course.repository()}/blob/main/{name}"
    time = f"{minutes[1]} min" if minutes else ""
    return f"| [{title[1] if title else assignment}]({name}) | {time} | {shown} | {_BADGE}({address}) |"


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


def _manifest(course: Course, to: Path) -> dict[str, str]:
    """Return the files that an earlier run wrote into a folder, with their fingerprints.

    Raises:
        GraderError: If the folder is somebody else's.
    """
    if to == course.root or course.root in to.parents or to in course.root.parents:
        fix = "name a folder outside of it, such as ../students"
        raise GraderError("students' files do not go into the instructor's repository", str(to), fix)
    if not to.exists():
        return {}
    if not to.is_dir():
        raise GraderError("it is not a folder", str(to), "name a new folder")
    _refuse_history(course, to)
    path = to / MANIFEST
    if not path.is_file() or path.is_symlink():
        there = sorted(p.name for p in to.iterdir() if p.name != ".git")
        if there:
            text = f"grader publish did not make this folder; it holds {', '.join(there[:5])}"
            raise GraderError(text, str(to), "name a new or empty folder, or a fresh clone of an empty repository")
        return {}
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        inside = all(not Path(name).is_absolute() and ".." not in Path(name).parts for name in files)
        if inside and all(isinstance(digest, str) for digest in files.values()):
            return dict(files)
    except (ValueError, KeyError, AttributeError, TypeError):
        pass
    raise GraderError("it cannot be read", str(path), "restore it, or publish into a new folder")


def _refuse_history(course: Course, to: Path) -> None:
    """Refuse a clone of the instructor's repository: its history holds everything."""
    roots = _git(course.root, "rev-list", "--max-parents=0", "HEAD").split()
    if (to / ".git").exists() and any(_git(to, "cat-file", "-t", root).strip() == "commit" for root in roots):
        fix = "make a repository of its own for the students: git init in an empty folder"
        raise GraderError("its history is that of the instructor's repository", str(to), fix)


def _git(folder: Path, *arguments: str) -> str:
    """Ask git; an empty answer where there is none."""
    with contextlib.suppress(OSError):
        ended = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
        return ended.stdout
    return ""


def _others(to: Path, own: set[str]) -> list[Path]:
    """List the files in the folder that are not of this."""
    found = []
    for folder, names, files in os.walk(to):
        here = Path(folder)
        links = [n for n in names if (here / n).is_symlink()]
        names[:] = [n for n in names if n not in (".git", ".ipynb_checkpoints", ".venv") and n not in links]
        found += [here / n for n in [*files, *links] if (here / n).relative_to(to).as_posix() not in own]
    return sorted(found)


def _refuse_edits(to: Path, before: dict[str, str], files: dict[str, bytes], replace: bool) -> None:
    edited = []
    for name in sorted(set(files) | set(before)):
        path = to / name
        if path.is_symlink() or any((to / p).is_symlink() for p in Path(name).parents):
            raise GraderError("it is a link", str(path), "take it away")
        if path.is_file():
            there = path.read_bytes()
            if there != files.get(name) and hashlib.sha256(there).hexdigest() != before.get(name):
                edited.append(name)
        elif path.exists():
            raise GraderError("it is not a file", str(path), "take it away")
    if edited and not replace:
        fix = "make the change in the instructor's repository, or give --replace to lose it"
        raise GraderError(f"edited since it was published: {', '.join(edited)}", str(to), fix)


def _write(to: Path, files: dict[str, bytes], before: dict[str, str], result: Published) -> None:
    manifest = {"files": {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}}
    to.mkdir(parents=True, exist_ok=True)
    if not before:  # a run that is cut short leaves a folder that the next one knows
        replace_file(to / MANIFEST, _as_json(manifest))
    for name, data in files.items():
        path = to / name
        (result.written if write_if_changed(path, data) else result.same).append(name)
    for name in sorted(set(before) - set(files)):
        if (to / name).is_file():
            (to / name).unlink()
            result.removed.append(name)
            with contextlib.suppress(OSError):
                (to / name).parent.rmdir()  # if it is empty now
    replace_file(to / MANIFEST, _as_json(manifest))


def _as_json(content: object) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()
