"""The warm process: when it may be forked, and what is left of it when the one that started it is killed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.core.errors import GraderError
from grader.sandbox import folders, warm
from grader.sandbox.inside import isolate
from grader.sandbox.pair import Pair

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marking needs Linux")

SLEEP = "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()"
NAMED = (
    "threading.Thread(target=lambda: (open(f'/proc/self/task/{threading.get_native_id()}/comm', 'w')"
    ".write('tf_Compute'), time.sleep(600)), daemon=True).start()"
)


def begin(*lines: str, wait_s: float = 0.0) -> None:
    """Start a warm process whose imports do more than importing, and fork from it."""
    with warm.Template("\n".join(["import threading, time", *lines]), at_most=isolate.Level.LIMITS) as template:
        Pair(template, isolate.Limits()).end()
        time.sleep(wait_s)
        Pair(template, isolate.Limits()).end()
        with contextlib.closing(template.twin()) as twin:
            Pair(twin, isolate.Limits()).end()


def test_threads_that_imports_start_do_no_harm():
    begin(SLEEP, SLEEP, SLEEP)


def test_a_thread_of_an_operation_is_refused_by_name():
    with pytest.raises(GraderError, match=r"threads were started in it .*: tf_Compute\."):
        begin(NAMED, "time.sleep(0.3)")


def test_a_thread_that_starts_after_the_imports_is_refused():
    later = "threading.Timer(2.0, lambda: threading.Thread(target=time.sleep, args=(600,)).start()).start()"
    with pytest.raises(GraderError, match="threads were started in it"):
        begin(later, wait_s=2.5)


def test_the_shell_starts_without_a_warning_of_its_colours():
    program = (
        "import sys, warnings\n"
        "warnings.filterwarnings('error', message='.*colors')\n"
        f"sys.path.insert(0, {str(warm.INSIDE)!r})\n"
        "import template\n"
        "template._warm_shell()\n"
        "from IPython import get_ipython\n"
        "assert get_ipython().colors.lower() == 'nocolor'\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_folder_of_a_killed_process_is_removed_by_the_next(tmp_path, monkeypatch):
    program = (
        "import sys\n"
        "from grader.sandbox.warm import Template\n"
        "with Template('import json') as template:\n"
        "    print(template.folder, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        killed, alive = (Path(one.stdout.readline().strip()) for one in started)
        foreign = tmp_path / "marking-notes"
        foreign.write_text("no folder of ours")
        assert killed.parent == alive.parent == tmp_path
        os.kill(started[0].pid, signal.SIGKILL)
        started[0].wait()
        assert (killed / "runner").is_dir()
        with warm.Template("import json") as template:
            assert sorted(tmp_path.iterdir()) == sorted([alive, foreign, Path(template.folder)])
            assert folders.remove_abandoned() == []
        assert sorted(tmp_path.iterdir()) == sorted([alive, foreign])
    finally:
        for one in started:
            one.communicate()
    assert list(tmp_path.iterdir()) == [foreign]
