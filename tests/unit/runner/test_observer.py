"""Observation of a trial: lines become samples, gaps become rows."""

import json
import os
import signal
import time
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pytest
from tests.unit.programs import fake_engine

from autostrada.engine.messages import CoreTimes, HostMetrics, ProcessMetrics, Sockets
from autostrada.engine.process import find_engine
from autostrada.machine.process import Command, Process
from autostrada.runner import observer as observer_module
from autostrada.runner.observer import observing, read_samples, sampling_interval_ms

CPUS = frozenset(os.sched_getaffinity(0))
START_NS = 1_000


def numbered(kind, **known):
    """Return an object of a line, in which each metric has a number of its own."""
    return {name: number for number, name in enumerate(kind.model_fields)} | known


PROCESS = numbered(ProcessMetrics, proportional_bytes=None, gone=False)
SOCKETS = numbered(Sockets)
CORE = numbered(CoreTimes, steal_ns=None)
HOST = numbered(
    HostMetrics, cores=[CORE, CORE | {"busy_ns": 50}], tcp_memory_bytes=None
)
SPEED = {"loops": 8, "loops_ns": 96_000, "messages": 20, "messages_ns": 2000}


def sample(at_ns=START_NS, **changes):
    document = {
        "event": "sample",
        "at_ns": at_ns,
        "processes": {"client": PROCESS, "server": PROCESS | {"cpu_ns": 6}},
        "sockets": {"client": SOCKETS},
        "host": HOST,
        "loops": [{"core": 1, **SPEED}],
        "missing": {},
    }
    return json.dumps(document | changes)


def reasons(observation):
    return {each.metric: each.reason for each in observation.missing_metrics}


def test_a_line_becomes_samples_relative_to_the_start():
    observation = read_samples(
        [sample(START_NS - 400), sample(START_NS + 600)], START_NS
    )
    samples = [
        (each.process, each.since_start_ns) for each in observation.process_samples
    ]
    assert samples == [
        ("client", -400),
        ("server", -400),
        ("client", 600),
        ("server", 600),
    ]
    [client, *_] = observation.process_samples
    metrics = {key: PROCESS[key] for key in PROCESS if key != "gone"}
    assert asdict(client) == metrics | {"process": "client", "since_start_ns": -400}
    [sockets, _] = observation.socket_samples
    assert asdict(sockets) == SOCKETS | {"process": "client", "since_start_ns": -400}
    [host, _] = observation.host_samples
    metrics = {key: HOST[key] for key in HOST if key != "cores"}
    assert asdict(host) == metrics | {"since_start_ns": -400}
    cores = [(each.since_start_ns, each.core) for each in observation.core_samples]
    assert cores == [(-400, 0), (-400, 1), (600, 0), (600, 1)]
    first, second = map(asdict, observation.core_samples[:2])
    of_both = CORE | {"since_start_ns": -400}
    assert first == of_both | dict.fromkeys(SPEED) | {"core": 0}
    assert second == of_both | SPEED | {"core": 1, "busy_ns": 50}
    assert observation.missing_metrics == ()


def test_a_missing_metric_is_recorded_once_with_the_first_reason():
    line = {"event": "sample", "at_ns": 1, "processes": {}}
    lines = [json.dumps(line | {"missing": {"host": why}}) for why in ("jail", "more")]
    observation = read_samples(lines, START_NS)
    assert reasons(observation) == {"host": "jail"}
    assert (observation.process_samples, observation.socket_samples) == ((), ())
    assert (observation.host_samples, observation.core_samples) == ((), ())


def test_an_ended_process_has_no_further_samples():
    processes = {"client": PROCESS | {"gone": True}, "server": PROCESS}
    observation = read_samples([sample(processes=processes)], START_NS)
    assert [each.process for each in observation.process_samples] == ["server"]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "[]",
        "7",
        "{}",
        '{"event":"sample","at_ns":1}',
        '{"event":"sample"}',
        "[" * 100_000,
        sample(processes={"client": {"cpu_ns": 1}}),
        sample(processes={"client": PROCESS | {"cpu_ns": "much"}}),
        sample(processes={"client": PROCESS | {"cpu_ns": 2**63}}),
        sample(processes=["client"]),
        sample(host=[]),
        sample(at_ns="now"),
    ],
    ids=lambda line: line[:40],
)
def test_an_invalid_line_is_a_row_and_does_not_end_the_observation(line):
    observation = read_samples([sample(), line, sample()], START_NS)
    [missing] = observation.missing_metrics
    assert missing.metric == "sample"
    start = f"the observer printed an invalid line {line[:20]!r}"[:-1]
    assert missing.reason.startswith(start)
    assert len(missing.reason) < 500
    assert len(observation.process_samples) == 4


SAMPLER = f"""
import json, sys, time
plan = json.loads(sys.stdin.readline())
def sample(at_ns):
    line = json.loads({sample()!r})
    print(json.dumps(line | {{"at_ns": at_ns}}), flush=True)
sample(time.monotonic_ns())
"""


