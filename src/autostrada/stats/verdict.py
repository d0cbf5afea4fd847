"""The bottleneck of a trial or a cell, with its evidence and head-room."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from statistics import median
from typing import get_args

from autostrada.stats.evidence import End, EndName, Evidence, Pacing

UTILIZATION_MIN = 0.9
"""Minimum utilization of an end that is fully busy; the rest is noise."""

MOST_SHARE_MIN = 0.5
"""Minimum share of the time for which a wait is regarded as the bottleneck."""

MET_SHARE_MIN = 0.99
"""
Minimum share of the offered load that counts as all of it.

The rest is the last messages of a window.
"""

RETRANSMITTED_SHARE_MIN = 0.01
"""Minimum share of retransmitted segments that limits the rate (RFC 5681)."""


class Bottleneck(StrEnum):
    """The bottlenecks that a verdict distinguishes."""

    BROKEN = "broken"
    """Messages were lost, connections ended or errors occurred: no metric counts."""

    MACHINE = "machine"
    """Other load used the cores, so the metric depends on it."""

    LOAD_GENERATOR = "load generator"
    """The engine was at its limit: the metric is a lower bound."""

    SERVER_CPU = "server CPU"
    """The server, a contestant, used all of its cores."""

    CLIENT_CPU = "client CPU"
    """The client, a contestant, used all of its cores."""

    RECEIVE_WINDOW = "receive window"
    """The receiver read slowly without being busy, and messages queued up."""

    SEND_BUFFER = "send buffer"
    """The sender's socket had no room, although all its data was in flight."""

    NETWORK = "network"
    """Data of the sender waited to be sent, or was lost in transit."""

    LOAD_SUSTAINED = "load sustained"
    """The offered load was achieved, and no contestant was busy all the time."""

    ROUND_TRIP = "round trip"
    """Each message waited for an answer, and no end was busy all the time."""

    SEND_RATE = "send rate"
    """No queue was filled: the sender, which was not busy, sent no more."""

    UNCLEAR = "unclear"
    """No observation explains the metric."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadRoom:
    """The rate that the next bottleneck would allow without the current one."""

    factor: float
    """Multiple of the measured rate, at least 1."""

    bottleneck: Bottleneck
    """The next bottleneck."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The bottleneck of a trial, or of the trials of a cell, with its evidence."""

    bottleneck: Bottleneck
    evidence: str
    """The observations, as one sentence."""

    head_room: HeadRoom | None
    """``None`` if the trial was broken or disturbed, or no other end was observed."""

    agreement_share: float = 1.0
    """Share of the trials with this bottleneck, in [0, 1]."""

    is_late: bool = False
    """Whether the engine reports that it sent late: true latencies may be shorter."""

    @property
    def is_lower_bound(self) -> bool:
        """Whether the contestant's rate may be higher than measured."""
        return self.bottleneck is Bottleneck.LOAD_GENERATOR


def classify(evidence: Evidence) -> Verdict:
    """
    Return the verdict of one trial, by the first bottleneck whose condition applies.

    The conditions are explained in docs/methodology.md, *Bottleneck*.
    """
    bottleneck = next(
        (bottleneck for bottleneck, applies in _conditions() if applies(evidence)),
        Bottleneck.UNCLEAR,
    )
    return Verdict(
        bottleneck=bottleneck,
        evidence=_sentence(evidence, bottleneck),
        head_room=_head_room(evidence, bottleneck),
        is_late=bool(evidence.engine_limit),
    )


