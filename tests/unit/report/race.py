"""
A store with a race made by hand, whose metrics are easy to check in the head.

Nanoseconds a message, which are milliseconds for a million messages:

=================  ===========================  ===========================
contestant         batched (1,000,000)          one-by-one (200,000)
=================  ===========================  ===========================
reference          20, median of 18 to 22       1000
ada-fast           200, of 196 to 204           2000, limited by the engine
cobol-mid          400; one trial crashed       2010, limited by the engine
bash-slow          4000, of 3900 to 4100        2600
dart-missing       its toolchain is missing
=================  ===========================  ===========================

Processes and sockets are looked at with the first byte and the last; in cobol-mid
sockets cannot be seen. The last trial of bash-slow is disturbed and repeated.
"""

from dataclasses import replace
from itertools import product

from tests.unit.blank import blank, process_sample
from tests.unit.definitions import define, definition
from tests.unit.report import records
from tests.unit.report.records import FIFTHS, end, push, total, trial, values

from autostrada.experiment.matrix import Cell
from autostrada.store.record import (
    Failure,
    MissingMetric,
    Observation,
    OtherLoad,
    SecondRow,
    SocketSample,
)

DEFINITION = definition(
    define("push", "batched", messages=1_000_000),
    define("push", "one-by-one", messages=200_000, frames_per_write="one"),
    title="The small race",
    question="Who is fast?",
    repetitions=5,
    limit_s=60,
    clients=["reference", "ada-fast", "cobol-mid", "bash-slow", "dart-missing"],
)

PUBLISHED = """
title = "Their table"
origin = "their page"

[[table]]
title = "Their durations"
metric = "ms_per_million"
cells = [
  { client = "ada-fast", workload = "one-by-one", value = 60 },
  { client = "cobol-mid", workload = "one-by-one", value = 120 },
  { client = "bash-slow", workload = "one-by-one", value = 240 },
]
"""

RUN = replace(records.RUN, definition=DEFINITION, published=PUBLISHED)

CELLS = {
    # workload, contestant: median ns, half range, server busy, blocked, client busy
    ("batched", "reference"): (20, 2, 0.95, 0.0, 0.7),
    ("batched", "ada-fast"): (200, 4, 0.2, 0.7, 1.0),
    ("batched", "cobol-mid"): (400, 8, 0.1, 0.8, 1.1),
    ("batched", "bash-slow"): (4000, 100, 0.01, 0.9, 1.0),
    ("one-by-one", "reference"): (1000, 20, 1.0, 0.0, 0.6),
    ("one-by-one", "ada-fast"): (2000, 40, 0.99, 0.0, 0.9),
    ("one-by-one", "cobol-mid"): (2010, 40, 0.98, 0.0, 0.9),
    ("one-by-one", "bash-slow"): (2600, 40, 0.6, 0.3, 1.0),
}

MESSAGES = {"batched": 1_000_000, "one-by-one": 200_000}

CRASH = Failure(
    kind="crashed",
    message="ended by signal 11",
    stderr_tail="</script><img src=http://example.org/x>\nsegmentation fault",
)


def version(contestant):
    if contestant == "reference":
        return records.version(contestant, library="autostrada-engine load")
    return records.version(
        contestant,
        version=None if contestant == "dart-missing" else "1.2.3",
        delivers="utf-8",
        validates_utf8=contestant == "ada-fast",
    )


def measurement(workload, contestant, repetition):
    middle, half_range, server, blocked, client = CELLS[workload, contestant]
    messages = MESSAGES[workload]
    ns_per_message = middle + half_range * FIFTHS[repetition]
    per_second = round(1e9 / ns_per_message)
    used = {
        "cpu_ns": round(client * middle * messages),
        "peak_bytes": (10 + repetition) * 2**20,
    }
    sent = values("server", wire_bytes=13 * messages, write_calls=messages / 100)
    return push(
        ns_per_message,
        messages,
        client=client,
        server=server,
        server_blocked_share=blocked,
        ends=(
            end("client", client, is_engine=contestant == "reference"),
            end("server", server, is_engine=True),
        ),
        processes=(total("client", **used), total("server")),
        metrics=(*sent, *values("client", ms_per_million=ns_per_message)),
        seconds=tuple(
            SecondRow(
                process="client",
                second=second,
                messages=per_second,
                bytes=11 * per_second,
            )
            for second in range(messages // per_second)
        ),
    )


def observation(contestant, outcome):
    shares = {
        "client": outcome.client_utilization,
        "server": outcome.server_utilization,
    }
    samples = [(at_ns, each) for at_ns in (0, outcome.duration_ns) for each in shares]
    processes = tuple(
        process_sample(
            process,
            at_ns,
            cpu_ns=round(shares[process] * at_ns),
            resident_bytes=10 * 2**20,
            peak_resident_bytes=10 * 2**20,
        )
        for at_ns, process in samples
    )
    if contestant == "cobol-mid":
        reason = "the kernel <knows> no sock_diag"
        unseen = MissingMetric(metric="sockets", reason=reason)
        return Observation(process_samples=processes, missing_metrics=(unseen,))
    sockets = tuple(
        blank(SocketSample, 0, process=process, since_start_ns=at_ns, connections=1)
        for at_ns, process in samples
    )
    return Observation(process_samples=processes, socket_samples=sockets)


def trials():
    """Yield every repetition; one crashes, one is disturbed."""
    for repetition, (workload, contestant) in product(range(5), sorted(CELLS)):
        key = (workload, contestant, repetition)
        outcome = measurement(*key)
        made = trial(
            Cell(client=contestant, workload=workload),
            repetition,
            CRASH if key == ("batched", "cobol-mid", 4) else outcome,
            observation=observation(contestant, outcome),
        )
        if key == ("one-by-one", "bash-slow", 4):
            yield replace(
                made, other_load=OtherLoad(disturbance="others used 40% of core 1")
            )
            made = replace(made, retry=1)
        yield made


def write_race(path, *, made=None, run=RUN):
    """Write the race, or only the given trials."""
    names = ("reference", "ada-fast", "cobol-mid", "bash-slow", "dart-missing")
    absent = {"dart-missing": records.missing("dart")}
    made = trials() if made is None else made
    records.write_run(path, run, map(version, names), made, **absent)
    return path
