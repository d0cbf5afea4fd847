"""Why they won and lost of whom others published it: candidates, by what was seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autostrada.report import number
from autostrada.report.race.explanation.batching import batching
from autostrada.report.race.explanation.calls import calls
from autostrada.report.race.explanation.candidate import (
    Answer,
    Candidate,
    answer,
    lead,
    summary,
)
from autostrada.report.race.explanation.clock import clock
from autostrada.report.race.explanation.compression import compression
from autostrada.report.race.explanation.puzzle import Puzzle, puzzles, question
from autostrada.report.race.explanation.trace import Trace
from autostrada.report.race.race import Race, Ranking
from autostrada.workloads.push import Push


@dataclass(frozen=True, kw_only=True, slots=True)
class Explained:
    """One puzzle with what each candidate says of it."""

    question: str
    here: str
    """How it stands in the workload that works as theirs did, in a sentence."""

    answers: tuple[Answer, ...]
    summary: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """All puzzles of a race's published figures, and all candidates."""

    candidates: tuple[Candidate, ...]
    explained: tuple[Explained, ...]
    traces: tuple[tuple[str, str, Trace], ...]
    """By workload and client, in the order of the rankings."""


def explain(race: Race) -> Explanation | None:
    """Explain what is odd in the published figures; ``None`` where nothing is."""
    found = puzzles(race.experiment.published)
    if not found:
        return None
    one = _ranking(race, lambda it: it.frames_per_write == "one" and not it.deflate)
    many = _ranking(race, lambda it: it.frames_per_write == "many" and not it.deflate)
    granted = _ranking(race, lambda it: it.deflate)
    plain = granted and _ranking(
        race,
        lambda it: (
            not it.deflate
            and it.frames_per_write == granted.workload.frames_per_write
            and it.payload_text == granted.workload.payload_text
        ),
    )
    candidates = (
        clock(one or many, race.traces),
        calls(many, one, race.traces),
        compression(plain, granted, race.traces),
        batching(one, race.traces),
    )
    return Explanation(
        candidates=candidates,
        explained=tuple(_explained(puzzle, candidates, race) for puzzle in found),
        traces=tuple(_traces(race)),
    )


def _explained(
    puzzle: Puzzle, candidates: Sequence[Candidate], race: Race
) -> Explained:
    answers = tuple(answer(each, puzzle) for each in candidates)
    return Explained(
        question=question(puzzle),
        here=_here(puzzle, race),
        answers=answers,
        summary=summary(answers, puzzle),
    )


def _ranking(race: Race, is_wanted: Callable[[Push], bool]) -> Ranking | None:
    """Return the first workload of a kind in which somebody was measured."""
    found = (
        ranking
        for ranking in race.rankings
        if is_wanted(ranking.workload) and ranking.measured
    )
    return next(found, None)


def _here(puzzle: Puzzle, race: Race) -> str:
    """Say how far from the median the contestant is here."""
    name = puzzle.table.workload
    durations = {
        standing.contestant: figures.interval.median
        for ranking in race.rankings
        if ranking.workload.name == name
        for standing, figures in ranking.measured
    }
    if puzzle.contestant not in durations or len(durations) < 2:
        return f"{puzzle.contestant} was not measured here in {name}."
    ahead = lead(puzzle.contestant, durations)
    return (
        f"Here, in {name}, {puzzle.contestant} is {number.times(ahead)} as fast as "
        f"the median of the others."
    )


def _traces(race: Race) -> list[tuple[str, str, Trace]]:
    return [
        (name, standing.contestant, race.traces[name, standing.contestant])
        for ranking in race.rankings
        for name in [ranking.workload.name]
        for standing, _ in ranking.measured
        if (name, standing.contestant) in race.traces
    ]
