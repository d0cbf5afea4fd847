"""
A store with an experiment made by hand, whose metrics are easy to check in the head.

Messages a second that each client receives, the median of five that reach 1 % to
either side; ``json`` is a feed, by processes of clients and stocks in a message:

============  ====================  ==================  =====================  =========
processes     1, 1 stock            1, 10 stocks        2, 1 stock             2, 10
============  ====================  ==================  =====================  =========
ada-server    1000                  500                 800                    400
cobol-server  500                   250                 80, both disconnected  killed
============  ====================  ==================  =====================  =========

Of each hundred latencies 99 are 1 ms and one is 5 ms. ``dart-server`` cannot be built.
Each client process uses a quarter of a core, and ada-server all of its own.

``ramp`` has 100, 150, 200 and 400 bots of ada-server, which answers at most 160 a
second. The last trial of ada-server with one stock is disturbed.
"""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

from tests.unit.blank import process_sample
from tests.unit.definitions import define, definition
from tests.unit.report import records
from tests.unit.report.records import FIFTHS, end, total, trial, values

from autostrada.experiment.matrix import Cell
from autostrada.stats.evidence import Pacing
from autostrada.store.record import (
    Bucket,
    Failure,
    Measurement,
    Observation,
    OtherLoad,
)

ANSWER = """
[[answer]]
text = "Ada sends {ratio} as much as Cobol, or {difference}: {value} messages a second."

[answer.metrics.ratio]
metric = "received_per_client_per_s"
of = { server = "ada-server", workload = "json processes=1 stocks=1" }
to = { server = "cobol-server", workload = "json processes=1 stocks=1" }

[answer.metrics.difference]
metric = "received_per_client_per_s"
of = { server = "ada-server", workload = "json processes=1 stocks=1" }
to = { server = "cobol-server", workload = "json processes=1 stocks=1" }
words = ["more", "less"]

[answer.metrics.value]
metric = "received_per_client_per_s"
of = { server = "ada-server", workload = "json processes=1 stocks=1" }
"""
SWEEP = {"processes": [1, 2], "stocks": [1, 10]}
LOADS = {"connections": [100, 150, 200, 400]}
DEFINITION = (
    definition(
        define("feed", "json", feed="stocks", seconds=10, sweep=SWEEP),
        define("echo", "ramp", servers=["ada-server"], window_s=10, sweep=LOADS),
        title="The small market",
        question="Who feeds how many?",
        repetitions=5,
        limit_s=60,
        servers=["ada-server", "cobol-server", "dart-server"],
    )
    + ANSWER
)

PUBLISHED = """
title = "The great market of 1999"
origin = "their page, on their machine"

[[system]]
name = "Algol"
version = "60"
role = "server"
state = "replaced"
by = ["ada-server"]
reason = "Ada is like it."

[[system]]
name = "Cobol"
role = "server"
state = "measured"
by = ["cobol-server"]

[[system]]
name = "abacus"
role = "machine"
state = "not available"
reason = "Nobody has one."

[[chart]]
title = "Clients"
metric = "received_per_client_per_s"
over = "stocks"
over_title = "stocks in a message"
maximum = "server_cpu_utilization"
note = "it falls"
lines = [
  { name = "Algol", server = "ada-server", workload = "json processes=1" },
  { name = "Cobol", server = "cobol-server", workload = "json processes=1" },
]

[[table]]
title = "Received by each client"
metric = "received_per_client_per_s"
server = "ada-server"
workload = "json"
rows = { processes = [1, 2] }
columns = { stocks = [1, 10] }
matrix = [
  [500, 500],
  ["disconnected", { value = 100, note = "by hand" }],
]

[[table]]
title = "Cobol, mean latency"
metric = "latency_ms_mean"
unit = { name = "s", factor = 0.001 }
server = "cobol-server"
cells = [
  { workload = "json processes=1 stocks=1", value = 0.0002 },
  { workload = "json processes=2 stocks=1", value = 45.2 },
  { workload = "json processes=2 stocks=10", note = "disconnected" },
  { server = "dart-server", workload = "json processes=1 stocks=1", value = 0.001 },
]

[[table]]
title = "In ten seconds"
metric = "received_per_s"
unit = { name = "messages in 10 s", factor = 10 }
server = "ada-server"
cells = [
  { workload = "json processes=1 stocks=1", value = 20_000, also = 1_000_000 },
  { workload = "json processes=1 stocks=10", value = 4_000, bound = "at_least" },
  { workload = "json processes=2 stocks=1", value = 4_000, bound = "at_most" },
  { workload = "json processes=2 stocks=10", value = 8_000, bound = "at_most" },
]

[[claim]]
text = "Ada sends more than Cobol."
[[claim.comparisons]]
metric = "received_per_client_per_s"
of = { server = "ada-server", workload = "json processes=1 stocks=1" }
to = { server = "cobol-server", workload = "json processes=1 stocks=1" }
at_least = 1.5

[[claim]]
text = "Ada sends three times as much"
[[claim.comparisons]]
metric = "received_per_client_per_s"
of = { server = "ada-server", workload = "json processes=1 stocks=1" }
to = { server = "cobol-server", workload = "json processes=1 stocks=1" }
at_least = 3

[[claim]]
text = "Ada sends exactly twice as much and more, up to four times."
[[claim.comparisons]]
metric = "received_per_client_per_s"
of = { server = "ada-server", workload = "json processes=1 stocks=1" }
to = { server = "cobol-server", workload = "json processes=1 stocks=1" }
at_least = 2
at_most = 4

[[claim]]
text = "Cobol sends nothing of note to two clients."
[[claim.comparisons]]
metric = "received_per_client_per_s"
of = { server = "cobol-server", workload = "json processes=2 stocks=10" }
at_most = 1

[[claim]]
text = "Cobol disconnects everybody."
[[claim.comparisons]]
metric = "disconnected_clients"
of = { server = "cobol-server", workload = "json processes=2 stocks=1" }
at_least = 2
at_most = 2

[[claim]]
text = "It was a fine day."
reason = "Nobody can measure that."
"""

