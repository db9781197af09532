"""Mark a class: workers mark, this process alone writes, and a summary says what needs a look.

Whatever one submission does, the others get their marks: what cannot be read, does not end or breaks something is
named in the summary and costs itself alone. A run can be stopped at any point and started again; what was marked
already and has not changed is not marked again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from tqdm import tqdm
from traitlets.config import Config

from grader.classrun import executors
from grader.classrun.choosing import Choosing
from grader.classrun.held import Seen, noted, noticed_then
from grader.classrun.steps import must_be_our_steps
from grader.classrun.summary import Entry, Outcome, one_line
from grader.core import private
from grader.core.course import Course
from grader.core.errors import GraderError, RunRefused, describe
from grader.core.garbage import look_seldom
from grader.core.nbgrader_api import enter_class, open_nbgrader
from grader.engine import fingerprints, submission
from grader.engine.handed import close as end_reading
from grader.engine.result import was_marked
from grader.engine.settings import Marking, Settings
from grader.gradebook import records
from grader.gradebook.entered import read_entered
from grader.gradebook.penalties import LATE, SETTLED, Of, cannot, none_yet, settle
from grader.gradebook.writer import Writer
from grader.sandbox.inside.isolate import LEVELS
from grader.sandbox.warm_processes import warm
from grader.submissions.alone import is_alone, traces
from grader.submissions.choosing import some_of
from grader.submissions.file_names import printable
from grader.submissions.folder_names import as_text, write_folders
from grader.submissions.listing import Submission, list_submissions
from grader.submissions.times import no_time, time_of

logger = logging.getLogger(__name__)

#: Assignment and student: what names a submission.
_Key = tuple[str, str]


def grade_class(
    course: Course,
    config: Config,
    assignments: list[str],
    students: Sequence[str] = (),
    *,
    force: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    tls: tuple[str, str, str] | None = None,
    unencrypted: bool = False,
    log_to: Path | None = None,
    say: Callable[[str], object] = lambda line: None,
    brief: bool = False,
    bar: bool = False,
) -> list[Entry]:
    """Mark a class.

    Args:
        course: The course.
        config: nbgrader's configuration: folders, gradebook, steps.
        assignments: Which assignments.
        students: Which students; none means all.
        force: Mark again what has not changed.
        jobs: How many submissions at once on this machine.
        scheduler: Address of a Dask scheduler; its workers mark then.
        tls: For a `tls://` address: files of the certificate authority, of the own certificate and of its key.
        unencrypted: Whether the scheduler may be on another machine without TLS.
        log_to: File for nbgrader's log.
        say: Receives a line for each submission.
        brief: Only lines of those that need a look.
        bar: Show progress, rate and time left on the standard error stream.

    Returns:
        An entry for each submission.

    Raises:
        GraderError: If nothing can be marked at all: no submissions, no release, less isolation than asked for.
    """
    if jobs < 1:
        raise GraderError(f"{jobs} submissions at once", "--jobs", "give 1 or more")
    look_seldom()
    with open_nbgrader(config, log_to) as api:
        must_be_our_steps(config)
        warm.keep_out(private.of_course(api.coursedir))
        submitted = Path(api.coursedir.format_path(api.coursedir.submitted_directory, ".", ".")).resolve()
        todo = list_submissions(submitted, list(assignments), list(students))
        enter_class(api, sorted({one.assignment for one in todo}), sorted({one.student for one in todo if not one.why}))
        renamed = {one.student: one.folder for one in todo if one.student != one.folder}
        write_folders(submitted, renamed)
        with contextlib.ExitStack() as stack:
            run = _Run(api, config, submitted, todo, force, log_to)
            for assignment, students in run.settled_late.items():
                say(f"{assignment}: {SETTLED}: {some_of(students)}")
            # Workers are forked before the gradebook is opened.
            workers = None
            if run.waiting:
                jobs = min(jobs, len(run.waiting))
                workers = stack.enter_context(_workers(run.settings, jobs, scheduler, tls, unencrypted))
            gradebook = stack.enter_context(Gradebook(api.coursedir.db_url, api.coursedir.course_id))
            if workers is not None:
                workers.before_forking(functools.partial(_let_go, gradebook))
            writer = Writer(api.coursedir, config, gradebook)
            progress = tqdm(
                total=len(todo), initial=len(run.entries), disable=not bar, unit=" submissions", dynamic_ncols=True
            )
            stack.enter_context(progress)
            for number, entry in enumerate(run.done(workers, writer), 1):
                progress.update(number > run.settled)
                if not brief or entry.needs_a_look:
                    line = f"[{number:{len(str(len(todo)))}}/{len(todo)}] {one_line(entry)}"
                    progress.write(line) if bar else say(line)
    entries = [run.entries[key] for key in sorted(run.entries)]
    return [dataclasses.replace(e, folder=as_text(renamed[e.student])) if e.student in renamed else e for e in entries]


def _workers(
    settings: Settings, jobs: int, scheduler: str | None, tls: tuple[str, str, str] | None, unencrypted: bool
) -> contextlib.AbstractContextManager[executors.Workers]:
    if scheduler:
        return executors.dask(scheduler, tls, unencrypted=unencrypted)
    return executors.local(jobs, settings.imports, settings.isolation)


#: Seconds after which it is looked whether a submission that waits has given its place to another one.
_LOOK_S = 0.5
#: Submissions in a row whose marks cannot be written, after which a run ends.
MOST_UNWRITTEN = 3


def _let_go(gradebook: Gradebook) -> None:
    """Close the connections with the gradebook; the next use opens one again. Nothing is under way in them."""
    gradebook.db.close()
    gradebook.engine.dispose()


#: What is noted of a folder in which nothing is compared.
_ALONE = Seen()


class _Taken(NamedTuple):
    """What was handed in, when, and what the record notes of both."""

    handed: submission.Handed
    stamp: datetime | None
    noted: dict[str, Any]


class _Run:
    """One run: what is to be done, who is at it, and what came of it."""

    def __init__(
        self,
        api: NbGraderAPI,
        config: Config,
        submitted: Path,
        todo: list[Submission],
        force: bool,
        log_to: Path | None,
    ):
        self.log_to = log_to
        self.folders, self.submitted = api.coursedir, submitted
        self.unwritten = 0  # marked submissions in a row whose marks could not be written
        self.folder_of = {one.student: one.folder for one in todo}
        names = sorted({one.assignment for one in todo})
        self.kits = {name: submission.Kit.read(self._source(name), config) for name in names}
        self.asked = {name: kit.points for name, kit in self.kits.items()}
        self.packed = {name: kit.packed() for name, kit in self.kits.items()}
        imports = "\n".join(dict.fromkeys(line for kit in self.kits.values() for line in kit.imports.split("\n")))
        settings = Marking(config=config).settings()
        self.settings = dataclasses.replace(settings, imports=imports, environment=fingerprints.environment())
        self.how = settings.fingerprint
        self.entries: dict[_Key, Entry] = {}
        self.perhaps: dict[_Key, dict[str, Any]] = {}  # records that hold unless another file is chosen now
        due = {(one.assignment, one.student): one.why for one in todo}
        late: dict[str, dict[str, Of]] = {}
        spent: dict[str, list[float]] = {name: [0.0, 0] for name in names}
        with Gradebook(self.folders.db_url, self.folders.course_id) as gradebook:
            entered = read_entered(gradebook, names)
            # One at a time: the records of a large class do not fit into memory.
            for assignment, student, _, text in records.read_all(gradebook, names):
                key, record = (assignment, student), json.loads(text)
                spent[assignment][0] += record.get("cpu_s", 0.0)
                spent[assignment][1] += 1
                if LATE in record and key in due and not force:
                    late.setdefault(assignment, {})[student] = record[LATE]
                if key in due and not due[key] and not force and (row := entered.get(key)) and row.has_marks(record):
                    self._settle(key, record)
            settled = {a: settle(gradebook, config, a, late[a]) for a in late}
        self.settled_late = {a: changed for a, (changed, _) in settled.items() if changed}
        self.unsettled = {(a, who): cannot(why) for a, (_, failed) in settled.items() for who, why in failed.items()}
        for key in self.unsettled.keys() & self.entries.keys():
            self.entries[key] = dataclasses.replace(self.entries[key], why=self.unsettled[key])
        for (assignment, student), record in self.perhaps.items():
            record |= {LATE: late[assignment][student]} if LATE in record else {}
        for (assignment, student), why in due.items():
            if why:
                self.entries[assignment, student] = Entry(student, assignment, Outcome.REFUSED, why=why)
        self.waiting = [key for key in due if key not in self.entries]
        self.settled = len(self.entries)
        # The longest first, so that no worker is left alone with it at the end.
        if all(count for _, count in spent.values()):
            costs = {name: seconds / count for name, (seconds, count) in spent.items()}
        else:
            costs = {name: float(len(kit.source.cells)) for name, kit in self.kits.items()}
        self.waiting.sort(key=lambda pair: -costs[pair[0]])

    def done(self, workers: executors.Workers | None, writer: Writer) -> Iterator[Entry]:
        """Yield each entry as soon as it is there."""
        yield from list(self.entries.values())
        if workers is None:
            return
        waiting: deque[_Key] = deque(self.waiting)
        alone: deque[_Key] = deque()
        tries: Counter[_Key] = Counter()
        pending: dict[Future[submission.Graded], tuple[_Key, _Taken]] = {}
        with contextlib.closing(Choosing(self._choose, executors.processors())) as choosing:
            while waiting or alone or pending or choosing:
                # Submissions that were at work when a process died go one at a time: so it is seen whose fault it was.
                room = 1 if alone else workers.room
                suspect = any(tries[key] for key, _ in pending.values())
                while len(pending) < room and not suspect:
                    following = self._following(waiting, alone, choosing, room)
                    if following is None:
                        break
                    key, take = following
                    try:
                        taken = take()
                        entry = self._unless_changed(writer, key, taken)
                    except Exception as error:
                        entry = self._our_fault(*key, error)
                    if entry is not None:
                        self.entries[key] = entry
                        yield entry
                        continue
                    kit = self.packed[key[0]]
                    future = workers.executor.submit(submission.mark_handed, kit, taken.handed, self.settings)
                    pending[future] = key, taken
                awaited: list[Future[Any]] = [*pending, *choosing.awaited()]
                done = wait(awaited, timeout=_LOOK_S, return_when=FIRST_COMPLETED).done
                for future in [future for future in pending if future in done]:
                    key, taken = pending.pop(future)
                    finished = self._finish(writer, key, taken, future, tries)
                    if finished is None:
                        alone.append(key)
                    else:
                        self.entries[key] = finished
                        yield finished

    def _following(
        self, waiting: deque[_Key], alone: deque[_Key], choosing: Choosing[_Key, _Taken], room: int
    ) -> tuple[_Key, Callable[[], _Taken]] | None:
        """Return a submission that can be marked now, and what takes it in."""
        if alone:
            key = alone.popleft()
            return key, functools.partial(self._choose, key)
        chosen = choosing.ready(room)
        while chosen is None and waiting:
            key = waiting.popleft()
            if self._is_alone(*key):
                return key, functools.partial(self._take, key)
            choosing.add(key)
        return chosen or choosing.ready(room)

    def _unless_changed(self, writer: Writer, key: _Key, taken: _Taken) -> Entry | None:
        """Return the entry of a submission that was marked before, if the same file was chosen as then."""
        record, now = self.perhaps.get(key), taken.noted
        if record is None or taken.handed.digest != record["submission"] or now["unread"] != record.get("unread", []):
            return None
        then = noticed_then(record)
        # Where the very same files lie, copied perhaps, what is said of them can name them in another order.
        same = then is not None and bool(now["held"]) and now["held"] == record.get("held")
        if not same and then != now["noticed"]:
            return None
        writer.keep(*key, record | now)  # the next run need not choose again
        entry = Entry.from_record(key[1], key[0], Outcome.UNCHANGED, record)
        return dataclasses.replace(entry, why=self.unsettled.get(key, ""))

    def _finish(
        self,
        writer: Writer,
        key: _Key,
        taken: _Taken,
        future: Future[submission.Graded],
        tries: Counter[_Key],
    ) -> Entry | None:
        """Write what came of a submission; None if it has to be tried again."""
        assignment, student = key
        try:
            graded = future.result()
        except BrokenProcessPool:
            tries[key] += 1
            if tries[key] < 3:
                return None
            return Entry(student, assignment, Outcome.FAILED, why="each process that read it ended: out of memory?")
        except RunRefused:
            raise
        except GraderError as error:
            return Entry(student, assignment, Outcome.FAILED, why=describe(error))
        except CancelledError:
            raise executors.scheduler_gone() from None
        except Exception as error:
            return self._our_fault(assignment, student, error)
        graded.record.update(
            how=self.how, asked=self.asked[assignment], timestamp=str(taken.stamp or ""), **taken.noted
        )
        try:
            record = writer.write(assignment, student, taken.stamp, graded)
        except GraderError as error:
            return Entry(student, assignment, Outcome.FAILED, why=describe(error))
        except Exception as error:
            logger.exception("the marks of %s in %s could not be written", printable(student), assignment)
            writer.gradebook.db.rollback()
            self.unwritten += 1
            if self.unwritten == MOST_UNWRITTEN:  # a full disk, a server that is gone: no use in marking the rest
                fix = "see to the disk and the database; start the same command again, it goes on where it was"
                raise GraderError(f"marks cannot be written: {describe(error)}", "the gradebook", fix) from None
            return Entry(student, assignment, Outcome.FAILED, why=describe(error))
        self.unwritten = 0
        entry = Entry.from_record(student, assignment, Outcome.MARKED, record)
        return dataclasses.replace(entry, why=none_yet(record))

    def _our_fault(self, assignment: str, student: str, error: Exception) -> Entry:
        """Return the entry of a submission that our own code failed on, and log the traceback."""
        logger.error("marking %s of %s failed", assignment, printable(student), exc_info=error)
        why = (
            f"a fault of the grader, not of the submission: {describe(error)}; "
            f"the traceback is in {self.log_to or 'the log'}"
        )
        return Entry(student, assignment, Outcome.FAILED, why=why)

    def _folder(self, assignment: str, student: str) -> Path:
        return self.submitted / self.folder_of[student] / assignment

    def _source(self, assignment: str) -> Path:
        folder = self.folders.format_path(self.folders.source_directory, ".", assignment)
        return Path(folder) / f"{assignment}.ipynb"

    def _is_alone(self, assignment: str, student: str) -> bool:
        return is_alone(self._folder(assignment, student), assignment, self.settings.file_mib * 2**20)

    def _take(self, key: _Key, seen: Seen = _ALONE) -> _Taken:
        """Take in what was handed in, and when; if its files are compared, with what its folder looked like before."""
        assignment, _ = key
        folder = self._folder(*key)
        handed = submission.Handed.take(folder, self.kits[assignment], self.settings.file_mib)
        stamp, wrong = time_of(folder)
        what = noted(handed, seen) | {"no_time": wrong}
        if wrong:
            handed = dataclasses.replace(handed, findings=(no_time(wrong), *handed.findings))
        return _Taken(handed, stamp, what)

    def _choose(self, key: _Key) -> _Taken:
        """Take in what was handed in by comparing files."""
        before = Seen.of(self._folder(*key))
        return self._take(key, before)

    def _settle(self, key: _Key, record: dict[str, Any]) -> None:
        """Enter a submission that was marked as unchanged, if nothing has changed that its marks depend on."""
        try:
            unchanged = self._unchanged(*key, record)
        except Exception:  # nobody is marked yet: whatever is odd here is seen when this one is marked again
            logger.info("what %s handed in is marked again", printable(key[1]), exc_info=True)
            return
        if unchanged:
            self.entries[key] = Entry.from_record(key[1], key[0], Outcome.UNCHANGED, record)
        elif unchanged is None:
            self.perhaps[key] = record

    def _unchanged(self, assignment: str, student: str, record: dict[str, Any]) -> bool | None:
        """Return whether nothing has changed; None if that is so as long as the same file is chosen again."""
        kit = self.kits[assignment]
        nothing = not record["submission"]
        if nothing and not record.get("given_up"):  # a disk may not have answered
            return False
        if record["tests"] != kit.tests or record.get("how") != self.how:
            return False
        submitted = self._folder(assignment, student)
        time, wrong = time_of(submitted)
        if (record.get("timestamp"), record.get("no_time", "")) != (str(time or ""), wrong):
            return False
        wanted, reached = self.settings.isolation, record["isolation"].get("level", LEVELS[0])
        if LEVELS.index(reached) < LEVELS.index(wanted if wanted != "best" else LEVELS[0]):
            return False
        folder = self.folders.format_path(self.folders.autograded_directory, student, assignment)
        marked = Path(folder) / f"{assignment}.ipynb"
        if "bytes" in record:
            whole = marked.stat().st_size == record["bytes"]
        else:  # nbgrader wrote it after the marks: it tells itself whether it is whole
            whole = was_marked(json.loads(marked.read_text(encoding="utf-8")), record["submission"], kit.tests)
        if not whole:
            return False
        if self._is_alone(assignment, student):  # which what was given up was not
            handed = submission.Handed.take(submitted, kit, self.settings.file_mib)
            beside = record.get("unread") or noticed_then(record) != ""  # it is gone
            return not nothing and handed.digest == str(record["submission"]) and not beside
        known = bool(record.get("traces")) and noticed_then(record) is not None
        same = known and record["traces"] == traces(submitted)
        return same or (False if nothing else None)


def end() -> None:
    """End the processes that this one keeps: the warm one and the one that reads, if they are left."""
    warm.close()
    end_reading()
