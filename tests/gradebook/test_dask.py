"""Marking on a Dask cluster: a real scheduler and workers, as processes of their own."""

import contextlib
import datetime
import ipaddress
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import NAMES
from nbgrader.api import Gradebook

from grader.classrun import executors
from grader.classrun.run import end, grade_class
from grader.core.cells import exercises
from grader.core.errors import GraderError
from grader.core.nbgrader_api import course_config, folders_config
from grader.core.notebook import read_notebook, write_notebook
from grader.engine import fingerprints
from grader.gradebook import records
from grader.testing.samples import fill_answers

Client = pytest.importorskip("distributed", reason="Dask is not installed (pip install distributed)").Client
pytestmark = pytest.mark.slow
NAME = NAMES[0]
STUDENTS = [f"s{n:02}" for n in range(12)]


@contextlib.contextmanager
def cluster(folder, workers=2, tls=None, threads=1):
    """Start a scheduler and workers; give its address and the workers' processes."""
    file = folder / "scheduler.json"
    secure = [f"--tls-{kind}={path}" for kind, path in zip(("ca-file", "cert", "key"), tls, strict=True)] if tls else []
    where = ["--host", "tls://127.0.0.1" if tls else "127.0.0.1"]
    dask = [sys.executable, "-m", "dask"]
    log = (folder / "cluster.log").open("w")
    processes = []

    def start(*words):
        processes.append(subprocess.Popen([*dask, *words, *secure], stdout=log, stderr=log, cwd=folder))

    try:
        start("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file), *where)
        while not file.exists():
            assert processes[0].poll() is None, (folder / "cluster.log").read_text()
            time.sleep(0.05)
        for _ in range(workers):
            own = ["--no-nanny", "--nthreads", str(threads), "--no-dashboard"]
            start("worker", "--scheduler-file", str(file), *own, *where)
        yield json.loads(file.read_text())["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()
        log.close()


@pytest.fixture
def crowd(small_course, tmp_path):
    source = read_notebook(small_course.source(NAME))
    right = {e.name: e.answer for e in exercises(source)}
    for n, student in enumerate(STUDENTS):
        answers = right if n % 3 else {"double": f"def double(x):\n    return x + 2  # {n}"}
        write_notebook(fill_answers(source, answers), tmp_path / "submitted" / student / NAME / f"{NAME}.ipynb")
    return tmp_path


def run(course, folder, **options):
    try:
        return grade_class(course, folders_config(course_config(course), folder), [NAME], **options)
    finally:
        end()


def kept(folder):
    """Give the marks of each submission in the gradebook, one or more."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "attention") as gradebook:
        return sorted(
            (s.student.id, s.score, records.read(gradebook, NAME, s.student.id)["points"])
            for s in gradebook.assignment_submissions(NAME)
        )


EXPECTED = [(s, 3.0 if n % 3 else 2.0, 3.0 if n % 3 else 2.0) for n, s in enumerate(STUDENTS)]


def test_a_worker_is_killed_and_no_mark_is_lost_or_doubled(small_course, crowd):
    lines, lost = [], []
    with cluster(crowd) as (address, workers), Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        (killed,) = [at for at, pid in client.run(os.getpid).items() if pid == workers[0].pid]

        def say(line):
            lines.append(line)
            if len(lines) >= 2 and not lost:
                lost.extend(client.processing()[killed])
                if lost:
                    os.kill(workers[0].pid, signal.SIGKILL)

        entries = run(small_course, crowd, scheduler=address, say=say)
        assert lost  # something was under way there
        assert workers[0].wait() == -signal.SIGKILL
        assert {e.outcome for e in entries} == {"marked"}, [e.why for e in entries]
        assert len(lines) == len(entries) == len(STUDENTS)
        assert kept(crowd) == EXPECTED
        again = run(small_course, crowd, scheduler=address)
        assert {e.outcome for e in again} == {"unchanged"}


def test_the_scheduler_is_killed_and_the_next_run_goes_on(small_course, crowd):
    lines = []
    with cluster(crowd) as (address, _):
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            scheduler = client.run_on_scheduler(os.getpid)

        def say(line):
            lines.append(line)
            if len(lines) == 2:
                os.kill(scheduler, signal.SIGKILL)

        with pytest.raises(GraderError, match="the scheduler is gone"):
            run(small_course, crowd, scheduler=address, say=say)
    written = kept(crowd)
    assert 2 <= len(written) < len(STUDENTS)
    (crowd / "scheduler.json").unlink()
    with cluster(crowd) as (address, _):
        entries = run(small_course, crowd, scheduler=address)
    assert Counter(e.outcome for e in entries) == {"unchanged": len(written), "marked": len(STUDENTS) - len(written)}
    assert kept(crowd) == EXPECTED


def test_a_worker_with_other_code_does_not_mark(small_course, crowd, monkeypatch):
    with cluster(crowd, workers=1) as (address, _):
        monkeypatch.setattr(fingerprints, "environment", lambda: "another version")
        with pytest.raises(GraderError, match="other code or libraries"):
            run(small_course, crowd, scheduler=address)
    assert kept(crowd) == []


def test_what_stands_in_the_way_is_said(small_course, crowd):
    with pytest.raises(GraderError, match="no scheduler answers"):
        run(small_course, crowd, scheduler="nowhere://127.0.0.1:1")
    with pytest.raises(GraderError, match="no scheduler answers"), executors.dask("tcp://127.0.0.1:1", timeout_s=2):
        pass
    with (
        cluster(crowd, workers=0) as (address, _),
        pytest.raises(GraderError, match="no worker"),
        executors.dask(address, timeout_s=2),
    ):
        pass


def certificates(folder: Path) -> tuple[str, str, str]:
    """Make an authority and a certificate that it signed; give the three files."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    def made(name, issuer=None):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer[0].subject if issuer else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        )
        if issuer:
            own = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
            builder = builder.add_extension(own, critical=False)
        return builder.sign(issuer[1] if issuer else key, hashes.SHA256()), key

    authority = made("authority")
    certificate, key = made("grader", authority)
    plain = serialization.NoEncryption()
    files = {
        "ca.pem": authority[0].public_bytes(serialization.Encoding.PEM),
        "cert.pem": certificate.public_bytes(serialization.Encoding.PEM),
        "key.pem": key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain),
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return tuple(str(folder / name) for name in files)


def test_a_cluster_with_tls_takes_those_with_a_certificate_alone(small_course, crowd):
    tls = certificates(crowd)
    (crowd / "foreign").mkdir()
    foreign = certificates(crowd / "foreign")
    with cluster(crowd, workers=1, tls=tls, threads=2) as (address, _):
        assert address.startswith("tls://")
        entries = run(small_course, crowd, scheduler=address, tls=tls)
        assert {e.outcome for e in entries} == {"marked"}
        for wrong in (None, foreign):
            with pytest.raises(GraderError, match="no scheduler answers"), executors.dask(address, wrong, timeout_s=3):
                pass
    assert kept(crowd) == EXPECTED


def test_a_laptop_never_imports_dask(small_course, crowd):
    code = """
import sys
from pathlib import Path
from grader.core.course import Course
from grader.classrun.run import end, grade_class
from grader.core.nbgrader_api import course_config, folders_config

course = Course(Path(sys.argv[1]))
grade_class(course, folders_config(course_config(course), Path(sys.argv[2])), [sys.argv[3]], jobs=2)
end()
print(sorted(m for m in sys.modules if m.split(".")[0] in ("dask", "distributed")))
"""
    command = [sys.executable, "-c", code, str(small_course.root), str(crowd), NAME]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"
    assert kept(crowd) == EXPECTED
