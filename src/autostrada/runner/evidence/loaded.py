"""What ``load`` says at its end of a server under test, and what follows from it."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from autostrada.runner.engine import Count
from autostrada.stats.evidence import Evidence, Pacing
from autostrada.stats.verdict import BUSY_SHARE_MIN
from autostrada.store.record import EndEvidence

BACKLOG = "timeout"
"""The kind of failure of a message that was not answered in time."""

IDLE_SHARE_MAX = 0.5
"""Of the time: an engine that works less has time to send what is due."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class LoadFailure(_Part):
    """How many failures there were of a kind."""

    kind: str
    count: Count
    example: str = ""


class Exchange(_Part):
    """Messages that were sent and came back."""

    offered_rate_per_s: float | None
    achieved_share: float | None


class Sequence(_Part):
    """The numbers of messages that came."""

    missing: int
    duplicates: Count
    reordered: Count


class Regularity(_Part):
    """Messages that were due at an interval."""

    judged: Count
    backlog: Count


class LoadResult(_Part):
    """The ``result`` of ``load`` as far as a verdict needs it: ``docs/format.md``."""

    event: Literal["result"]
    wrong: Count
    failures: tuple[LoadFailure, ...]
    exchange: Exchange | None
    sequence: Sequence | None
    regularity: Regularity | None
    busy_shares: tuple[float, ...]
    window_start_ns: Count
    window_ns: Count
    ended: Literal["complete", "interrupted", "closed", "reset", "violation", "timeout"]
    generator_limited: str | None

    @property
    def busy_share(self) -> float:
        """Of the busiest of the engine's threads."""
        return max(self.busy_shares, default=0.0)

    @property
    def pacing(self) -> Pacing:
        """What set the pace, as its figures tell."""
        if self.exchange is not None and self.exchange.offered_rate_per_s is None:
            return Pacing.CLOSED_LOOP
        if self.exchange is not None or self.regularity is not None:
            return Pacing.OPEN_LOOP
        return Pacing.CONTINUOUS

    @property
    def achieved_share(self) -> float | None:
        """Of what was due: how much came; of an open loop only."""
        if self.exchange is not None:
            return self.exchange.achieved_share
        if self.regularity is not None:
            due = self.regularity.judged + self.regularity.backlog
            return self.regularity.judged / due if due else None
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
    if late := held_up(limited, result.busy_share):
        disturbance = "; ".join(each for each in (disturbance, late) if each)
        limited = ""
    shares = (server.busy_share, client.busy_share)
    is_saturated = any(share >= BUSY_SHARE_MIN for share in shares if share is not None)
    return Evidence(
        server=server,
        client=client,
        sender="server" if result.exchange is None else "client",
        pacing=result.pacing,
        achieved_share=result.achieved_share,
        engine_limit=limited,
        disturbance=disturbance,
        faults="; ".join(_faults(result, is_saturated=is_saturated)),
    )


def held_up(engine_limit: str, busy_share: float) -> str:
    """Say that the engine was late although it had time; ``""`` where it was not."""
    if not engine_limit or busy_share >= IDLE_SHARE_MAX:
        return ""
    return f"the engine had time and was late all the same ({engine_limit})"


def _faults(result: LoadResult, *, is_saturated: bool) -> Iterator[str]:
    """
    Say what broke.

    An open loop does not wait for an end that has no time left: answers that did not
    come in time are then its backlog, which is no fault.
    """
    has_backlog = is_saturated and result.pacing is Pacing.OPEN_LOOP
    for failure in result.failures:
        if failure.kind == BACKLOG and has_backlog:
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
