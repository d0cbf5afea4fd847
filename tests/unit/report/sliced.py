"""
A store with servers measured in slices, whose metrics are easy to check in the head.

CPU time of a message in nanoseconds, by server; every start and slice varies a little,
and rounds change all of them alike:

============  =========  ==============  ================================
server        CPU, ns    utilization     by the clock, a second
============  =========  ==============  ================================
reference     1,000      0.5             500,000
ada-fast      2,000      1               500,000; the engine is the limit
cobol-mid     2,500      1               400,000
dart-mid      2,502      1               400,000; in five of six starts
elm-wide      4,000      2               500,000: two threads
fish-idle     8,000      0.8             100,000
bash-once     20,000     1               50,000; in one start
============  =========  ==============  ================================
"""

from dataclasses import replace

import numpy as np
from tests.unit.report import records
from tests.unit.report.records import end, trial, values

from autostrada.experiment.matrix import Cell
from autostrada.stats.evidence import Pacing
from autostrada.store.record import Measurement, SliceRow

DEFINITION = """
title = "The small comparison"
question = "Which server is fast?"
repetitions = 6
warm_ups = 0
limit_s = 60
servers = ["reference", "ada-fast", "cobol-mid", "dart-mid", "elm-wide", "fish-idle",
  "bash-once"]

[[workload]]
name = "echo"
kind = "echo"
window_s = 3
connections = 64
in_flight = 1
"""

NAMES = (
    "reference",
    "ada-fast",
    "cobol-mid",
    "dart-mid",
    "elm-wide",
    "fish-idle",
    "bash-once",
)

RUN = replace(
    records.RUN,
    experiment="sliced",
    definition=DEFINITION,
    plan='{"contestants": ["ada-fast", "cobol-mid", "dart-mid", "elm-wide", '
    '"fish-idle", "bash-once"], "repetitions": 6, "warm_ups": 0, "seed": 7}',
)

SERVERS = {
    # CPU time of a message in ns, utilization, cost of slices, messages a wake-up
    "reference": (1000, 0.5, 1.01, 8),
    "ada-fast": (2000, 1.0, 1.02, 60),
    "cobol-mid": (2500, 1.0, 1.01, 40),
    "dart-mid": (2502, 1.0, 1.015, 40),
    "elm-wide": (4000, 2.0, 1.01, 32),
    "fish-idle": (8000, 0.8, 1.08, 2),
    "bash-once": (20_000, 1.0, 1.01, 64),
}

ROUNDS = 4
SLICE_NS = 300_000_000


def slices(random, cpu_ns, utilization, of_rounds):
    """Return the slices of a start, which is up to 1 % faster or slower."""
    of_start = random.uniform(0.99, 1.01)
    for number, of_round in enumerate(of_rounds):
        ns = cpu_ns * of_start * of_round * random.uniform(0.99, 1.01)
        messages = round(SLICE_NS * utilization / ns)
        yield SliceRow(
            round=number,
            since_start_ns=number * 10**9,
            duration_ns=SLICE_NS,
            messages=messages,
            server_cpu_ns=round(messages * ns),
            client_cpu_ns=SLICE_NS,
        )


def echo(name, found):
    _, utilization, bias, wakeups = SERVERS[name]
    messages = sum(one.messages for one in found)
    duration_ns = SLICE_NS * len(found)
    per_cpu_s = messages / sum(one.server_cpu_ns for one in found) * 1e9
    return Measurement(
        messages=messages,
        payload_bytes=11 * messages,
        duration_ns=duration_ns,
        server_utilization=utilization,
        client_utilization=0.95 if name == "ada-fast" else 0.5,
        pacing=Pacing.CLOSED_LOOP,
        sender="client",
        ends=(
            end("client", 0.95 if name == "ada-fast" else 0.5, is_engine=True),
            end("server", utilization, is_engine=name == "reference"),
        ),
        processes=(),
        seconds=(),
        metrics=(
            *values("client", achieved_per_s=messages / duration_ns * 1e9),
            *values(
                "server",
                messages_per_cpu_s=per_cpu_s,
                messages_per_wakeup=wakeups,
                slices_cost_ratio=bias,
            ),
        ),
        slices=tuple(found),
    )


def trials(starts):
    random = np.random.default_rng(5)
    for start in range(starts):
        of_rounds = random.uniform(0.8, 1.25, ROUNDS)
        for name in NAMES:
            cpu_ns, utilization, *_ = SERVERS[name]
            found = list(slices(random, cpu_ns, utilization, of_rounds))
            is_absent = (name, start) == ("dart-mid", 2)
            if not (is_absent or (name == "bash-once" and start)):
                cell = Cell(server=name, workload="echo")
                yield trial(cell, start, echo(name, found))


def write_sliced(path, *, starts=6, run=RUN, are_kept=True):
    """Write the comparison; without slices if they are not kept."""
    made = trials(starts)
    if not are_kept:
        kept = ("achieved_per_s",)
        made = (
            replace(
                one,
                outcome=replace(
                    one.outcome,
                    slices=(),
                    metrics=tuple(
                        metric
                        for metric in one.outcome.metrics
                        if metric.metric in kept
                    ),
                ),
            )
            for one in made
        )
    records.write_run(path, run, map(records.version, NAMES), made)
    return path
