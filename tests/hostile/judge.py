"""What a hostile submission got: points, canaries, changed files, processes, harm to others, active feedback."""

from __future__ import annotations

import hashlib
import json
import os
import re
import site
import stat
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import nbgrader
from nbgrader.api import Gradebook, MissingEntry

from grader.core.findings import MOST_KEPT

from .course import FIRST, LAST, NAME, POINTS, HostileCourse
from .sheet import Kind

MARK, WRITTEN = "HOSTILE-MARK", b"HOSTILE-WRITE"
#: What a trick prints once it has what nobody should get and nothing else would show, such as thousands of threads.
TOOK = b"HOSTILE-TOOK"
#: What marking itself writes.
EXPECTED = re.compile(
    r"class/(autograded|feedback|release)(/|$)|class/gradebook\.db|class/[^/]*\.log$|class$|"
    r"home/\.(ipython|local|cache|config|jupyter|keras|matplotlib)(/|$)|home$|tmp(/|$)|grader/local(/|$)|(.*/)?__pycache__"
)
LARGEST = 30_000_000


@dataclass
class Outcome:
    """What one submission got.

    Args:
        kind: Its name.
        gained: Points above what its answers deserve.
        total: Its points.
        canaries: Which canaries can be read in what was marked.
        changed: Files that were changed, added or removed and should not have been.
        left: Processes that were left behind.
        connected: Whether the harness's listener heard from it.
        active: What a browser would run or be led by in the feedback page.
        marked: Whether it was marked at all.
        stopped: Whether the honest submission behind it was not marked.
        harmed: Whether an honest submission has other points than it deserves.
        seconds: Time of the run.
        note: Anything odd.
        took: Whether it said that it took more than anybody may, or has more findings than are kept of one.
    """

    kind: str
    gained: float = 0.0
    total: float = 0.0
    canaries: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    connected: bool = False
    active: list[str] = field(default_factory=list)
    marked: bool = False
    stopped: bool = False
    harmed: bool = False
    seconds: float = 0.0
    note: str = ""
    took: bool = False

    def words(self) -> str:
        """Describe it in a few words."""
        said = [f"+{self.gained:g} points"] if self.gained else []
        said += [f"read: {', '.join(self.canaries)}"] if self.canaries else []
        said += [f"changed {len(self.changed)} files ({self.changed[0]})"] if self.changed else []
        said += [f"left {len(self.left)} processes"] if self.left else []
        said += ["reached the network"] if self.connected else []
        said += ["took more than it may"] if self.took else []
        said += [f"active feedback ({self.active[0]})"] if self.active else []
        said += ["stopped the class"] if self.stopped else ["harmed others"] if self.harmed else []
        return "; ".join(said) or ("nothing" if self.marked else "nothing (not marked)")

    @property
    def succeeded(self) -> bool:
        """Whether the trick did anything that it should not."""
        return bool(self.gained or self.canaries or self.connected or self.active or self.took or self.amiss)

    @property
    def amiss(self) -> bool:
        """Whether the run did harm, whichever of its submissions did it."""
        return bool(self.changed or self.left or self.stopped or self.harmed)

    def as_json(self) -> dict:
        """Return it as plain data."""
        return asdict(self)


def _files(root: Path):
    """Yield each path below a folder with its status; what cannot be read is left out."""
    for folder, folders, names in os.walk(root):
        for name in [*names, *folders]:
            path = Path(folder, name)
            try:
                yield path, path.lstat()
            except OSError:
                continue


def snapshot(root: Path) -> dict[str, str]:
    """Note what stands in a throw-away course, but for what marking itself writes."""
    seen = {}
    for path, status in _files(root):
        name = os.fsencode(path.relative_to(root)).decode("utf-8", "backslashreplace")
        if EXPECTED.match(name):
            continue
        if stat.S_ISLNK(status.st_mode):
            seen[name] = f"link {os.readlink(path)}"
        elif stat.S_ISREG(status.st_mode) and status.st_size < LARGEST:
            seen[name] = f"{status.st_mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        elif stat.S_ISREG(status.st_mode):
            seen[name] = f"{status.st_mode} {status.st_size} {status.st_mtime_ns}"
        else:
            seen[name] = str(status.st_mode)
    return seen


