"""The process that answers are forked from: it imports what a notebook imports, and runs nothing.

`runner.py` starts this file as a program. It reads JSON lines from its standard input and writes JSON lines to its
standard output:

```text
<- {"imports": [source, ...]}                                    import what these cells import
-> {"ready": seconds}
<- {"locked": [[[name, source], ...], ...], "tasks": [task, ...], "jobs": 2}
-> {"index": 3, "events": [...], "end": "done", "cpu_s": 0.2, "wall_s": 0.3, "peak_mib": 700}     once per task
```

Importing TensorFlow takes seconds, forking milliseconds. TensorFlow can be forked only while it has not run an
operation: afterwards children hang without a word. So no cell is executed here, not even the set-up cell; only its
import statements and its assignments to `os.environ` are. Every child then runs set-up, helper and given cells itself.

Each child is a process group of its own, in an empty folder of its own, with limits on CPU time, memory and file size;
its standard streams lead nowhere. It reports over a pipe, line by line, so that what it did before it was killed is
known.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path

#: More text than this is dropped, from prints as from messages.
MAX_TEXT = 20_000
#: CPU seconds for set-up, helper and given cells.
SETUP_LIMIT_S = 60
FILE_LIMIT_BYTES = 64 << 20
#: Python's main thread and at most one that a library started while it was imported.
MAX_THREADS = 2


class Sink:
    """A text stream that keeps the first part of what is written to it."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self):
        self.parts: list[str] = []
        self.size = 0

    def write(self, text: str) -> int:
        """Keep the text as long as there is room."""
        if self.size < MAX_TEXT:
            self.parts.append(text[: MAX_TEXT - self.size])
        self.size += len(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing; libraries call it."""

    def isatty(self) -> bool:
        """Tell libraries that nobody is watching."""
        return False

    def take(self) -> str:
        """Give what was written since the last call."""
        text = "".join(self.parts)
        self.parts, self.size = [], 0
        return text


def without_magics(source: str) -> str:
    """Blank out IPython's `%` and `!` lines, which plain Python cannot run."""
    return re.sub(r"^([ \t]*)[%!].*$", r"\1pass", source, flags=re.M)


def _is_environment(node: ast.stmt) -> bool:
    """Tell whether a statement is `os.environ[...] = "literal"`."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.targets[0], ast.Subscript)
        and ast.unparse(node.targets[0].value) == "os.environ"
    )


def import_modules(sources: list[str]) -> None:
    """Execute the top-level imports and the `os.environ` assignments of some cells, and nothing else of them.

    An import that fails is left alone: it fails again in the child, where it is reported with its cell.
    """
    namespace: dict = {"os": os}
    for source in sources:
        try:
            body = ast.parse(without_magics(source)).body
        except SyntaxError:
            continue
        for node in body:
            if isinstance(node, ast.Import | ast.ImportFrom) or _is_environment(node):
                try:
                    exec(compile(ast.Module([node], []), "<import>", "exec"), namespace)
                except Exception:
                    continue


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:  # not Linux
        return 1


def _compiled(name: str, source: str):
    """Compile a cell, or give the exception that says why it cannot be."""
    try:
        return compile(without_magics(source), f"<{name}>", "exec")
    except Exception as error:
        return error


def _describe(error: BaseException, name: str) -> dict:
    """Give type and message of an exception, the line of this cell, and the cell and line it came from."""
    try:
        message = str(error)[:2000]
    except Exception:
        message = ""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<")]
    lines = [f.lineno for f in frames if f.filename == f"<{name}>"]
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
    source = f"{frames[-1].filename.strip('<>')}, line {frames[-1].lineno}" if frames else ""
    return {"error": type(error).__name__, "message": message, "line": line, "source": source}


class Child:
    """What happens inside a forked child: the cells of one answer, one after the other.

    Args:
        report: Pipe to the template.
        task: What to run.
        locked: Names and code of the cells before the answer.
    """

    def __init__(self, report: int, task: dict, locked: list):
        self.report, self.task, self.locked = report, task, locked
        self.out, self.err = Sink(), Sink()

    def say(self, **event) -> None:
        """Send one event."""
        data = (json.dumps(event) + "\n").encode()
        while data:
            data = data[os.write(self.report, data) :]

    def limit(self, cpu_s: float) -> None:
        """Start the clock anew. The signal's default action ends the process, so no `except` can stop it."""
        signal.setitimer(signal.ITIMER_PROF, cpu_s)

    def isolate(self, folder: str) -> None:
        """Cut the standard streams, set the limits, become `__main__`."""
        os.setsid()
        os.chdir(folder)
        null = os.open(os.devnull, os.O_RDWR)
        self.err_fd = os.open("stderr", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.dup2(self.err_fd, 2)
        sys.stdout, sys.stderr = self.out, self.err
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT_BYTES, FILE_LIMIT_BYTES))
        try:
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            most = used + self.task["memory_mib"] * 2**20
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        except (OSError, ValueError):
            pass  # not Linux: the clock is the only limit
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module

    def execute(self, name: str, code) -> dict:
        """Run one cell; describe how it ended, and what it wrote to standard error."""
        self.say(begin=name)
        self.err.take()
        before = os.fstat(self.err_fd).st_size
        try:
            if isinstance(code, Exception):
                raise code
            exec(code, self.module.__dict__)
        except BaseException as error:
            return {"name": name, **_describe(error, name)}
        written = self.err.take()
        after = os.fstat(self.err_fd).st_size
        if after > before:
            written += os.pread(self.err_fd, min(after - before, MAX_TEXT), before).decode("utf-8", "replace")
        return {"name": name, "stderr": written[:2000]}

    def check(self, source: str) -> dict:
        """Run the self-check, statement by statement.

        Its cell may also show an example with names from a demonstration cell, which does not run here: a statement
        that misses a name is passed over.
        """
        ended = {}
        for node in ast.parse(without_magics(source)).body:
            code = compile(ast.Module([node], []), "<self-check>", "exec")
            ended = self.execute("self-check", code)
            missing = ended.get("error") == "NameError" and ended["source"].startswith("self-check,")
            if "error" in ended and not missing:
                return ended
            ended.pop("error", None)
        return ended

    def run(self, folder: str) -> None:
        """Run the locked cells, the answer, each test cell and the self-check."""
        self.isolate(folder)
        self.limit(SETUP_LIMIT_S)
        for name, code in self.locked:
            ended = self.execute(name, code)
            if "error" in ended:
                self.say(locked=ended)
                return
        self.limit(self.task["cpu_s"])
        begun = time.process_time()
        answer = self.execute("answer", _compiled("answer", self.task["answer"]))
        if "error" in answer:
            self.say(answer=answer)
        for name, source in self.task["cells"]:
            ended = self.execute(name, _compiled(name, source))
            self.say(cell=ended)
            if self.task["stop_at_first"] and ("error" in ended or ended["stderr"]):
                self.say(done=True)
                return
        self.say(answer_cpu_s=time.process_time() - begun)
        if self.task["self_check"]:
            self.limit(self.task["cpu_s"])
            self.out.take()
            self.say(self_check={**self.check(self.task["self_check"]), "printed": self.out.take()})
        self.say(done=True)


