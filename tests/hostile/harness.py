"""Hand hostile submissions to stock nbgrader, or to this course's grader, and see what they get."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbgrader

from .course import FIRST, NAME, REPOSITORY, VIEW, HostileCourse, honest_answers, make_course
from .culprits import settled
from .judge import Outcome, judge, snapshot
from .sheet import Files, Kind, Sheet, Twice, as_files, put

INSIDE = Path(__file__).with_name("inside.py")
#: Raised when the harness judges differently, so that results kept from before no longer count.
VERSION = 1


class Listener:
    """Hears what tricks send on this machine: TCP, UDP and an abstract unix socket."""

    def __init__(self):
        self.heard: list[bytes] = []
        self.name = f"hostile-{secrets.token_hex(6)}"
        tcp, udp, unix = (
            socket.socket(),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            socket.socket(socket.AF_UNIX),
        )
        tcp.bind(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", self.port))
        unix.bind("\0" + self.name)
        self.sockets = [tcp, udp, unix]
        for one in self.sockets:
            one.settimeout(0.2)
        for one in (tcp, unix):
            one.listen()
        self.open = True
        self.threads = [threading.Thread(target=self._hear, args=(one,), daemon=True) for one in self.sockets]
        for thread in self.threads:
            thread.start()

    def _hear(self, one: socket.socket) -> None:
        while self.open:
            try:
                if one.type == socket.SOCK_DGRAM:
                    self.heard.append(one.recv(1000))
                else:
                    with one.accept()[0] as connection:
                        connection.settimeout(2)
                        self.heard.append(connection.recv(1000))
            except OSError:
                continue

    def close(self) -> None:
        """Stop."""
        self.open = False
        for thread in self.threads:
            thread.join(3)
        for one in self.sockets:
            one.close()


def submission_files(kind: Kind, sheet: Sheet) -> tuple[Files | None, Files]:
    """Make a submission: the files of an earlier one by the same student, or None, and of the one that counts."""
    made = kind.make(sheet)
    if isinstance(made, Twice):
        return as_files(made.first), as_files(made.second)
    return None, as_files(made)


def fingerprint(kind: Kind, sheet: Sheet) -> str:
    """Return a word that changes when the submission, the course, nbgrader or the harness does."""
    digest = hashlib.sha256(f"{VERSION} {nbgrader.__version__} {VIEW} {kind.seconds} {kind.baseline}".encode())
    for files in submission_files(kind, sheet):
        for name, content in sorted((files or {}).items()):
            text = (
                re.sub(rb'"id": "[0-9a-f]{8}"', b"", content) if isinstance(content, bytes) else repr(content).encode()
            )
            digest.update(name.encode("utf-8", "surrogatepass") + b"\0" + text + b"\0")
    return digest.hexdigest()


def _sheet(made: HostileCourse, listener: Listener | None = None) -> Sheet:
    if listener is None:
        return Sheet(made.course, honest_answers(made.course))
    return Sheet(made.course, honest_answers(made.course), listener.port, listener.name)


def _walls(root: Path) -> list[str]:
    """Return the words in front of a command that let it write below one folder only, where bubblewrap is there."""
    if not shutil.which("bwrap"):
        return []
    walls = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(root), str(root)]
    walls += ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--"]
    works = subprocess.run([*walls, "true"], capture_output=True).returncode == 0
    return walls if works else []


def _run(made: HostileCourse, steps: list, cwd: Path, seconds: float, walls: list[str]) -> dict:
    """Do steps in a process of their own, end it when its time is up, say what it left."""
    marker = secrets.token_hex(8)
    plan, result, log = (made.tmp / f"{marker}-{n}" for n in ("steps.json", "result.json", "run.log"))
    plan.write_text(json.dumps(steps))
    command = [*walls, sys.executable, str(INSIDE), str(plan), str(result)]
    begun = time.monotonic()
    note = ""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=made.environment(marker),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            note = f"ended after {seconds:g} s"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    took = time.monotonic() - begun
    told = json.loads(result.read_text()) if result.is_file() else {"codes": [], "left": []}
    return {**told, "seconds": took, "note": note, "log": log.read_bytes()[-4000:].decode("utf-8", "replace")}


def _enter(made: HostileCourse, kinds: list[Kind], listener: Listener) -> tuple[list[dict], Callable[[dict], dict]]:
    """Put submissions into a course's class.

    Returns:
        Steps that put later submissions in the place of earlier ones, and a function that carries a snapshot from
        before over these steps.
    """
    sheet, later = _sheet(made, listener), []
    for kind in kinds:
        earlier, files = submission_files(kind, sheet)
        at = made.group / "submitted" / kind.student / NAME
        put(files if earlier is None else earlier, at, made.root)
        if earlier is not None:
            aside = made.tmp / "later" / kind.student / NAME
            put(files, aside, made.root)
            later.append({"from": str(aside), "to": str(at)})
    own = tuple(f"class/submitted/{k.student}/" for k in kinds)

    def over(before: dict) -> dict:
        if not later:
            return before
        kept = {n: v for n, v in before.items() if not n.startswith(own)}
        return kept | {n: v for n, v in snapshot(made.root).items() if n.startswith(own)}

    return later, over


def run_stock_class(
    base: HostileCourse, kinds: list[Kind], listener: Listener, folder: Path, feedback: bool = False
) -> dict[str, Outcome]:
    """Mark hostile submissions and an honest one behind them with stock nbgrader, in a course of their own."""
    made = base.copy(folder / kinds[0].name)
    later, over = _enter(made, kinds, listener)
    program = str(Path(sys.executable).parent / "nbgrader")
    steps: list = [[program, "autograde", NAME]]
    steps += [*later, [program, "autograde", NAME, "--force"]] if later else []
    steps += [[program, "generate_feedback", NAME, "--student", k.student] for k in kinds] if feedback else []
    before = snapshot(made.root)
    seconds = max(k.seconds for k in kinds) + 15 * (len(kinds) - 1)
    ran = _run(made, steps, made.group, seconds, _walls(made.root))
    found = judge(made, kinds, over(before), {**ran, "heard": list(listener.heard)})
    shutil.rmtree(made.root, ignore_errors=True)
    return found


def run_stock(
    kinds: Iterable[Kind],
    keep: Path,
    base: HostileCourse | None = None,
    workers: int = 2,
    together: int = 6,
    say: Callable[[str], None] = print,
) -> dict[str, Outcome]:
    """Mark hostile submissions with stock nbgrader in throw-away courses; outcomes are kept and used again.

    Several stand in one class; if anything is amiss that cannot be told to be one's doing, each is marked again alone.

    Args:
        kinds: Which; those that stock nbgrader would not contain are left out.
        keep: Folder for the outcomes.
        base: The course to copy; made anew if None.
        workers: How many classes at a time.
        together: How many in a class.
        say: Receives a line for each.
    """
    keep.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="sums-course-", ignore_cleanup_errors=True) as folder:
        base = base or make_course(Path(folder, "base"))
        listener, sheet = Listener(), _sheet(base)
        prints: dict[str, str] = {}
        waiting: dict[str, list[Kind]] = {}
        for kind in (k for k in kinds if k.stock):
            path = keep / f"{kind.name}.json"
            prints[kind.name] = fingerprint(kind, sheet)
            kept = json.loads(path.read_text()) if path.is_file() else {}
            if kept.get("fingerprint") == prints[kind.name]:
                outcomes[kind.name] = Outcome(**kept["outcome"])
            else:
                alone = kind.group in ("feedback", "files", "resources") or isinstance(kind.make(sheet), Twice)
                waiting.setdefault(kind.name if alone else kind.group, []).append(kind)

        def together_or_alone(some: list[Kind]) -> dict[str, Outcome]:
            found = run_stock_class(base, some, listener, Path(folder), some[0].group == "feedback")
            if len(some) > 1 and any(o.note for o in found.values()):  # their times add up: no harm in itself
                found = {}
                for kind in some:
                    found |= run_stock_class(base, [kind], listener, Path(folder), kind.group == "feedback")
            return found

        def mark(some: list[Kind]) -> None:
            found = settled(some, together_or_alone, lambda outcome: outcome.amiss, say)
            for kind in some:
                outcome = outcomes[kind.name] = found[kind.name]
                kept = {"fingerprint": prints[kind.name], "outcome": outcome.as_json()}
                (keep / f"{kind.name}.json").write_text(json.dumps(kept, indent=1))
                say(f"{kind.group:13} {kind.name:34} {outcome.seconds:5.1f} s  {outcome.words()}")

        classes = [some[n : n + together] for some in waiting.values() for n in range(0, len(some), together)]
        try:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(mark, classes))
        finally:
            listener.close()
    return outcomes


def run_ours(
    kinds: Iterable[Kind],
    base: HostileCourse | None = None,
    together: int = 60,
    say: Callable[[str], None] = print,
    seconds_each: float = 120,
    below: Path | None = None,
    around: bool = False,
    level: str = "",
) -> dict[str, Outcome]:
    """Mark hostile submissions with this course's grader, several in one class; see `settled` if anything is amiss.

    Args:
        kinds: Which.
        base: The course to copy; made anew if None.
        together: How many stand in one class, besides two honest submissions.
        say: Receives a line for each.
        seconds_each: How long a class may take, per submission.
        below: Folder that the courses are put into; the one for temporary files by default.
        around: Whether each course is the folder of the virtual environment that it is marked with.
        level: The highest level of isolation to use, as `mark_class.py` takes it.
    """
    outcomes: dict[str, Outcome] = {}
    kinds = list(kinds)
    with tempfile.TemporaryDirectory(prefix="sums-course-", dir=below, ignore_cleanup_errors=True) as folder:
        base = base or make_course(Path(folder, "base"))

        def mark(some: list[Kind]) -> dict[str, Outcome]:
            return _run_ours_class(base, some, Path(folder), seconds_each, around, level)

        for start in range(0, len(kinds), together):
            some = kinds[start : start + together]
            found = settled(some, mark, lambda outcome: outcome.amiss or bool(outcome.note), say)
            for kind in some:
                outcomes[kind.name] = found[kind.name]
                say(f"{kind.group:13} {kind.name:34} {found[kind.name].words()}")
    return outcomes


def environment_in(folder: Path) -> str:
    """Make a virtual environment in a folder, with the packages of this one; return its program."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    packages.rmdir()
    packages.symlink_to(sysconfig.get_path("purelib"))
    return str(folder / "bin" / "python")


