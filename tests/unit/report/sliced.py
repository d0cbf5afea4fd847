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

import json
from dataclasses import replace

import numpy as np
from tests.unit.definitions import define, definition
from tests.unit.report import records
from tests.unit.report.records import end, trial, values

from autostrada.experiment.matrix import Cell
from autostrada.stats.evidence import Pacing
from autostrada.stats.slice_blocks import BLOCK_SLICES
from autostrada.store.record import Measurement, SliceRow

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

DEFINITION = definition(
    define("echo", window_s=3, connections=64, in_flight=1),
    title="The small comparison",
    question="Which server is fast?",
    repetitions=6,
    limit_s=60,
    servers=[*SERVERS],
)

PLAN = {"contestants": [*SERVERS], "repetitions": 6, "seed": 7}

RUN = replace(
    records.RUN, experiment="sliced", definition=DEFINITION, plan=json.dumps(PLAN)
)

ROUNDS = 4
SLICE_NS = 300_000_000


def slices(random, cpu_ns, utilization, turns):
    """
    Return the slices of a start, which is up to 1 % faster or slower.

    ``turns`` are their numbers among those of all servers, and how much slower the
    machine was.
    """
    of_start = random.uniform(0.99, 1.01)
    for number, of_machine in turns:
        ns = cpu_ns * of_start * of_machine * random.uniform(0.99, 1.01)
        messages = round(SLICE_NS * utilization / ns)
        yield SliceRow(
            since_start_ns=number * 500_000_000,
            duration_ns=SLICE_NS,
            messages=messages,
            server_cpu_ns=round(messages * ns),
            client_cpu_ns=SLICE_NS,
        )


def echo(name, found):
    _, utilization, bias, wakeups = SERVERS[name]
    messages = sum(one.messages for one in found)
    duration_ns = SLICE_NS * len(found)
    engine = 0.95 if name == "ada-fast" else 0.5
    ends = (
        end("client", engine, is_engine=True),
        end("server", utilization, is_engine=name == "reference"),
    )
    of_slices = values(
        "server",
        messages_per_cpu_s=messages / sum(one.server_cpu_ns for one in found) * 1e9,
        messages_per_wakeup=wakeups,
        slices_cost_ratio=bias,
    )
    return Measurement(
        messages=messages,
        payload_bytes=11 * messages,
        duration_ns=duration_ns,
        server_utilization=utilization,
        client_utilization=engine,
        pacing=Pacing.CLOSED_LOOP,
        sender="client",
        ends=ends,
        processes=(),
        seconds=(),
        metrics=(
            *values("client", achieved_per_s=messages / duration_ns * 1e9),
            *of_slices,
        ),
        slices=tuple(found),
    )


def without_slices(made):
    """Return a trial that was not measured in slices."""
    [achieved, *_] = made.outcome.metrics
    return replace(made, outcome=replace(made.outcome, slices=(), metrics=(achieved,)))


def trials(starts):
    random = np.random.default_rng(5)
    for start in range(starts):
        absent = {"dart-mid"} if start == 2 else set()
        absent |= {"bash-once"} if start else set()
        names = [name for name in SERVERS if name not in absent]
        order = [name for _ in range(ROUNDS) for name in random.permutation(names)]
        of_blocks = random.uniform(0.8, 1.25, len(order) // BLOCK_SLICES + 1)
        for name in names:
            cpu_ns, utilization, *_ = SERVERS[name]
            turns = [
                (number, of_blocks[number // BLOCK_SLICES])
                for number, each in enumerate(order)
                if each == name
            ]
            found = list(slices(random, cpu_ns, utilization, turns))
            cell = Cell(server=name, workload="echo")
            yield trial(cell, start, echo(name, found))


def write_sliced(path, *, starts=6, run=RUN, are_kept=True):
    """Write the comparison; without slices if they are not kept."""
    made = (one if are_kept else without_slices(one) for one in trials(starts))
    records.write_run(path, run, map(records.version, SERVERS), made)
    return path