def _written(made: HostileCourse, students: set[str]) -> list[str]:
    """List the files outside the students' own folders that hold what a trick writes."""
    own = [f"class/{step}/{student}/" for step in ("submitted", "autograded", "feedback") for student in students]
    found = []
    for path, status in _files(made.root):
        name = os.fsencode(path.relative_to(made.root)).decode("utf-8", "backslashreplace")
        if (
            any(name.startswith(o) for o in own)
            or name.endswith((".log", "history.sqlite", "steps.json"))
            or "/later/" in name
        ):
            continue
        if WRITTEN.decode() in path.name or (
            stat.S_ISREG(status.st_mode) and status.st_size < LARGEST and WRITTEN in path.read_bytes()
        ):
            found.append(name)
    return found


def traces_outside() -> list[str]:
    """List and remove what tricks leave outside the throw-away course where nothing holds them, under these names."""
    packages = {Path(nbgrader.__file__).parents[1], *map(Path, site.getsitepackages())}
    left = [folder / "hostile_write_canary.txt" for folder in packages]
    left += [*Path("/dev/shm").glob("hostile*"), *Path(tempfile.gettempdir()).glob("hostile_for_the_next.txt")]
    found = []
    for path in left:
        if path.is_file():
            found.append(str(path))
            path.unlink()
    return found


def _forms(word: str) -> tuple[bytes, ...]:
    plain = word.encode()
    return plain, plain[::-1], plain.hex().encode()


def canaries_seen(made: HostileCourse, student: str) -> list[str]:
    """Name the canaries in what was made of a submission.

    Hidden tests count only where they were printed, shown or in an error's message: stock nbgrader keeps their
    source in the marked notebook and quotes it in tracebacks, whatever is handed in.
    """
    words = {name: _forms(word) for name, word in asdict(made.canaries).items()}
    seen = set()
    for step in ("autograded", "feedback"):
        for path, status in _files(made.group / step / student):
            if not stat.S_ISREG(status.st_mode) or status.st_size > 4 * LARGEST:
                continue
            content = path.read_bytes()
            seen |= {n for n, forms in words.items() if n != "hidden" and any(f in content for f in forms)}
            if path.suffix == ".ipynb" and any(f in content for f in words["hidden"]):
                seen |= {"hidden"} & _in_outputs(content, words["hidden"])
    return sorted(seen)


def _took(made: HostileCourse, student: str) -> bool:
    path = made.group / "autograded" / student / NAME / f"{NAME}.ipynb"
    if not path.is_file() or path.stat().st_size > 4 * LARGEST:
        return False
    content = path.read_bytes()
    return TOOK in content or _findings(content) > MOST_KEPT


def _findings(content: bytes) -> int:
    try:
        return len(json.loads(content)["metadata"]["marking"]["findings"])
    except (ValueError, KeyError, TypeError, RecursionError):  # stock nbgrader's, or what a trick made of it
        return 0


def _in_outputs(content: bytes, forms: tuple[bytes, ...]) -> set[str]:
    try:
        cells = json.loads(content)["cells"]
    except (ValueError, KeyError, RecursionError):
        return set()
    for cell in cells:
        for output in cell.get("outputs", []):
            output = {k: v for k, v in output.items() if k != "traceback"}
            text = json.dumps(output, ensure_ascii=False).encode("utf-8", "replace")
            if any(f in text for f in forms):
                return {"hidden"}
    return set()


#: Elements of a kind in one another that a page may have, and images, which have no end, one behind the other.
MOST = {"q": 0, "sub": 20, "img": 60}


