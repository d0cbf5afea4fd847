"""Memory of idle connections, for given readings and events."""

from types import SimpleNamespace

import pytest

from autostrada.errors import EngineError
from compare.crowd import CrowdMetrics
from compare.idle_memory import Peer, await_opened, both, engine_held, memory_row
from compare.limits import ConnectionResources


def metrics(few_bytes, many_bytes):
    return both(
        lambda connections: CrowdMetrics(
            connections=connections,
            resident_bytes=few_bytes if connections == 10 else many_bytes,
        ),
        1010,
    )


def test_the_metric_is_their_whole_memory_as_a_multiple():
    ours = metrics(4 * 2**20 - 1_024_000, 4 * 2**20)
    theirs = metrics(100 * 2**20 - 24 * 1_024_000, 100 * 2**20)
    row = memory_row("memory", ours, theirs, "k6")
    assert (row.shown, row.shown_bar, row.verdict) == ("25 ×", "≥ 20 ×", "reached")
    assert row.details == (
        "engine: 1.00 KiB per connection; 3.0 MiB with 10, 4.0 MiB with 1,010",
        "k6: 24.00 KiB per connection; 76.6 MiB with 10, 100.0 MiB with 1,010",
    )


def test_the_memory_is_read_when_all_connections_are_open():
    events = iter([{"connections": 1}] * 4)
    await_opened(events, 3)
    assert len(list(events)) == 1


def test_connections_that_do_not_open_are_a_failure():
    with pytest.raises(EngineError, match="2 of 3 connections were opened"):
        await_opened([{"connections": 1}] * 2, 3)


def test_lost_connections_of_the_engine_are_a_failure():
    result = {"connections": 2, "failures": []}
    lossy = CrowdMetrics(connections=3, result=result)
    crowd = SimpleNamespace(measure=lambda *_: lossy)
    with pytest.raises(EngineError, match="1 connections were lost"):
        engine_held(crowd, 3)


@pytest.mark.parametrize(
    ("missing", "files", "expected"),
    [
        (None, 2_000, None),
        ("no npm", 2_000, "no npm"),
        (None, 199, "200 open files are needed, 199 allowed (sysctl fs.file-max)"),
    ],
)
def test_a_program_lacks_itself_or_resources(missing, files, expected):
    machine = ConnectionResources(
        descriptors=20_000, files=files, ports=28_232, memory_bytes=2**30
    )
    peer = Peer(name="k6", missing=missing, bytes_each=1024, start=None, events=None)
    assert peer.shortage(machine, 100) == expected
