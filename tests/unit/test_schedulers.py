"""Which schedulers are asked for workers: who can reach one can run code here."""

import sys

import pytest

from grader.classrun import executors
from grader.cli import main
from grader.core.errors import GraderError


@pytest.mark.parametrize(
    "address",
    [
        *("tcp://node1:8786", "node1:8786", "tcp://192.0.2.7:8786", "tcp://localhost.example.org:8786", "ws://node1:1"),
        *("tcp://[2001:db8::1]:8786", "tcp://[", "", "tcp://127.0.0.1@node1:8786", "TLS.example.org:8786"),
    ],
)
def test_a_scheduler_elsewhere_needs_tls(address, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GraderError, match=r"(?s)run code on this machine.*--unencrypted"), executors.dask(address):
        pass
    with pytest.raises(GraderError, match="Dask is not installed"), executors.dask(address, unencrypted=True):
        pass


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:8786", "localhost:8786", "tcp://LOCALHOST:8786", "tcp://[::1]:8786", "tls://node1:8786"],
)
def test_one_on_this_machine_or_with_tls_does_not(address, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GraderError, match="Dask is not installed"), executors.dask(address):
        pass


@pytest.mark.parametrize("more", [[], ["--unencrypted"]])
def test_the_option_is_handed_on(course, monkeypatch, more):
    given = {}
    monkeypatch.setattr("grader.classrun.run.grade_class", lambda *_, **options: given.update(options) or [])
    main(["--course", str(course.root), "grade", "--scheduler", "tcp://node1:8786", *more])
    assert given["unencrypted"] is bool(more)
