"""The share of a core that observing takes."""

import os
from pathlib import Path

import pytest

from autostrada.errors import EngineError
from compare.observe import OWNER, Observed, sleepers, socket_looks


def look(at_ns, **sockets):
    sections = {"sockets": {OWNER: sockets}} if sockets else {}
    return {"at_ns": at_ns, "processes": {}} | sections


def test_a_share_is_from_the_first_look_to_the_last():
    assert Observed([look(1_000), look(1_150), look(1_200)], 4).share == 4 / 200


def test_one_look_has_no_share():
    with pytest.raises(EngineError, match="ended before its time"):
        _ = Observed([look(1_000)], 7).share


def test_looks_at_sockets_are_counted():
    looks = [look(1), look(2, connections=10_000, sampled=512), look(3)]
    assert socket_looks(looks) == "1 of 3 looks were at sockets, at 512 of 10,000"
    assert socket_looks(looks[:1]) == "no look was at sockets"


def test_sleepers_are_gone_in_the_end():
    with sleepers(3) as pids:
        assert len(set(pids)) == 3
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
