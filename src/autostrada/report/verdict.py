"""Texts about the bottleneck of a cell, shared by terminal and pages."""

from autostrada.stats.verdict import HeadRoom, Verdict

FACTOR_SHOWN_MAX = 100
"""
Largest head-room factor that is written as a number.

A larger factor reflects the resolution of the utilization, so it is written ``>100×``.
"""


def head_room(verdict: Verdict) -> str:
    """
    Name the next bottleneck and the multiple of the rate that it would allow.

    The text is empty if the verdict has no head-room.
    """
    room = verdict.head_room
    if room is None:
        return ""
    return f"{room.bottleneck} {_factor(room)}"


def bottleneck_sentences(verdict: Verdict, trials: int) -> str:
    """Describe the bottleneck of ``trials`` trials, its evidence and the next one."""
    alike = round(verdict.agreement_share * trials)
    where = "" if alike == trials else f", in {alike} of {trials} trials"
    sentences = [
        f"Bottleneck: {verdict.bottleneck}{where}.",
        verdict.evidence,
    ]
    if room := verdict.head_room:
        sentences.append(f"The next is {room.bottleneck}, at {_factor(room)} the rate.")
    return " ".join(sentences)


def _factor(room: HeadRoom) -> str:
    """Format a head-room factor coarsely, because it is estimated, not measured."""
    if room.factor > FACTOR_SHOWN_MAX:
        return f">{FACTOR_SHOWN_MAX}×"
    return f"{room.factor:.1f}×" if room.factor < 10 else f"{room.factor:.0f}×"