class _Active(HTMLParser):
    """Collects what a browser would run, be led by or make room for without end, and that a student put there."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.inside = ""
        self.within = Counter[str]()

    def handle_starttag(self, tag, attrs):
        """Look at each attribute."""
        self.within[tag] += 1
        if self.within[tag] > MOST.get(tag, sys.maxsize):
            self.found.append(f"many {tag}")
        self.inside = tag if tag in ("script", "style") else ""
        if tag == "script" and dict(attrs).get("type", "text/javascript") not in ("text/javascript", "module", ""):
            self.inside = ""
        sandboxed = "sandbox" in dict(attrs) and "allow-scripts" not in (dict(attrs)["sandbox"] or "")
        for name, value in attrs:
            value = re.sub(r"[\x00-\x20]", "", value or "")
            ours = MARK.lower() in f"{name}{value}".lower()
            leads = value.lower().startswith(("javascript:", "data:text/html", "vbscript:"))
            if name in ("rowspan", "colspan") and value.isdecimal() and int(value[-9:]) > 100:
                self.found.append(f"{tag} {name}")
            if name == "style" and re.search("font-family:[^;]*,", value):
                self.found.append(f"{tag} font-family")
            if (name == "lang" and tag != "html") or (name, value) == ("dir", "auto"):
                self.found.append(f"{tag} {name}")
            if not ours:
                continue
            if name.startswith("on") or (leads and not (tag == "iframe" and sandboxed)):
                self.found.append(f"{tag} {name}")
            elif name == "srcdoc" and not sandboxed:
                self.found.append("iframe srcdoc")
            elif tag in ("form", "base", "meta", "plaintext"):
                self.found.append(f"{tag} {name}")

    def handle_endtag(self, tag):
        """Leave a script, or an element."""
        self.within[tag] -= 1
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data):
        """Look into scripts and styles."""
        if self.inside and MARK in data:
            self.found.append(self.inside)


def active_content(folder: Path) -> list[str]:
    """List the active things of a student's in the feedback pages of a folder."""
    found = []
    for path in sorted(folder.glob("**/*.html")):
        parser = _Active()
        text = path.read_text("utf-8", "replace")
        parser.feed(text)
        parser.close()
        found += parser.found
        # A comment that goes on and on hides the rest of the page.
        comments = re.findall(r"<!--.*?(?:-->|\Z)", text, re.DOTALL)
        found += ["open comment" for c in comments if MARK in c and len(c) > 500]
    return list(dict.fromkeys(found))


def points_of(made: HostileCourse, students: list[str]) -> dict[str, float | None]:
    """Read the points from the gradebook, None where there is no mark; no gradebook, no marks."""
    points: dict[str, float | None] = dict.fromkeys(students)
    path = made.group / "gradebook.db"
    if not path.is_file():
        return points
    try:
        with Gradebook(f"sqlite:///{path}") as book:
            for student in students:
                try:
                    points[student] = float(book.find_submission(NAME, student).score)
                except MissingEntry:
                    points[student] = None
    except Exception:  # a trick may have left anything there
        return dict.fromkeys(students)
    return points


def judge(made: HostileCourse, kinds: list[Kind], before: dict[str, str], ran: dict) -> dict[str, Outcome]:
    """Describe what each of the submissions of one run got.

    Args:
        made: The course, after the run.
        kinds: Whose submissions were in it.
        before: The snapshot from before.
        ran: `left` (processes), `heard` (what the listener heard), `seconds`, `note`.
    """
    students = {k.student for k in kinds}
    points = points_of(made, [FIRST, LAST, *students])
    after = snapshot(made.root)
    changed = sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))
    changed += [n for n in _written(made, students) if n not in changed] + traces_outside()
    outcomes = {}
    for kind in kinds:
        total = points[kind.student] or 0.0
        outcomes[kind.name] = Outcome(
            kind.name,
            round(total - kind.baseline, 6),
            total,
            canaries_seen(made, kind.student),
            changed,
            ran.get("left", []),
            any(kind.name.encode() in heard for heard in ran.get("heard", [])),
            active_content(made.group / "feedback" / kind.student),
            (made.group / "autograded" / kind.student / NAME / f"{NAME}.ipynb").is_file(),
            points[LAST] is None or not (made.group / "autograded" / LAST / NAME / f"{NAME}.ipynb").is_file(),
            any(points[s] != POINTS for s in (FIRST, LAST)),
            round(ran.get("seconds", 0.0), 2),
            ran.get("note", ""),
            _took(made, kind.student),
        )
    return outcomes
