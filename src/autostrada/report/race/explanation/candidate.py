"""A candidate for why somebody was fast or slow, and how much of that it explains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

from autostrada.report import number
from autostrada.report.race.explanation.puzzle import Puzzle
from autostrada.report.text import listed

ENOUGH_SHARE_MIN = 0.9
"""Of the logarithm of a factor: what explains so much of it is enough."""

PART_SHARE_MIN = 0.25
"""What explains less of it is not why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """What may be the reason, what was measured of it, and what it does to whom."""

    title: str
    measured: tuple[str, ...]
    """In sentences."""

    effects: Mapping[str, float]
    """
    By client: how many times as far ahead of the others it may be because of this;
    below 1, behind them. Upper bounds: whatever else changes with it is in it.
    """

    lacks: str = ""
    """Why nothing can be told of it; ``""`` where something can."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a candidate says of a puzzle."""

    title: str
    factor: float | None
    """It explains so much at most; ``None`` where its contestant was not measured."""

    reach: float | None
    """So much it moves another client at most; ``None`` where there is none."""

    words: str


def shifted(
    with_it: Mapping[str, float], without: Mapping[str, float]
) -> dict[str, float]:
    """
    Return how many times as far ahead of the others each is with something.

    Both are durations by client; who is in one of them alone is left out, and nothing
    is told of a single one. Nobody is moved further than it then is from the median of
    the others: who falls back to them has not been put behind them.
    """
    names = [name for name in with_it if name in without]
    if len(names) < 2:
        return {}
    after = {name: with_it[name] for name in names}
    before = {name: without[name] for name in names}
    return {
        name: bounded(lead(name, after) / lead(name, before), lead(name, after))
        for name in names
    }


def bounded(shift: float, reached: float) -> float:
    """Return a shift, no further than to where its client is then, and not beyond 1."""
    if shift > 1:
        return max(1.0, min(shift, reached))
    return min(1.0, max(shift, reached))


def lead(name: str, durations: Mapping[str, float]) -> float:
    """Return the median duration of the others by the one of a client."""
    others = [each for other, each in durations.items() if other != name]
    return median(others) / durations[name]


def answer(candidate: Candidate, puzzle: Puzzle) -> Answer:
    """Say how much of a puzzle a candidate explains."""
    if candidate.lacks:
        words = f"Cannot be told: {candidate.lacks}."
        return Answer(title=candidate.title, factor=None, reach=None, words=words)
    gains = {
        name: max(1.0, effect if puzzle.kind == "fast" else 1 / effect)
        for name, effect in candidate.effects.items()
    }
    factor = gains.get(puzzle.contestant)
    words = _of_itself(factor, puzzle) if factor else "Not measured of it."
    others = {name: gains[name] for name in gains if name != puzzle.contestant}
    if others:
        words += f" {_of_others(others, puzzle)}"
    reach = max(others.values(), default=None)
    return Answer(title=candidate.title, factor=factor, reach=reach, words=words)


def summary(answers: Sequence[Answer], puzzle: Puzzle) -> str:
    """Say what all answers to a puzzle come to, in a sentence."""
    known = {each.title: each.factor for each in answers if each.factor}
    if not known:
        able = [
            each.title
            for each in answers
            if each.reach and _judge(each.reach, puzzle) == "enough"
        ]
        if able:
            return f"Of other clients, one is moved as far by {listed(able)} alone."
        return "No candidate moves another client as far."
    best = max(known, key=known.__getitem__)
    if _judge(known[best], puzzle) == "enough":
        return f"{best} alone would be enough."
    left = number.times(puzzle.factor / known[best])
    return (
        f"No candidate is enough by itself: {best} explains the most, "
        f"{number.times(known[best])}, and {left} is left."
    )


def _of_itself(factor: float, puzzle: Puzzle) -> str:
    judged = {
        "enough": "That would be enough",
        "part": "It may be a part of it",
        "not": "It is not why",
    }[_judge(factor, puzzle)]
    return (
        f"Explains at most {number.times(factor)} of the "
        f"{number.times(puzzle.factor)}. {judged}."
    )


def _of_others(gains: Mapping[str, float], puzzle: Puzzle) -> str:
    """Say whom it moves the most: what it could do, if not to the one in question."""
    name = max(gains, key=lambda each: gains[each])
    done = "gains" if puzzle.kind == "fast" else "loses"
    if number.times(gains[name]) == number.times(1):
        return f"Of the other clients nobody {done} anything by it."
    could = {
        "enough": ", which would be enough",
        "part": ", which would be a part of it",
        "not": "",
    }[_judge(gains[name], puzzle)]
    return (
        f"Of the other clients {name} {done} the most by it, "
        f"{number.times(gains[name])}{could}."
    )


def _judge(factor: float, puzzle: Puzzle) -> str:
    share = log(factor) / log(puzzle.factor)
    if share >= ENOUGH_SHARE_MIN:
        return "enough"
    return "part" if share >= PART_SHARE_MIN else "not"
