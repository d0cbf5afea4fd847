"""What is said of a bottleneck wherever people read it."""

from autostrada.stats.verdict import HeadRoom, Verdict

FACTOR_SHOWN_MAX = 100
"""Of head-room: beyond it, it says how finely a busy share was measured."""


def head_room(verdict: Verdict) -> str:
    """Write the next bottleneck and how many times the rate it would allow."""
    room = verdict.head_room
    if room is None:
        return ""
    return f"{room.bottleneck} {_factor(room)}"


def bottleneck_sentences(verdict: Verdict, trials: int) -> str:
    """Say what the bottleneck of so many trials was, the evidence, and the next one."""
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
    """Write how many times the rate, roughly: it is worked out, not measured."""
    if room.factor > FACTOR_SHOWN_MAX:
        return f">{FACTOR_SHOWN_MAX}×"
    return f"{room.factor:.1f}×" if room.factor < 10 else f"{room.factor:.0f}×"
