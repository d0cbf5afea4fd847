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
from datetime import UTC, datetime, timedelta
from itertools import product

from autostrada.experiment.matrix import Cell
from autostrada.stats.evidence import Pacing
from autostrada.store.record import (
    Bucket,
    ContestantVersion,
    EndEvidence,
    Failure,
    Measurement,
    MetricValue,
    Observation,
    OtherLoad,
    ProcessSample,
    ProcessTotal,
    Run,
    Trial,
)
from autostrada.store.writer import StoreWriter

DEFINITION = """
title = "The small market"
question = "Who feeds how many?"
repetitions = 5
warm_ups = 1
limit_s = 60
servers = ["ada-server", "cobol-server", "dart-server"]

[[workload]]
name = "json"
kind = "feed"
feed = "stocks"
seconds = 10
sweep = { processes = [1, 2], stocks = [1, 10] }

[[workload]]
name = "ramp"
kind = "echo"
servers = ["ada-server"]
window_s = 10
sweep = { connections = [100, 150, 200, 400] }

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
rows = "processes"
columns = "stocks"
cells = [
  { workload = "json processes=1 stocks=1", value = 500 },
  { workload = "json processes=1 stocks=10", value = 500 },
  { workload = "json processes=2 stocks=1", note = "disconnected" },
  { workload = "json processes=2 stocks=10", value = 100, note = "by hand" },
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

RUN = Run(
    experiment="market",
    definition=DEFINITION,
    published=PUBLISHED,
    plan='{"contestants": ["ada-server", "cobol-server", "dart-server"], '
    '"repetitions": 5, "warm_ups": 1, "seed": 7, "is_quick": false}',
    command="autostrada run market",
    started_at=datetime(2026, 11, 21, 9, 0, tzinfo=UTC),
    autostrada_version="0.1.0",
    host='{"cpu_model": "Abacus 9 <b>", "cores": 2, "is_shared_core": "false"}',
)

FIFTHS = (-1.0, 0.5, 0.0, -0.5, 1.0)
"""Deviations of five samples from a median; the third is the median itself."""

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
        ProcessSample(
            process=process,
            since_start_ns=second * 10**9,
            cpu_ns=0,
            user_ns=None,
            system_ns=None,
            resident_bytes=gib * 2**30,
            proportional_bytes=None,
            peak_resident_bytes=gib * 2**30,
            threads=None,
            switches_voluntary=None,
            switches_forced=None,
            faults_minor=None,
            faults_major=None,
            files=None,
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

MISSING = Failure(
    kind="not installed",
    message="dart is missing: apt install dart",
    stderr_tail="",
)


def version(contestant):
    return ContestantVersion(
        contestant=contestant,
        library=contestant.partition("-")[0].title(),
        language=contestant.partition("-")[0],
        homepage="https://example.org/",
        version=None if contestant == "dart-server" else "1.2.3",
        toolchain="9",
        digest="0" * 64,
    )


def end(process, utilization, *, is_engine):
    return EndEvidence(
        process=process,
        is_engine=is_engine,
        cpu_cores=utilization,
        utilization=utilization,
    )


def feed(server, processes, stocks, repetition):
    middle = PER_CLIENT_PER_S[server, processes, stocks]
    # The order differs between servers, so that their ratio varies.
    place = repetition + (2 if server == "cobol-server" else 0)
    per_client = middle * (1 + FIFTHS[place % 5] / 100)
    is_broken = (server, processes, stocks) == ("cobol-server", 2, 1)
    clients = [f"client {number}" for number in range(1, processes + 1)]
    return Measurement(
        messages=round(per_client * 10) * processes,
        payload_bytes=1000,
        duration_ns=10 * 10**9,
        server_utilization=1.0,
        client_utilization=0.25 * processes,
        pacing=Pacing.CONTINUOUS,
        faults=f"{processes} of {processes} clients disconnected" if is_broken else "",
        ends=(
            end("client", 0.25, is_engine=True),
            end("server", 1.0 if server == "ada-server" else 0.5, is_engine=False),
        ),
        processes=(
            *(
                ProcessTotal(
                    process=client,
                    cpu_ns=2_500_000_000,
                    resident_bytes=2**20,
                    peak_resident_bytes=2**20,
                )
                for client in clients
            ),
            ProcessTotal(
                process="server",
                cpu_ns=10 * 10**9,
                resident_bytes=2**28,
                peak_resident_bytes=2**30,
            ),
        ),
        seconds=(),
        metrics=(
            MetricValue(
                process="client",
                metric="received_per_client_per_s",
                value=per_client,
            ),
            *(
                MetricValue(process=client, metric="received_per_s", value=per_client)
                for client in clients
            ),
            MetricValue(
                process="client",
                metric="disconnected_clients",
                value=processes if is_broken else 0,
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
        metrics=tuple(
            MetricValue(process="client", metric=metric, value=value)
            for metric, value in (
                ("offered_per_s", connections),
                ("achieved_per_s", answered),
                ("achieved_share", answered / connections),
                ("mood_of_the_author", 1),
            )
        ),
    )


def trials(repetitions):
    """Yield a warm-up, then every repetition; one trial is disturbed."""
    at = RUN.started_at
    cells = [
        (*key, repetition)
        for repetition in range(repetitions)
        for key in PER_CLIENT_PER_S
    ]
    for server, processes, stocks, repetition in cells:
        at += timedelta(seconds=10)
        is_killed = PER_CLIENT_PER_S[server, processes, stocks] is None
        trial = Trial(
            cell=Cell(
                server=server, workload=f"json processes={processes} stocks={stocks}"
            ),
            repetition=repetition,
            is_warm_up=False,
            started_at=at,
            outcome=KILLED
            if is_killed
            else feed(server, processes, stocks, repetition),
            observation=GROWN if is_killed else Observation(),
        )
        if (server, processes, stocks, repetition) == ("ada-server", 1, 1, 4):
            yield replace(
                trial, other_load=OtherLoad(disturbance="others used 40% of core 1")
            )
            trial = replace(trial, retry=1)
        if not repetition and processes == stocks == 1:
            yield replace(trial, is_warm_up=True)
        yield trial
    for repetition, connections in product(range(repetitions), BOTS):
        at += timedelta(seconds=20)
        yield Trial(
            cell=Cell(server="ada-server", workload=f"ramp connections={connections}"),
            repetition=repetition,
            is_warm_up=False,
            started_at=at,
            outcome=bots(connections),
        )


def write_market(path, *, attempts=None, run=RUN, repetitions=5):
    """Write the experiment, or only the given attempts."""
    with StoreWriter.create_or_open(path) as writer:
        run_id = writer.start_run(run)
        for name in ("reference", "ada-server", "cobol-server", "dart-server"):
            writer.record_contestant(run_id, version(name))
        writer.record_contestant_failure(run_id, "dart-server", MISSING)
        for trial in list(trials(repetitions))[:attempts]:
            writer.record_trial(run_id, trial)
    return path
