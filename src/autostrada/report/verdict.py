"""How a bottleneck is called wherever people read it, and what is said of it."""

from autostrada.stats.verdict import HeadRoom, Limit, Verdict

LIMIT_IN_WORDS = {
    Limit.BROKEN: "broken",
    Limit.MACHINE: "machine",
    Limit.ENGINE: "load generator",
    Limit.SERVER_CPU: "server CPU",
    Limit.CLIENT_CPU: "client CPU",
    Limit.RECEIVE_WINDOW: "receive window",
    Limit.SEND_BUFFER: "send buffer",
    Limit.NETWORK: "network",
    Limit.OFFERED_LOAD: "load sustained",
    Limit.ROUND_TRIP: "round trip",
    Limit.SENDER_PACE: "send rate",
    Limit.UNCLEAR: "unclear",
}
"""How a bottleneck is called in a table."""

FACTOR_SHOWN_MAX = 100
"""Of head-room: beyond it, it says how finely a busy share was measured."""


def head_room(verdict: Verdict) -> str:
    """Write the next bottleneck and how many times the rate it would allow."""
    room = verdict.head_room
    if room is None:
        return ""
    return f"{LIMIT_IN_WORDS[room.limit]} {_factor(room)}"


def limit_sentences(verdict: Verdict, trials: int) -> str:
    """Say what the bottleneck of so many trials was, the evidence, and the next one."""
    alike = round(verdict.agreement_share * trials)
    where = "" if alike == trials else f", in {alike} of {trials} trials"
    sentences = [
        f"Bottleneck: {LIMIT_IN_WORDS[verdict.limit]}{where}.",
        verdict.evidence,
    ]
    if room := verdict.head_room:
        sentences.append(
            f"The next is {LIMIT_IN_WORDS[room.limit]}, at {_factor(room)} the rate."
        )
    return " ".join(sentences)


def _factor(room: HeadRoom) -> str:
    """Write how many times the rate, roughly: it is worked out, not measured."""
    if room.factor > FACTOR_SHOWN_MAX:
        return f">{FACTOR_SHOWN_MAX}×"
    return f"{room.factor:.1f}×" if room.factor < 10 else f"{room.factor:.0f}×"
