"""What held a trial back: one verdict, its evidence in a sentence, its head-room."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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


class Bottleneck(StrEnum):
    """What the bottleneck of a trial was."""

    BROKEN = "broken"
    """Messages were lost, connections ended, or errors came: no figure counts."""

    MACHINE = "machine"
    """Something else used the cores: the figure is of that as well."""

    LOAD_GENERATOR = "load generator"
    """Our own engine did what it could: the figure is a lower bound."""

    SERVER_CPU = "server CPU"
    CLIENT_CPU = "client CPU"
    """A contestant used all of its cores."""

    RECEIVE_WINDOW = "receive window"
    """The reader was slow without being busy: it let messages pile up."""

    SEND_BUFFER = "send buffer"
    """The sender's socket took no more, though all in it was on its way."""

    NETWORK = "network"
    """What the sender had handed over waited to be sent, or was lost on its way."""

    LOAD_SUSTAINED = "load sustained"
    """All that was asked for was done, and no contestant was busy all the time."""

    ROUND_TRIP = "round trip"
    """Each message waited for an answer, and nobody was busy all the time."""

    SEND_RATE = "send rate"
    """Nothing waited anywhere: the sender sent no more, and was not busy."""

    UNCLEAR = "unclear"
    """Nothing that was observed explains the figure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadRoom:
    """How much more the next bottleneck would allow, if this one fell."""

    factor: float
    """At least 1: so many times the rate."""

    bottleneck: Bottleneck


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The bottleneck of a trial, or of the trials of a cell, and what says so."""

    bottleneck: Bottleneck
    evidence: str
    """One sentence."""

    head_room: HeadRoom | None
    """None where what broke or disturbed says nothing of it."""

    agreement_share: float = 1.0
    """Of the trials: how many say the same."""

    is_late: bool = False
    """Whether the engine was, as it reports: latencies may be less than measured."""

    @property
    def is_lower_bound(self) -> bool:
        """Whether the contestant's rate may be higher than the one measured."""
        return self.bottleneck is Bottleneck.LOAD_GENERATOR


def judge(evidence: Evidence) -> Verdict:
    """
    Judge one trial: the first row of the table that applies.

    The table, with its conditions explained, is in docs/methodology.md, *Bottleneck*.
    """
    bottleneck = _bottleneck(evidence)
    return Verdict(
        bottleneck=bottleneck,
        evidence=_sentence(evidence, bottleneck),
        head_room=_head_room(evidence, bottleneck),
        is_late=bool(evidence.engine_limit),
    )


def judge_cell(trials: Sequence[Evidence]) -> Verdict:
    """
    Judge the trials of a cell: the bottleneck that most of them have.

    Its evidence is that of the trial in the middle of them by how busy the ends were.
    """
    assert trials, "no trials"
    verdicts = [judge(each) for each in trials]
    [(bottleneck, times)] = Counter(each.bottleneck for each in verdicts).most_common(1)
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


def _bottleneck(evidence: Evidence) -> Bottleneck:
    return next(
        (bottleneck for bottleneck, applies in _rows() if applies(evidence)),
        Bottleneck.UNCLEAR,
    )


def _rows() -> Iterator[tuple[Bottleneck, Callable[[Evidence], bool]]]:
    """Yield each bottleneck with its condition, in the order of judging."""
    yield Bottleneck.BROKEN, lambda it: bool(it.faults)
    yield Bottleneck.MACHINE, lambda it: bool(it.disturbance)
    yield Bottleneck.LOAD_GENERATOR, _is_engine_spent
    yield Bottleneck.UNCLEAR, _is_unseen
    yield Bottleneck.SERVER_CPU, lambda it: _is_busy(it, Bottleneck.SERVER_CPU)
    yield Bottleneck.CLIENT_CPU, lambda it: _is_busy(it, Bottleneck.CLIENT_CPU)
    yield Bottleneck.LOAD_SUSTAINED, _is_load_achieved
    yield Bottleneck.RECEIVE_WINDOW, _is_window_closed
    yield Bottleneck.SEND_BUFFER, _is_buffer_told_full
    yield Bottleneck.NETWORK, _is_network_slow
    yield Bottleneck.SEND_BUFFER, _is_buffer_full
    yield Bottleneck.ROUND_TRIP, lambda it: it.pacing is Pacing.CLOSED_LOOP
    yield (
        Bottleneck.LOAD_GENERATOR,
        lambda it: it.server.is_engine and it.client.is_engine,
    )
    yield Bottleneck.SEND_RATE, _is_sender_slow