def classify_cell(trials: Sequence[Evidence]) -> Verdict:
    """
    Return the verdict of a cell: the most frequent bottleneck of its trials.

    The evidence is that of the median of these trials, ordered by how busy both ends
    were. The head-room factor is the median of theirs.
    """
    assert trials, "no trials"
    verdicts = [classify(evidence) for evidence in trials]
    [(bottleneck, times)] = Counter(
        verdict.bottleneck for verdict in verdicts
    ).most_common(1)
    alike = [
        (trial, verdict)
        for trial, verdict in zip(trials, verdicts, strict=True)
        if verdict.bottleneck is bottleneck
    ]
    alike.sort(key=lambda each: _busy_together(each[0]))
    middle = alike[len(alike) // 2][1]
    rooms = [verdict.head_room for _, verdict in alike if verdict.head_room]
    return Verdict(
        bottleneck=bottleneck,
        evidence=middle.evidence,
        head_room=(
            HeadRoom(
                factor=median(room.factor for room in rooms),
                bottleneck=(middle.head_room or rooms[0]).bottleneck,
            )
            if rooms
            else None
        ),
        agreement_share=times / len(trials),
        is_late=any(verdict.is_late for verdict in verdicts),
    )


def _conditions() -> Iterator[tuple[Bottleneck, Callable[[Evidence], bool]]]:
    """Yield each bottleneck with its condition, in order of precedence."""
    yield Bottleneck.BROKEN, lambda evidence: bool(evidence.faults)
    yield Bottleneck.MACHINE, lambda evidence: bool(evidence.disturbance)
    yield Bottleneck.LOAD_GENERATOR, _is_engine_saturated
    yield Bottleneck.UNCLEAR, _is_unobserved
    yield Bottleneck.SERVER_CPU, partial(_is_busy, Bottleneck.SERVER_CPU)
    yield Bottleneck.CLIENT_CPU, partial(_is_busy, Bottleneck.CLIENT_CPU)
    yield Bottleneck.LOAD_SUSTAINED, _is_load_achieved
    yield Bottleneck.RECEIVE_WINDOW, _is_window_closed
    yield Bottleneck.SEND_BUFFER, _is_buffer_reported_full
    yield Bottleneck.NETWORK, _is_network_slow
    yield Bottleneck.SEND_BUFFER, _is_buffer_full
    yield Bottleneck.ROUND_TRIP, lambda evidence: evidence.pacing is Pacing.CLOSED_LOOP
    yield (
        Bottleneck.LOAD_GENERATOR,
        lambda evidence: evidence.server.is_engine and evidence.client.is_engine,
    )
    yield Bottleneck.SEND_RATE, _is_sender_slow


def _is_load_achieved(evidence: Evidence) -> bool:
    return evidence.pacing is Pacing.OPEN_LOOP and _is_at_least(
        evidence.achieved_share, MET_SHARE_MIN
    )


def _is_engine_saturated(evidence: Evidence) -> bool:
    """
    Return whether the engine was the bottleneck, by its report or its utilization.

    A report of late sending is not enough if a contestant was fully busy and the engine
    sent the offered load: lateness increases latencies, but does not reduce the rate.
    """
    if _is_load_achieved(evidence):
        return False
    if _utilizations(evidence).get(Bottleneck.LOAD_GENERATOR, 0.0) >= UTILIZATION_MIN:
        return True
    was_only_late = _is_at_least(evidence.sent_share, MET_SHARE_MIN)
    is_excused = was_only_late and _is_contestant_saturated(evidence)
    return bool(evidence.engine_limit) and not is_excused


def _is_contestant_saturated(evidence: Evidence) -> bool:
    """
    Return whether a contestant was fully busy by its own CPU time.

    The utilization alone is not enough, because the engine may share the only core. A
    contestant with a limit below one core is fully busy at its limit.
    """
    return any(
        not end.is_engine
        and _is_at_least(end.utilization, UTILIZATION_MIN)
        and _is_at_least(
            end.cpu_cores, UTILIZATION_MIN * min(1, end.cpu_limit_cores or 1)
        )
        for end in (evidence.server, evidence.client)
    )


def _is_unobserved(evidence: Evidence) -> bool:
    """Return whether an end that was not observed may have been the bottleneck."""
    shares = (evidence.server.utilization, evidence.client.utilization)
    return None in shares and not _is_load_achieved(evidence)


def _is_busy(bottleneck: Bottleneck, evidence: Evidence) -> bool:
    """
    Return whether a contestant was fully busy and the cause.

    If both were fully busy, the cause is the receiver of a continuous stream if it was
    behind: a sender that does not wait for its receiver is always busy. Otherwise it is
    the busier one.
    """
    shares = {
        name: share
        for name, share in _utilizations(evidence).items()
        if name is not Bottleneck.LOAD_GENERATOR and share >= UTILIZATION_MIN
    }
    if len(shares) > 1 and _is_receiver_behind(evidence):
        is_client = evidence.receiver == "client"
        cause = Bottleneck.CLIENT_CPU if is_client else Bottleneck.SERVER_CPU
        return bottleneck is cause
    return bottleneck in shares and shares[bottleneck] == max(shares.values())


def _is_window_closed(evidence: Evidence) -> bool:
    """
    Return whether the sender waited for the receiver's window.

    If the kernel does not report this, it is derived from the queues of both ends.
    """
    window_share = evidence.end(evidence.sender).receive_window_limited_share
    filled_share = evidence.end(evidence.receiver).receive_queue_filled_share
    if window_share is None:
        is_unread = filled_share is None or filled_share >= MOST_SHARE_MIN
        is_blocked = is_unread and _is_at_least(evidence.blocked_share, MOST_SHARE_MIN)
        return is_blocked or (_is_receiver_behind(evidence) and _has_unsent(evidence))
    return window_share >= MOST_SHARE_MIN


def _is_receiver_behind(evidence: Evidence) -> bool:
    """
    Return whether the receiver of a continuous stream had unread data most of the time.

    A receiver whose buffer is full of small messages drops segments before its window
    closes. These are retransmitted, and the window does not show the delay.
    """
    filled_share = evidence.end(evidence.receiver).receive_queue_filled_share
    is_continuous = evidence.pacing is Pacing.CONTINUOUS
    return is_continuous and _is_at_least(filled_share, MOST_SHARE_MIN)


def _is_buffer_reported_full(evidence: Evidence) -> bool:
    sender = evidence.end(evidence.sender)
    return _is_at_least(sender.send_buffer_limited_share, MOST_SHARE_MIN)


def _has_unsent(evidence: Evidence) -> bool:
    unsent_share = evidence.end(evidence.sender).unsent_share
    return _is_at_least(unsent_share, MOST_SHARE_MIN)


def _is_network_slow(evidence: Evidence) -> bool:
    """
    Return whether the path delayed or lost data that the receiver was waiting for.

    A receiver that is behind causes both itself, because data beyond its window is not
    sent.
    """
    retransmitted_share = evidence.end(evidence.sender).retransmitted_share
    is_lossy = _is_at_least(retransmitted_share, RETRANSMITTED_SHARE_MIN)
    is_delayed = _has_unsent(evidence) or is_lossy
    return is_delayed and not _is_receiver_behind(evidence)


def _is_buffer_full(evidence: Evidence) -> bool:
    """Return whether the sender waited for room, beyond its waits for the window."""
    window_share = evidence.end(evidence.sender).receive_window_limited_share
    if evidence.blocked_share is None or window_share is None:
        return False
    if _is_receiver_behind(evidence):
        return False
    return evidence.blocked_share - window_share >= MOST_SHARE_MIN


def _is_sender_slow(evidence: Evidence) -> bool:
    """
    Return whether the sender sent no more although nothing delayed it.

    An empty send queue proves this. A filled one may only contain data in flight, so
    then all waits must be known and short. The waits of a contestant for room in its
    socket are not known.
    """
    sender = evidence.end(evidence.sender)
    filled_share = sender.send_queue_filled_share
    if filled_share is not None and filled_share <= 1 - MOST_SHARE_MIN:
        return True
    waits = (
        sender.unsent_share,
        sender.receive_window_limited_share,
        evidence.blocked_share,
    )
    return all(share is not None and share < MOST_SHARE_MIN for share in waits)


def _is_at_least(share: float | None, bound: float) -> bool:
    return share is not None and share >= bound


def _utilizations(evidence: Evidence) -> dict[Bottleneck, float]:
    """Return the known utilizations of both ends, by the bottleneck they stand for."""
    shares: dict[Bottleneck, float] = {}
    for end, bottleneck in (
        (evidence.server, Bottleneck.SERVER_CPU),
        (evidence.client, Bottleneck.CLIENT_CPU),
    ):
        name = Bottleneck.LOAD_GENERATOR if end.is_engine else bottleneck
        if end.utilization is not None:
            shares[name] = max(end.utilization, shares.get(name, 0.0))
    return shares


def _busy_together(evidence: Evidence) -> float:
    shares = (evidence.server.utilization, evidence.client.utilization)
    return sum(share for share in shares if share is not None)


def _head_room(evidence: Evidence, bottleneck: Bottleneck) -> HeadRoom | None:
    """Return the head-room of the busiest end that is not the bottleneck."""
    if bottleneck in {Bottleneck.BROKEN, Bottleneck.MACHINE}:
        return None
    others = {
        name: share
        for name, share in _utilizations(evidence).items()
        if name != bottleneck
    }
    if not others:
        return None
    name = max(others, key=lambda other: others[other])
    if others[name] <= 0:
        return None
    return HeadRoom(factor=max(1.0, 1 / others[name]), bottleneck=name)


def _sentence(evidence: Evidence, bottleneck: Bottleneck) -> str:
    if bottleneck is Bottleneck.BROKEN:
        return f"{evidence.faults[:1].upper()}{evidence.faults[1:]}."
    parts = [
        _of_end(evidence.server, "server"),
        _of_end(evidence.client, "client"),
        *_of_unsampled(evidence),
        *_of_flow(evidence),
    ]
    if evidence.engine_limit:
        parts.insert(0, f"load generator: {evidence.engine_limit}")
    if bottleneck is Bottleneck.MACHINE:
        parts.insert(0, evidence.disturbance)
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _of_end(end: End, name: EndName) -> str:
    if end.utilization is None:
        return f"it is unknown how busy the {name} was"
    if end.is_engine:
        return f"engine ({name}) busy {end.utilization:.0%} of the time"
    return f"{name} at {end.utilization:.0%} of its cores"


def _of_unsampled(evidence: Evidence) -> list[str]:
    """Return the ends whose queues and windows are unknown, in words."""
    ends = [
        name for name in get_args(EndName) if not evidence.end(name).has_sampled_sockets
    ]
    return [f"sockets of the {' and the '.join(ends)} not sampled"] if ends else []


def _of_flow(evidence: Evidence) -> list[str]:
    """Return the known observations of queues and windows, in words."""
    sending, receiving = evidence.sender, evidence.receiver
    sender, receiver = evidence.end(sending), evidence.end(receiving)
    metrics = [
        (receiver.receive_queue_filled_share, f"{receiving}'s Recv-Q filled {{}}"),
        (sender.send_queue_filled_share, f"{sending}'s Send-Q filled {{}}"),
        (
            sender.receive_window_limited_share,
            f"{sending} waiting for the {receiving}'s window {{}}",
        ),
        (
            sender.send_buffer_limited_share,
            f"{sending} waiting for its own buffer {{}}",
        ),
        (sender.unsent_share or None, f"{sending} with unsent data {{}}"),
    ]
    if sender.receive_window_limited_share is None and evidence.blocked_share:
        metrics.append((evidence.blocked_share, f"{sending} without room to send {{}}"))
    parts = [
        text.format(f"{share:.0%}") for share, text in metrics if share is not None
    ]
    if parts:
        parts[-1] += " of the time"
    if sender.retransmitted_share:
        parts.append(f"{sender.retransmitted_share:.1%} of the segments retransmitted")
    if evidence.achieved_share is not None:
        parts.append(f"{evidence.achieved_share:.0%} of the offered load achieved")
    return parts
