"""Rankings and traces as they would come of a race, made of few numbers."""

import pytest

from autostrada.experiment.experiment import Published
from autostrada.report.race.explanation.trace import Trace
from autostrada.report.race.race import Figures, Ranking, Standing
from autostrada.stats.interval import median_interval
from autostrada.stats.verdict import Limit, Verdict
from autostrada.workloads.push import Push

NOTHING = Trace(
    late_ms=None,
    clock_ratio=None,
    wire_bytes_per_message=None,
    wire_bytes_per_payload_byte=None,
    messages_per_call=None,
    messages_per_wake_up=None,
    messages_per_segment=None,
)


@pytest.fixture(scope="session")
def nothing():
    """Return a trace of which nothing is known."""
    return NOTHING


@pytest.fixture(scope="session")
def ranking():
    """Return a function that ranks clients by their nanoseconds a message."""

    def rank(name, durations, *, frames="one", deflate=False, limited=()):
        workload = Push(
            name=name,
            kind="push",
            messages=1_000,
            payload_text="hello world",
            frames_per_write=frames,
            deflate=deflate,
        )
        standings = [
            standing(each, ns, Limit.ENGINE if each in limited else Limit.CLIENT_CPU)
            for each, ns in sorted(durations.items(), key=lambda item: item[1])
        ]
        return Ranking(
            workload=workload,
            messages=1_000,
            reference=None,
            standings=tuple(standings),
        )

    return rank


def standing(name, ns, limit):
    return Standing(
        contestant=name,
        version=None,
        figures=Figures(
            ns_per_message=(ns,),
            interval=median_interval([ns]),
            verdict=Verdict(limit=limit, evidence="", head_room=None),
            engine_busy_share=0.5,
            client_cpu_ns_per_message=None,
            client_peak_resident_bytes=None,
            rank=None,
            to_fastest=None,
            to_reference=None,
        ),
        failures=(),
        disturbances=(),
        missing=0,
    )


@pytest.fixture(scope="session")
def published():
    """Return a function that makes a published table."""

    def table(title, **milliseconds):
        return Published(
            title=title,
            origin="their page",
            workload="one",
            messages=1_000_000,
            milliseconds=milliseconds,
        )

    return table
