"""Made-up loads of a history."""

from datetime import UTC, datetime

from autostrada.store.history import LoadMetric, SavedLoad

AT = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)


def load(name, rate, p99_s=None, asked="10 connections"):
    metrics = [LoadMetric(name="rate", title="", unit="per_s", value=rate)]
    if p99_s is not None:
        metrics.append(LoadMetric(name="p99", title="", unit="s", value=p99_s))
    return SavedLoad(
        name=name, at=AT, asked=f"ws://a: {asked}", limit="", metrics=metrics
    )


def loads(name, rates, p99_s=None):
    return [load(name, rate, p99_s) for rate in rates]


BEFORE = loads("before", [100, 101, 102, 103, 104, 105], 0.05)
AFTER = loads("after", [150, 151, 152, 153, 154, 155], 0.05)