RUN = replace(
    records.RUN,
    experiment="market",
    definition=DEFINITION,
    published=PUBLISHED,
    plan='{"contestants": ["ada-server", "cobol-server", "dart-server"], '
    '"repetitions": 5, "seed": 7, "is_quick": false}',
    command="autostrada run market",
    started_at=datetime(2026, 11, 21, 9, 0, tzinfo=UTC),
)

PER_CLIENT_PER_S = {
    ("ada-server", 1, 1): 1000,
    ("ada-server", 1, 10): 500,
    ("ada-server", 2, 1): 800,
    ("ada-server", 2, 10): 400,
    ("cobol-server", 1, 1): 500,
    ("cobol-server", 1, 10): 250,
    ("cobol-server", 2, 1): 80,
    ("cobol-server", 2, 10): None,
}

BOTS = (100, 150, 200, 400)
ANSWERED_MAX = 160

KILLED = Failure(
    kind="out of memory",
    message="killed at 8 GiB after 41 s",
    stderr_tail="</script><img src=http://example.org/x>",
    process="server",
)
GROWN = Observation(
    process_samples=tuple(
        process_sample(
            process,
            second * 10**9,
            cpu_ns=0,
            resident_bytes=gib * 2**30,
            peak_resident_bytes=gib * 2**30,
        )
        for process, second, gib in (
            ("server", -1, 9),
            ("server", 0, 1),
            ("server", 2, 3),
            ("server", 5, 8),
            ("client", 5, 64),
        )
    )
)
"""Observation of a trial that was killed, and of another before it."""


def feed(server, processes, stocks, repetition):
    middle = PER_CLIENT_PER_S[server, processes, stocks]
    # The order differs between servers, so that their ratio varies.
    place = repetition + (2 if server == "cobol-server" else 0)
    per_client = middle * (1 + FIFTHS[place % 5] / 100)
    broken = processes if (server, processes, stocks) == ("cobol-server", 2, 1) else 0
    clients = [f"client {number}" for number in range(1, processes + 1)]
    of_all = {"received_per_client_per_s": per_client, "disconnected_clients": broken}
    return Measurement(
        messages=round(per_client * 10) * processes,
        payload_bytes=1000,
        duration_ns=10 * 10**9,
        server_utilization=1.0,
        client_utilization=0.25 * processes,
        pacing=Pacing.CONTINUOUS,
        faults=f"{broken} of {processes} clients disconnected" if broken else "",
        ends=(
            end("client", 0.25, is_engine=True),
            end("server", 1.0 if server == "ada-server" else 0.5, is_engine=False),
        ),
        processes=(
            *(total(client, cpu_ns=2_500_000_000) for client in clients),
            total("server", cpu_ns=10 * 10**9, peak_bytes=2**30),
        ),
        seconds=(),
        metrics=(
            *values("client", **of_all),
            *(
                one
                for each in clients
                for one in values(each, received_per_s=per_client)
            ),
        ),
        buckets=tuple(
            Bucket(process=client, metric="latency_ns", value_ns=value, count=count)
            for client in clients
            for value, count in ((1_000_000, 99), (5_000_000, 1))
        ),
    )


def bots(connections):
    answered = min(connections, ANSWERED_MAX)
    return Measurement(
        messages=answered * 10,
        payload_bytes=1000,
        duration_ns=10 * 10**9,
        server_utilization=0.5,
        client_utilization=0.1,
        pacing=Pacing.OPEN_LOOP,
        achieved_share=answered / connections,
        sender="client",
        ends=(end("client", 0.1, is_engine=True), end("server", 0.5, is_engine=False)),
        processes=(),
        seconds=(),
        metrics=values(
            "client",
            offered_per_s=connections,
            achieved_per_s=answered,
            achieved_share=answered / connections,
            mood_of_the_author=1,
        ),
    )


def trials(repetitions):
    """Yield every repetition; one trial is disturbed."""
    for repetition, key in product(range(repetitions), PER_CLIENT_PER_S):
        server, processes, stocks = key
        workload = f"json processes={processes} stocks={stocks}"
        is_killed = PER_CLIENT_PER_S[key] is None
        made = trial(
            Cell(server=server, workload=workload),
            repetition,
            KILLED if is_killed else feed(*key, repetition),
            observation=GROWN if is_killed else Observation(),
        )
        if (*key, repetition) == ("ada-server", 1, 1, 4):
            yield replace(
                made, other_load=OtherLoad(disturbance="others used 40% of core 1")
            )
            made = replace(made, retry=1)
        yield made
    for repetition, connections in product(range(repetitions), BOTS):
        cell = Cell(server="ada-server", workload=f"ramp connections={connections}")
        yield trial(cell, repetition, bots(connections))


def write_market(path, *, attempts=None, run=RUN, repetitions=5):
    """Write the experiment, or only the given attempts."""
    versions = (
        records.version(name, version=None if name == "dart-server" else "1.2.3")
        for name in ("reference", "ada-server", "cobol-server", "dart-server")
    )
    made = list(trials(repetitions))[:attempts]
    absent = {"dart-server": records.missing("dart")}
    records.write_run(path, run, versions, made, **absent)
    return path