class Running:
    """A child as the template sees it."""

    def __init__(self, index: int, task: dict, locked: list, scratch: str):
        self.index = index
        self.folder = tempfile.mkdtemp(dir=scratch)
        self.begun = time.monotonic()
        self.deadline = self.begun + task["wall_s"]
        self.data = b""
        self.late = False
        self.pipe, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self.pipe)
                Child(write, task, locked).run(self.folder)
            finally:
                os._exit(0)
        os.close(write)
        os.set_blocking(self.pipe, False)

    def read(self) -> None:
        """Take what the child has sent so far."""
        while True:
            try:
                piece = os.read(self.pipe, 1 << 16)
            except BlockingIOError:
                return
            if not piece:
                return
            self.data += piece

    def kill(self) -> None:
        """End the child and all that it started."""
        for end in (os.killpg, os.kill):
            try:
                end(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue

    def ended(self) -> dict | None:
        """Give the result if the child has ended; end it if its time is up."""
        if not self.late and time.monotonic() > self.deadline:
            self.late = True
            self.kill()
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.kill()
        self.read()
        os.close(self.pipe)
        shutil.rmtree(self.folder, ignore_errors=True)
        events = [json.loads(line) for line in self.data.split(b"\n")[:-1]]
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            timed_out = self.late or number == signal.SIGPROF
            end = "timeout" if timed_out else f"killed by {signal.Signals(number).name}"
        elif events and "done" in events[-1]:
            end = "done"
        elif events and "locked" in events[-1]:
            end = "locked"
        else:
            end = f"ended itself with exit code {os.WEXITSTATUS(status)}"
        return {
            "index": self.index,
            "events": events,
            "end": end,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "wall_s": time.monotonic() - self.begun,
            "peak_mib": usage.ru_maxrss / 1024,
        }


def run_batch(batch: dict, scratch: str, reply) -> bool:
    """Run the tasks of a batch, `jobs` at a time, and reply as each ends.

    Returns:
        False if the process that asked has gone away.
    """
    # Locked cells are the same for many tasks: compile them once.
    locked = [[(name, _compiled(name, source)) for name, source in cells] for cells in batch["locked"]]
    waiting = list(enumerate(batch["tasks"]))[::-1]
    running: list[Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < batch["jobs"]:
                if _threads() > MAX_THREADS:
                    reply({"error": f"the template process has {_threads()} threads; it cannot be forked safely"})
                    return False
                index, task = waiting.pop()
                running.append(Running(index, task, locked[task["locked"]], scratch))
            ready, _, _ = select.select([0, *(r.pipe for r in running)], [], [], 0.01)
            if 0 in ready:  # nothing is sent while a batch runs, so this is the end of the stream
                return False
            for one in list(running):
                one.read()
                result = one.ended()
                if result:
                    running.remove(one)
                    reply(result)
            if ready:
                time.sleep(0.002)  # a pipe whose writer is about to end stays readable
    finally:
        for one in running:
            one.kill()
    return True


def main() -> None:
    """Serve the process that started this one until it closes the pipe."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115

    def reply(message: dict) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    scratch = os.getcwd()
    begun = time.monotonic()
    import_modules(json.loads(sys.stdin.buffer.readline())["imports"])
    # What stands here stays: children need not look through it for garbage, which would copy every page.
    gc.collect()
    gc.freeze()
    reply({"ready": time.monotonic() - begun})
    while line := sys.stdin.buffer.readline():
        if not run_batch(json.loads(line), scratch, reply):
            return


if __name__ == "__main__":
    main()
