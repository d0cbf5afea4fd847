"""What a verdict rests on, from the results of the engine: ``docs/format.md``."""

from collections.abc import Iterator, Mapping

from autostrada.engine.messages import LoadResult, ServeResult
from autostrada.stats.evidence import Evidence, Pacing
from autostrada.stats.verdict import BUSY_SHARE_MIN
from autostrada.store.record import EndEvidence, Failure, Measurement

UNANSWERED = "timeout"
"""The kind of failure of a message that was not answered in time."""

IDLE_SHARE_MAX = 0.5
"""Of the time: an engine that works less has time to send what is due."""


def duration_ns(result: ServeResult) -> int:
    """Return the time from before the first byte until the closing frame had come."""
    return result.closed_ns - result.first_sent_ns


def working_ns(result: ServeResult) -> int:
    """
    Return how long a server did not wait, for room or, when all was sent, for the end.

    Where something else had its core meanwhile, that is more than its CPU time.
    """
    sending_ns = result.last_sent_ns - result.first_sent_ns - result.blocked_ns
    return max(result.busy_ns, sending_ns)


def busy_share(result: LoadResult) -> float:
    """Return how busy the busiest of a client's threads was."""
    return max(result.busy_shares, default=0.0)


def pacing(result: LoadResult) -> Pacing:
    """Return what set the pace, as the figures tell."""
    if result.exchange is not None and result.exchange.offered_rate_per_s is None:
        return Pacing.CLOSED_LOOP
    if result.exchange is not None or result.regularity is not None:
        return Pacing.OPEN_LOOP
    return Pacing.CONTINUOUS


def achieved_share(result: LoadResult) -> float | None:
    """Return how much came of what was due; of an open loop only."""
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
    Put together what a verdict on a server under load rests on.

    An engine that is late although it has time has not had its core: that is the
    machine's doing, whatever was seen of others.
    """
    limited = result.generator_limited or ""
    if late := _late_with_time(limited, busy_share(result)):
        disturbance = "; ".join(each for each in (disturbance, late) if each)
        limited = ""
    shares = (server.busy_share, client.busy_share)
    is_saturated = any(share >= BUSY_SHARE_MIN for share in shares if share is not None)
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


def held_up(outcome: Measurement | Failure) -> str:
    """Say that the engine's client was late although it had time; else ``""``."""
    if isinstance(outcome, Failure):
        return ""
    clients = [each for each in outcome.ends if each.process == "client"]
    shares = [each.busy_share for each in clients if each.busy_share is not None]
    return _late_with_time(outcome.engine_limit, max(shares, default=1.0))


def _late_with_time(engine_limit: str, client_busy_share: float) -> str:
    if not engine_limit or client_busy_share >= IDLE_SHARE_MAX:
        return ""
    return f"the engine had time and was late all the same ({engine_limit})"


def _faults(result: LoadResult, *, is_saturated: bool) -> Iterator[str]:
    """
    Say what broke.

    An open loop does not wait for an end that has no time left: answers that did not
    come in time are then its backlog, which is no fault.
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


def _plural(words: Mapping[str, tuple[str, str]], kind: str, count: int) -> str:
    """Return the words for one or for several; of an unknown kind, its name."""
    one, several = words.get(kind, (kind, kind))
    return one if count == 1 else several


_FAILURES = {
    "connect": ("connection was not accepted", "connections were not accepted"),
    "tls": ("connection did not agree on TLS", "connections did not agree on TLS"),
    "handshake": ("connection was not opened", "connections were not opened"),
    "read": ("connection broke", "connections broke"),
    "write": ("connection broke in writing", "connections broke in writing"),
    "protocol": ("connection broke the protocol", "connections broke the protocol"),
    "close": (
        "connection was closed before its time",
        "connections were closed before their time",
    ),
    "mismatch": (
        "message was not what it should be",
        "messages were not what they should be",
    ),
    "timeout": ("answer did not come in time", "answers did not come in time"),
}
_NUMBERS = {
    "missing": ("message is missing", "messages are missing"),
    "duplicates": ("message came twice", "messages came twice"),
    "reordered": ("message came out of order", "messages came out of order"),
}
