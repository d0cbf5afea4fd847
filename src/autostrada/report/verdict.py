"""How a verdict is called wherever people read it, and what it says in sentences."""

from autostrada.stats.verdict import HeadRoom, Limit, Verdict

LIMIT_IN_WORDS = {
    Limit.BROKEN: "broken",
    Limit.MACHINE: "machine",
    Limit.ENGINE: "engine",
    Limit.SERVER_CPU: "server CPU",
    Limit.CLIENT_CPU: "client CPU",
    Limit.RECEIVE_WINDOW: "window",
    Limit.SEND_BUFFER: "buffer",
    Limit.NETWORK: "network",
    Limit.OFFERED_LOAD: "load met",
    Limit.ROUND_TRIP: "round trip",
    Limit.SENDER_PACE: "pace",
    Limit.UNCLEAR: "unclear",
}
"""How a verdict is called in a table."""

FACTOR_SHOWN_MAX = 100
"""Of head-room: beyond it, it says how finely a busy share was measured."""


def head_room(verdict: Verdict) -> str:
    """Write the next limit and how many times the rate it would allow, for a table."""
    room = verdict.head_room
    if room is None:
        return ""
    return f"{LIMIT_IN_WORDS[room.limit].removesuffix(' CPU')} {_factor(room)}"


def limit_sentences(verdict: Verdict, trials: int) -> str:
    """Say what the limit of so many trials was, the evidence, and what is next."""
    alike = round(verdict.agreement_share * trials)
    where = "" if alike == trials else f", in {alike} of {trials} trials"
    sentences = [f"The limit: {verdict.limit}{where}.", verdict.evidence]
    if room := verdict.head_room:
        sentences.append(
            f"Without it {room.limit} would be next, at {_factor(room)} the rate."
        )
    return " ".join(sentences)


def _factor(room: HeadRoom) -> str:
    """Write how many times the rate, roughly: it is worked out, not measured."""
    if room.factor > FACTOR_SHOWN_MAX:
        return f">{FACTOR_SHOWN_MAX}×"
    return f"{room.factor:.1f}×" if room.factor < 10 else f"{room.factor:.0f}×"
