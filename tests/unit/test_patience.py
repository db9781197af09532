"""An answer of the two sides is waited for by what they do meanwhile, whether it has begun or not."""

import contextlib
import math
import socket
import struct
import threading
import time

import pytest

from grader.engine.patience import LOOK_S, Patience
from grader.engine.settings import Budget
from grader.sandbox.inside import wire
from grader.sandbox.inside.raised import RAISED
from grader.sandbox.inside.student import COMPUTED, WAITED
from grader.sandbox.pair import Seen

BEGINNING = struct.pack(">4sB3sIQ", b"GRDW", 1, b"\0\0\0", 9_000, 0)
SHORT = Budget(waiting_s=0.6, notebook_waiting_s=10.0, grace_s=1.0)


class Sleeping:
    """Two sides, of which one answers and both sleep."""

    def __init__(self, socket):
        self.socket, self.rung = socket, []

    def look(self):
        return Seen(0.1, 0.1, waits=True)

    def interrupt(self, role):
        self.rung.append(role)

    def end_student(self):
        self.socket.shutdown(socket.SHUT_RDWR)


def drip(to, data, pause_s):
    with contextlib.suppress(OSError):
        for byte in data:
            to.send(bytes([byte]))
            time.sleep(pause_s)


@pytest.fixture
def links():
    own, theirs = socket.socketpair()
    with own, theirs:
        yield own, theirs


def asked(own, pair, budget=SHORT):
    """Wait for an answer; give what was noted, and the seconds that it took."""
    begun = time.monotonic()
    patience = Patience(budget, math.inf)
    with pytest.raises(wire.WireError):
        patience.receive(pair, own, begun + 60, alone_s=20, cpu_s=20)
    return patience, time.monotonic() - begun


@pytest.mark.parametrize("sent", [b"", b"G", BEGINNING, BEGINNING + b"["])
def test_who_begins_an_answer_and_sleeps_has_slept(links, sent):
    own, theirs = links
    theirs.send(sent)
    patience, took_s = asked(own, Sleeping(theirs))
    assert WAITED in patience.ended
    assert patience.waited_s >= SHORT.waiting_s
    assert took_s < SHORT.waiting_s + SHORT.grace_s + 5 * LOOK_S


@pytest.mark.parametrize("pause_s", [0.02, 0.2])
def test_who_drips_an_answer_has_slept(links, pause_s):
    own, theirs = links
    threading.Thread(target=drip, args=(theirs, BEGINNING + b" " * 9_000, pause_s), daemon=True).start()
    patience, took_s = asked(own, Sleeping(theirs))
    assert WAITED in patience.ended
    assert took_s < SHORT.waiting_s + SHORT.grace_s + 5 * LOOK_S


def test_an_answer_that_comes_in_pieces_is_read(links):
    own, theirs = links
    value = {"text": "x" * 100}
    threading.Thread(target=drip, args=(theirs, wire.dumps(value), 0.001), daemon=True).start()
    patience = Patience(SHORT, math.inf)
    got = patience.receive(Sleeping(theirs), own, time.monotonic() + 60, alone_s=20, cpu_s=20)
    assert got == value
    assert not patience.ended


@pytest.mark.parametrize("call_error", ["TimeoutError", "ValueError", ""])
@pytest.mark.parametrize(("used_s", "made_up"), [(20.0, False), (0.0, True)])
def test_a_limit_that_an_answer_only_claims_is_none(used_s, made_up, call_error):
    """Else its test would count from the run with longer limits."""
    pair = Sleeping(None)
    patience = Patience(Budget(call_cpu_s=20.0), math.inf)
    patience.begin(pair, 100.0)
    pair.look = lambda: Seen(0.1 + used_s, 0.1)
    text = f"{COMPUTED} 20 s"
    reply = {"ran_out": {"f": text}, "error": "TimeoutError", "message": text, "call_error": call_error}
    patience.disbelieve(pair, reply)
    assert reply["ran_out"] == ({} if made_up else {"f": text})
    assert reply["error"] == (RAISED if made_up else "TimeoutError")
    assert reply["call_error"] == (RAISED if made_up and call_error == "TimeoutError" else call_error)