def _run_ours_class(
    base: HostileCourse, kinds: list[Kind], folder: Path, seconds_each: float, around: bool = False, level: str = ""
) -> dict[str, Outcome]:
    made = base.copy(folder / f"ours-{secrets.token_hex(4)}")
    python = environment_in(made.root) if around else sys.executable
    for step in ("autograded", "release", "feedback"):
        shutil.rmtree(made.group / step, ignore_errors=True)
    for path in made.group.glob("gradebook.db*"):
        path.unlink()
    listener = Listener()
    try:
        command = [python, "-m", "tests.hostile.mark_class", str(made.root)]
        _run(made, [[*command, "release"]], REPOSITORY, 120, [])
        with sqlite3.connect(made.group / "gradebook.db") as book:
            values = FIRST, made.canaries.gradebook
            book.execute("INSERT OR REPLACE INTO student (id, last_name) VALUES (?, ?)", values)
        later, over = _enter(made, kinds, listener)
        grade = [*command, "grade", *([level] if level else [])]
        before = snapshot(made.root)
        steps = [grade, *later, grade] if later else [grade]
        ran = _run(made, steps, REPOSITORY, seconds_each * (len(kinds) + 2), [])
        if any(ran["codes"]):
            ran["note"] += f" codes {ran['codes']}: {ran['log'][-600:]}"
        return judge(made, kinds, over(before), {**ran, "heard": list(listener.heard)})
    finally:
        listener.close()
        shutil.rmtree(made.root, ignore_errors=True)
