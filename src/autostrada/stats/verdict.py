"""What held a trial back: one verdict, its evidence in a sentence, its head-room."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from autostrada.stats.evidence import End, EndName, Evidence, Pacing

BUSY_SHARE_MIN = 0.9
"""From here on an end counts as busy all the time: what is left is noise."""

MOST_SHARE_MIN = 0.5
"""What holds up for half of the time and more is what holds up."""

MET_SHARE_MIN = 0.99
"""Of the offered load: what is missing is the last message of a window."""

RETRANSMITTED_SHARE_MIN = 0.01
"""A path that loses so much sets the pace (RFC 5681)."""


class Limit(StrEnum):
    """What held a trial back."""

    BROKEN = "broken"
    """Messages were lost, connections ended, or errors came: no figure counts."""

    MACHINE = "machine disturbed"
    """Something else used the cores: the figure is of that as well."""

    ENGINE = "engine"
    """Our own engine was busy all the time: the figure is a lower bound."""

    SERVER_CPU = "server CPU"
    CLIENT_CPU = "client CPU"
    """A contestant used all of its cores."""

    RECEIVE_WINDOW = "receiver's window"
    """The reader was slow without being busy: it let messages pile up."""

    SEND_BUFFER = "sender's buffer"
    """The sender's socket took no more, though all in it was on its way."""

    NETWORK = "network"
    """What the sender had handed over waited to be sent, or was lost on its way."""

    OFFERED_LOAD = "offered load"
    """All that was asked for was done, and nobody was busy all the time."""

    ROUND_TRIP = "round trip"
    """Each message waited for an answer, and nobody was busy all the time."""

    SENDER_PACE = "sender's pace"
    """Nothing waited anywhere: the sender sent no more, and was not busy."""

    UNCLEAR = "unclear"
    """Nothing that was observed explains the figure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadRoom:
    """How much more the next limit would allow, if this one fell."""

    factor: float
    """At least 1: so many times the rate."""

    limit: Limit


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The limit of a trial, or of the trials of a cell, and what says so."""

    limit: Limit
    evidence: str
    """One sentence."""

    head_room: HeadRoom | None
    """None where what broke or disturbed says nothing of it."""

    agreement_share: float = 1.0
    """Of the trials: how many say the same."""

    @property
    def is_lower_bound(self) -> bool:
        """Whether the contestant's rate may be higher than the one measured."""
        return self.limit is Limit.ENGINE


def judge(evidence: Evidence) -> Verdict:
    """
    Judge one trial: the first row that applies.

    =================  ==============================================================
    broken             messages were lost, connections ended, errors came
    machine disturbed  something else used the cores
    engine             it was busy at least 90 % of the time
    server, client     a contestant was busy at least 90 %: the busier one
    CPU
    offered load       an open loop of which at least 99 % was achieved
    receiver's window  the sender waited at least half of the time for the receiver's
                       window; or, where the kernel does not tell, for room in the
                       socket while the receiver's queue was filled
    sender's buffer    the sender waited at least half of the time for its buffer
    network            in at least half of the looks something was not even sent, or
                       at least 1 % of the segments was sent again
    round trip         a closed loop, and none of the above
    sender's pace      the sender's queue was empty in at least half of the looks
    unclear            none of the above
    =================  ==============================================================
    """
    limit = _limit(evidence)
    return Verdict(
        limit=limit,
        evidence=_sentence(evidence, limit),
        head_room=_head_room(evidence, limit),
    )


