"""The evidence of a verdict from the results of the engine: ``docs/format.md``."""

from collections.abc import Iterator, Mapping

from autostrada.engine.messages import LoadResult, ServeResult
from autostrada.stats.evidence import Evidence, Pacing
from autostrada.stats.verdict import UTILIZATION_MIN
from autostrada.store.record import EndEvidence, Failure, Measurement

UNANSWERED = "timeout"
"""Kind of failure of a message that was not answered in time."""

IDLE_SHARE_MAX = 0.5
"""Utilization below which the engine has time to send all due messages."""


def duration_ns(result: ServeResult) -> int:
    """Return the time from the first byte sent to the closing frame received, in ns."""
    return result.closed_ns - result.first_sent_ns


def working_ns(result: ServeResult) -> int:
    """
    Return the time that a server did not wait for room or, at the end, for the close.

    It exceeds the CPU time if another process used the core meanwhile.
    """
    sending_ns = result.last_sent_ns - result.first_sent_ns - result.blocked_ns
    return max(result.busy_ns, sending_ns)


def utilization(result: LoadResult) -> float:
    """Return the utilization of the busiest thread of a client, in [0, 1]."""
    return max(result.utilizations, default=0.0)


def pacing(result: LoadResult) -> Pacing:
    """Return the pacing of a load, by the kind of its results."""
    if result.exchange is not None and result.exchange.offered_rate_per_s is None:
        return Pacing.CLOSED_LOOP
    if result.exchange is not None or result.regularity is not None:
        return Pacing.OPEN_LOOP
    return Pacing.CONTINUOUS


def achieved_share(result: LoadResult) -> float | None:
    """Return the achieved share of the due messages; ``None`` without an open loop."""
    if result.exchange is not None:
        return result.exchange.achieved_share
    if result.regularity is not None:
        due = result.regularity.judged + result.regularity.backlog
        return result.regularity.judged / due if due else None
    return None


def load_evidence(
    result: LoadResult, server: EndEvidence, client: EndEvidence, disturbance: str
) -> Evidence:
    """
    Return the evidence of the verdict on a server under load.

    An engine that sent late although it was not busy did not get its core. This counts
    as a disturbance of the machine, even if no other load was observed.
    """
    limited = result.generator_limited or ""
    if late := _lateness_while_idle(limited, utilization(result)):
        disturbance = "; ".join(reason for reason in (disturbance, late) if reason)
        limited = ""
    shares = (server.utilization, client.utilization)
    is_saturated = any(
        share >= UTILIZATION_MIN for share in shares if share is not None
    )
    return Evidence(
        server=server,
        client=client,
        sender="server" if result.exchange is None else "client",
        pacing=pacing(result),
        achieved_share=achieved_share(result),
        engine_limit=limited,
        disturbance=disturbance,
        faults="; ".join(_faults(result, is_saturated=is_saturated)),
    )


def engine_delay(outcome: Measurement | Failure) -> str:
    """Describe a delay of the engine's client although it was idle; else ``""``."""
    if isinstance(outcome, Failure):
        return ""
    clients = [end for end in outcome.ends if end.process == "client"]
    shares = [
        client.utilization
        for client in clients
        if client.is_engine and client.utilization is not None
    ]
    return _lateness_while_idle(outcome.engine_limit, max(shares, default=1.0))


def _lateness_while_idle(engine_limit: str, client_utilization: float) -> str:
    if not engine_limit or client_utilization >= IDLE_SHARE_MAX:
        return ""
    return f"the engine sent late although it was not busy ({engine_limit})"


def _faults(result: LoadResult, *, is_saturated: bool) -> Iterator[str]:
    """
    Yield descriptions of what broke.

    An open loop does not wait for a saturated end, so its late answers are a backlog
    and no fault.
    """
    has_backlog = is_saturated and pacing(result) is Pacing.OPEN_LOOP
    for failure in result.failures:
        if failure.kind == UNANSWERED and has_backlog:
            continue
        yield f"{failure.count:,} {_plural(_FAILURES, failure.kind, failure.count)}"
    sequence = result.sequence
    if sequence is not None:
        for name in ("missing", "duplicates", "reordered"):
            if count := getattr(sequence, name):
                yield f"{count:,} {_plural(_NUMBERS, name, count)}"
    if result.ended in {"closed", "reset", "violation"} and not result.failures:
        yield "the server ended all connections"


def _plural(texts: Mapping[str, tuple[str, str]], kind: str, count: int) -> str:
    """Return the singular or plural text of a kind; an unknown kind is its own text."""
    one, several = texts.get(kind, (kind, kind))
    return one if count == 1 else several


_FAILURES = {
    "connect": ("connection was not accepted", "connections were not accepted"),
    "tls": ("TLS handshake failed", "TLS handshakes failed"),
    "handshake": ("opening handshake failed", "opening handshakes failed"),
    "read": ("connection broke", "connections broke"),
    "write": ("connection broke in writing", "connections broke in writing"),
    "protocol": (
        "connection violated the protocol",
        "connections violated the protocol",
    ),
    "close": ("connection was closed early", "connections were closed early"),
    "mismatch": ("message had wrong content", "messages had wrong content"),
    "timeout": ("answer was not in time", "answers were not in time"),
}
"""Singular and plural text of each kind of failure."""

_NUMBERS = {
    "missing": ("message is missing", "messages are missing"),
    "duplicates": ("message arrived twice", "messages arrived twice"),
    "reordered": ("message arrived out of order", "messages arrived out of order"),
}
"""Singular and plural text of each kind of irregular sequence number."""