def _is_load_achieved(evidence: Evidence) -> bool:
    return evidence.pacing is Pacing.OPEN_LOOP and _is_at_least(
        evidence.achieved_share, MET_SHARE_MIN
    )


def _is_engine_spent(evidence: Evidence) -> bool:
    """
    Say whether the engine was the bottleneck, as it reports or as it was busy.

    That it was late makes latencies longer, and takes nothing from a rate.
    """
    if _is_load_achieved(evidence):
        return False
    if _busy_shares(evidence).get(Bottleneck.LOAD_GENERATOR, 0.0) >= BUSY_SHARE_MIN:
        return True
    was_only_late = _is_at_least(evidence.sent_share, MET_SHARE_MIN)
    is_excused = was_only_late and _is_contestant_spent(evidence)
    return bool(evidence.engine_limit) and not is_excused


def _is_contestant_spent(evidence: Evidence) -> bool:
    """
    Say whether a contestant had no time left, whoever shares its cores.

    Its cores work for the engine as well where there is but one.
    """
    return any(
        not end.is_engine
        and _is_at_least(end.busy_share, BUSY_SHARE_MIN)
        and _is_at_least(end.cpu_cores, BUSY_SHARE_MIN)
        for end in (evidence.server, evidence.client)
    )


def _is_unseen(evidence: Evidence) -> bool:
    """Say whether an end may have been the bottleneck of which nobody knows."""
    shares = (evidence.server.busy_share, evidence.client.busy_share)
    return None in shares and not _is_load_achieved(evidence)


def _is_busy(evidence: Evidence, bottleneck: Bottleneck) -> bool:
    """Say whether a contestant has no time left, and the other one not less."""
    shares = _busy_shares(evidence)
    shares.pop(Bottleneck.LOAD_GENERATOR, None)
    share = shares.get(bottleneck, 0.0)
    return share >= BUSY_SHARE_MIN and share == max(shares.values())


def _is_window_closed(evidence: Evidence) -> bool:
    """Say whether the sender waited for the receiver's window, as far as is known."""
    window_share = evidence.end(evidence.sender).receive_window_limited_share
    filled_share = evidence.end(evidence.receiver).receive_queue_filled_share
    if window_share is None:
        is_unread = filled_share is None or filled_share >= MOST_SHARE_MIN
        is_blocked = is_unread and _is_at_least(evidence.blocked_share, MOST_SHARE_MIN)
        return is_blocked or (_is_receiver_behind(evidence) and _has_unsent(evidence))
    return window_share >= MOST_SHARE_MIN


def _is_receiver_behind(evidence: Evidence) -> bool:
    """
    Say whether a receiver has left something unread most of the time.

    One whose buffer is full of small messages drops what comes before its window is
    closed: that is sent again, and the window does not tell it.
    """
    filled_share = evidence.end(evidence.receiver).receive_queue_filled_share
    is_continuous = evidence.pacing is Pacing.CONTINUOUS
    return is_continuous and _is_at_least(filled_share, MOST_SHARE_MIN)


def _is_buffer_told_full(evidence: Evidence) -> bool:
    sender = evidence.end(evidence.sender)
    return _is_at_least(sender.send_buffer_limited_share, MOST_SHARE_MIN)


def _has_unsent(evidence: Evidence) -> bool:
    unsent_share = evidence.end(evidence.sender).unsent_share
    return _is_at_least(unsent_share, MOST_SHARE_MIN)