def judge_cell(trials: Sequence[Evidence]) -> Verdict:
    """
    Judge the trials of a cell: the limit that most of them have.

    Its evidence is that of the trial in the middle of them by how busy the ends were.
    """
    assert trials, "no trials"
    verdicts = [judge(each) for each in trials]
    [(limit, times)] = Counter(each.limit for each in verdicts).most_common(1)
    alike = [
        (trial, verdict)
        for trial, verdict in zip(trials, verdicts, strict=True)
        if verdict.limit is limit
    ]
    alike.sort(key=lambda each: each[0].server.busy_share + each[0].client.busy_share)
    middle = alike[len(alike) // 2][1]
    rooms = [verdict.head_room for _, verdict in alike if verdict.head_room]
    return Verdict(
        limit=limit,
        evidence=middle.evidence,
        head_room=(
            HeadRoom(
                factor=median(room.factor for room in rooms),
                limit=(middle.head_room or rooms[0]).limit,
            )
            if rooms
            else None
        ),
        agreement_share=times / len(trials),
    )


def _limit(evidence: Evidence) -> Limit:
    if evidence.faults:
        return Limit.BROKEN
    if evidence.disturbance:
        return Limit.MACHINE
    shares = _busy_shares(evidence)
    if shares.get(Limit.ENGINE, 0) >= BUSY_SHARE_MIN:
        return Limit.ENGINE
    busiest = max(shares, key=lambda limit: shares[limit])
    if shares[busiest] >= BUSY_SHARE_MIN:
        return busiest
    if evidence.pacing is Pacing.OPEN_LOOP and _is_at_least(
        evidence.achieved_share, MET_SHARE_MIN
    ):
        return Limit.OFFERED_LOAD
    return _limit_of_flow(evidence)


def _limit_of_flow(evidence: Evidence) -> Limit:
    """Say what held up the messages where nobody was busy."""
    sender = evidence.end(evidence.sender)
    if _is_reader_slow(evidence):
        return Limit.RECEIVE_WINDOW
    if _is_at_least(sender.send_buffer_limited_share, MOST_SHARE_MIN):
        return Limit.SEND_BUFFER
    if _is_at_least(sender.unsent_share, MOST_SHARE_MIN) or _is_at_least(
        sender.retransmitted_share, RETRANSMITTED_SHARE_MIN
    ):
        return Limit.NETWORK
    if evidence.pacing is Pacing.CLOSED_LOOP:
        return Limit.ROUND_TRIP
    filled_share = sender.send_queue_filled_share
    if filled_share is not None and filled_share <= 1 - MOST_SHARE_MIN:
        return Limit.SENDER_PACE
    return Limit.UNCLEAR


def _is_reader_slow(evidence: Evidence) -> bool:
    waited_share = evidence.end(evidence.sender).receive_window_limited_share
    if waited_share is not None:
        return waited_share >= MOST_SHARE_MIN
    filled_share = evidence.end(evidence.receiver).receive_queue_filled_share
    return _is_at_least(evidence.blocked_share, MOST_SHARE_MIN) and (
        filled_share is None or filled_share >= MOST_SHARE_MIN
    )


def _is_at_least(share: float | None, bound: float) -> bool:
    return share is not None and share >= bound


def _busy_shares(evidence: Evidence) -> dict[Limit, float]:
    """Return how busy each end was, by what it would be called as the limit."""
    shares: dict[Limit, float] = {}
    for end, limit in (
        (evidence.server, Limit.SERVER_CPU),
        (evidence.client, Limit.CLIENT_CPU),
    ):
        name = Limit.ENGINE if end.is_engine else limit
        shares[name] = max(end.busy_share, shares.get(name, 0.0))
    return shares


def _head_room(evidence: Evidence, limit: Limit) -> HeadRoom | None:
    """Return what the busiest end that is not the limit would allow."""
    if limit in {Limit.BROKEN, Limit.MACHINE}:
        return None
    others = {
        name: share for name, share in _busy_shares(evidence).items() if name != limit
    }
    if not others:
        return None
    name = max(others, key=lambda each: others[each])
    if others[name] <= 0:
        return None
    return HeadRoom(factor=max(1.0, 1 / others[name]), limit=name)


def _sentence(evidence: Evidence, limit: Limit) -> str:
    if limit is Limit.BROKEN:
        return f"{evidence.faults[:1].upper()}{evidence.faults[1:]}."
    parts = [
        _of_end(evidence.server, "server"),
        _of_end(evidence.client, "client"),
        *_of_flow(evidence),
    ]
    if limit is Limit.MACHINE:
        parts.insert(0, evidence.disturbance)
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _of_end(end: End, name: EndName) -> str:
    if end.is_engine:
        return f"engine ({name}) busy {end.busy_share:.0%} of the time"
    return f"{name} at {end.busy_share:.0%} of its cores"


def _of_flow(evidence: Evidence) -> list[str]:
    """Say what is known of queues and windows; what is not known is left out."""
    sender, receiver = evidence.end(evidence.sender), evidence.end(evidence.receiver)
    figures = [
        (receiver.receive_queue_filled_share, "{} of its receive queues filled"),
        (sender.send_queue_filled_share, "{} of the send queues"),
        (sender.receive_window_limited_share, "{} of the time waiting for its window"),
        (sender.send_buffer_limited_share, "{} for room in the send buffer"),
        (evidence.achieved_share, "{} of the offered load done"),
    ]
    parts = [
        words.format(f"{share:.0%}") for share, words in figures if share is not None
    ]
    if sender.retransmitted_share:
        parts.append(f"{sender.retransmitted_share:.1%} of the segments sent again")
    if sender.unsent_share:
        parts.append(f"something unsent in {sender.unsent_share:.0%} of the looks")
    if not figures[1][0] and evidence.blocked_share is not None:
        parts.append(f"no room to send {evidence.blocked_share:.0%} of the time")
    return parts