def observe(program, during=lambda observer: None):
    with observing(program, cpus=CPUS) as observer:
        observer.begin({"client": 1, "server": 2})
        during(observer)
        observer.end()
        return observer.observation()


def await_later(observer):
    observer.await_sample(10**18)


def test_the_first_sample_is_before_the_start(tmp_path):
    observation = observe(fake_engine(tmp_path, SAMPLER + "sys.stdin.read()"))
    assert {each.since_start_ns < 0 for each in observation.process_samples} == {True}
    assert observation.missing_metrics == ()


def test_samples_are_relative_to_the_start_that_is_known_at_the_end(tmp_path):
    def start_at_0(observer):
        observer.start_ns = 0

    before_ns = time.monotonic_ns()
    observation = observe(
        fake_engine(tmp_path, SAMPLER + "sys.stdin.read()"), start_at_0
    )
    assert observation.process_samples[0].since_start_ns > before_ns


@pytest.mark.parametrize("number", [0, 2_000])
def test_a_later_sample_is_waited_for_and_many_do_not_block(tmp_path, number):
    script = f"for n in range({number}): sample(n)\nsample(10**18)\nsys.stdin.read()"
    observation = observe(fake_engine(tmp_path, SAMPLER + script), await_later)
    assert len(observation.host_samples) == 2 + number


def test_a_missing_sample_is_not_waited_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr(observer_module, "SAMPLE_LIMIT_S", 0.05)
    observation = observe(
        fake_engine(tmp_path, SAMPLER + "sys.stdin.read()"),
        await_later,
    )
    assert len(observation.host_samples) == 1


@pytest.mark.parametrize(
    ("script", "during", "reason"),
    [
        ("sys.exit('no such thing')", await_later, "no such thing"),
        ("sys.stdin.read()", lambda it: os.kill(it.pid, signal.SIGKILL), "status -9"),
    ],
    ids=["crashed", "killed"],
)
def test_an_observer_that_fails_is_a_row(tmp_path, script, during, reason):
    observation = observe(fake_engine(tmp_path, SAMPLER + script), during)
    assert len(observation.host_samples) == 1
    assert reasons(observation) == {"observation": f"the observer failed: {reason}"}


def test_an_observer_that_does_not_end_is_killed(tmp_path, monkeypatch, is_gone):
    monkeypatch.setattr(observer_module, "END_LIMIT_S", 0.05)
    pids = []
    observation = observe(
        fake_engine(tmp_path, SAMPLER + "time.sleep(600)"),
        lambda observer: pids.append(observer.pid),
    )
    assert reasons(observation) == {
        "observation": "the observer did not end within 0 s"
    }
    assert is_gone(pids[0])


def test_a_client_that_was_not_started_cannot_be_observed(tmp_path):
    with observing(
        fake_engine(tmp_path, "import sys; sys.stdin.read()"), cpus=CPUS
    ) as observer:
        observer.end()
        observation = observer.observation()
    assert reasons(observation) == {"observation": "the client was not started"}


@pytest.mark.parametrize(
    ("expected_ms", "every_ms"),
    [(None, 100), (60_000, 100), (500, 100), (80, 16), (12, 3), (0, 3)],
)
def test_a_short_trial_is_sampled_more_often(expected_ms, every_ms):
    expected_ns = None if expected_ms is None else expected_ms * 1_000_000
    assert sampling_interval_ms(expected_ns) == every_ms


def test_the_sampling_interval_is_respected():
    with observing(find_engine(), cpus=CPUS, every_ms=3) as observer:
        observer.begin({"itself": observer.pid})
        observer.await_sample(time.monotonic_ns() + 60_000_000)
        observer.end()
        samples = observer.observation().process_samples
    assert {each.process for each in samples} == {"itself"}
    instants = [each.since_start_ns for each in samples]
    # All are due at whole intervals after the first sample, however late some are.
    assert len(instants) > 2
    assert min(later - one for one, later in pairwise(instants)) < 50_000_000


def test_the_speed_of_the_named_cores_is_measured():
    core = min(CPUS)
    named = frozenset({core})
    with observing(find_engine(), cpus=CPUS, every_ms=3, loop_cores=named) as observer:
        observer.begin({"itself": observer.pid})
        observer.await_sample(time.monotonic_ns() + 60_000_000)
        observer.end()
        samples = observer.observation().core_samples
    assert {each.core for each in samples if each.loops is not None} == named
    assert max(each.loops_ns for each in samples if each.core == core) > 0


@pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(), reason="sessions are not grouped here"
)
def test_the_observer_has_the_priority_of_the_observed_processes():
    command = Command(arguments=["cat"], folder=Path(), is_measured=True)
    with Process(command) as measured, observing(find_engine(), cpus=CPUS) as observer:
        groups = [
            Path(f"/proc/{pid}/autogroup").read_text(encoding="ascii").split()[1:]
            for pid in (measured.pid, observer.pid)
        ]
        observer.end()
    assert groups[0] == groups[1]