def _is_network_slow(evidence: Evidence) -> bool:
    """
    Say whether the path kept back or lost what a receiver was waiting for.

    One that is behind is the cause of both itself: what its window does not admit is
    not sent.
    """
    retransmitted_share = evidence.end(evidence.sender).retransmitted_share
    is_lossy = _is_at_least(retransmitted_share, RETRANSMITTED_SHARE_MIN)
    is_held_up = _has_unsent(evidence) or is_lossy
    return is_held_up and not _is_receiver_behind(evidence)


def _is_buffer_full(evidence: Evidence) -> bool:
    """Say whether the sender waited for room that the window does not explain."""
    window_share = evidence.end(evidence.sender).receive_window_limited_share
    if evidence.blocked_share is None or window_share is None:
        return False
    if _is_receiver_behind(evidence):
        return False
    return evidence.blocked_share - window_share >= MOST_SHARE_MIN


def _is_sender_slow(evidence: Evidence) -> bool:
    """
    Say whether the sender sent no more, though nothing delayed it.

    What is on its way at a sample fills its queue, and is no backlog. Whether a
    contestant found no room nobody knows: of it only an empty queue tells.
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


def _busy_shares(evidence: Evidence) -> dict[Bottleneck, float]:
    """Return how busy each end was, as far as is known, by its bottleneck."""
    shares: dict[Bottleneck, float] = {}
    for end, bottleneck in (
        (evidence.server, Bottleneck.SERVER_CPU),
        (evidence.client, Bottleneck.CLIENT_CPU),
    ):
        name = Bottleneck.LOAD_GENERATOR if end.is_engine else bottleneck
        if end.busy_share is not None:
            shares[name] = max(end.busy_share, shares.get(name, 0.0))
    return shares


def _busy_together(evidence: Evidence) -> float:
    shares = (evidence.server.busy_share, evidence.client.busy_share)
    return sum(share for share in shares if share is not None)


def _head_room(evidence: Evidence, bottleneck: Bottleneck) -> HeadRoom | None:
    """Return what the busiest end that is not the bottleneck would allow."""
    if bottleneck in {Bottleneck.BROKEN, Bottleneck.MACHINE}:
        return None
    others = {
        name: share
        for name, share in _busy_shares(evidence).items()
        if name != bottleneck
    }
    if not others:
        return None
    name = max(others, key=lambda each: others[each])
    if others[name] <= 0:
        return None
    return HeadRoom(factor=max(1.0, 1 / others[name]), bottleneck=name)


def _sentence(evidence: Evidence, bottleneck: Bottleneck) -> str:
    if bottleneck is Bottleneck.BROKEN:
        return f"{evidence.faults[:1].upper()}{evidence.faults[1:]}."
    parts = [
        _of_end(evidence.server, "server"),
        _of_end(evidence.client, "client"),
        *_of_flow(evidence),
    ]
    if evidence.engine_limit:
        parts.insert(0, f"load generator: {evidence.engine_limit}")
    if bottleneck is Bottleneck.MACHINE:
        parts.insert(0, evidence.disturbance)
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _of_end(end: End, name: EndName) -> str:
    if end.busy_share is None:
        return f"how busy the {name} was is not known"
    if end.is_engine:
        return f"engine ({name}) busy {end.busy_share:.0%} of the time"
    return f"{name} at {end.busy_share:.0%} of its cores"


def _of_flow(evidence: Evidence) -> list[str]:
    """Say what is known of queues and windows; what is not known is left out."""
    sending, receiving = evidence.sender, evidence.receiver
    sender, receiver = evidence.end(sending), evidence.end(receiving)
    figures = [
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
        (sender.unsent_share or None, f"{sending} with something unsent {{}}"),
    ]
    if sender.receive_window_limited_share is None and evidence.blocked_share:
        figures.append((evidence.blocked_share, f"{sending} without room to send {{}}"))
    parts = [
        words.format(f"{share:.0%}") for share, words in figures if share is not None
    ]
    if parts:
        parts[-1] += " of the time"
    if sender.retransmitted_share:
        parts.append(f"{sender.retransmitted_share:.1%} of the segments sent again")
    if evidence.achieved_share is not None:
        parts.append(f"{evidence.achieved_share:.0%} of the offered load done")
    return parts
