"""The next rounds of a run: those that may decide the claims that it left open."""

from collections.abc import Iterator, Mapping
from math import prod
from statistics import fmean

from autostrada.experiment.matrix import Cell
from autostrada.experiment.next_round import NextRound
from autostrada.report import number
from autostrada.report.conclusion import Conclusion, EvaluatedRequirement
from autostrada.report.results import Results
from autostrada.stats.claim import Finding
from autostrada.stats.sequential import NO_OUTLOOK
from autostrada.store.reader import as_record


def next_rounds(conclusion: Conclusion) -> Iterator[NextRound]:
    """
    Yield the rounds that may decide a claim; nothing if it is decided.

    It is confirmed if all of its undecided parts are, and contradicted if one is; where
    one of its parts is enough, the other way round.
    """
    parts = _undecided(conclusion)
    if all(each.outlook is NO_OUTLOOK for each in parts):
        return
    confirming = [each.outlook.confirming for each in parts]
    contradicting = [each.outlook.contradicting for each in parts]
    of_all, of_one = confirming, contradicting
    is_all_possible, is_one_possible = True, conclusion.is_contradictable
    if conclusion.either:
        of_all, of_one = of_one, of_all
        is_all_possible, is_one_possible = is_one_possible, is_all_possible
    if is_all_possible:
        yield _together(parts, prod(of_all))
    if is_one_possible:
        for part, chance in zip(parts, of_one, strict=True):
            yield _together([part], chance)


def time_left(conclusion: Conclusion, results: Results) -> str:
    """
    Say how much more time is expected to decide a claim, as a sentence.

    The text is empty if it is decided, or open for another reason than its number of
    rounds, or if there are too few rounds for an estimate.
    """
    parts = _undecided(conclusion)
    if not parts or not all(_is_open_by_rounds(each) for each in parts):
        return ""
    rounds = [each.outlook.needed_samples for each in parts]
    if None in rounds:
        return "More rounds are not expected to decide it."
    taken_s = _taken_s(results)
    needed: dict[Cell, int] = {}
    for part, more in zip(parts, rounds, strict=True):
        for cell in part.required.cells:
            needed[cell] = max(needed.get(cell, 0), more or 0)
    left_s = sum(more * taken_s[cell] for cell, more in needed.items())
    return f"Another {number.minutes(left_s)} may decide it."


def _undecided(conclusion: Conclusion) -> list[EvaluatedRequirement]:
    """
    Return the comparisons of a claim that are undecided.

    They are empty if the claim is decided, or if something else than a comparison
    prevents that.
    """
    if (
        conclusion.finding is not Finding.INCONCLUSIVE
        or conclusion.unmet
        or any(part.finding is Finding.NOT_TESTED for part in conclusion.parts)
    ):
        return []
    return [part for part in conclusion.parts if part.finding is Finding.INCONCLUSIVE]


def _is_open_by_rounds(part: EvaluatedRequirement) -> bool:
    """Return whether looks at its rounds have left a comparison undecided."""
    is_tested = part.test is not None and part.test.rounds > 0
    return is_tested and part.lasts and not part.is_changed


def _together(parts: list[EvaluatedRequirement], chance: float) -> NextRound:
    return NextRound(
        cells=tuple(
            dict.fromkeys(cell for part in parts for cell in part.required.cells)
        ),
        rounds=max(1, *(part.outlook.next_samples for part in parts)),
        chance=chance,
        trials=sum(
            len(cell.bounds.sampled.rounds)
            for part in parts
            for cell in part.cells
            if cell.bounds
        ),
    )


def _taken_s(results: Results) -> Mapping[Cell, float]:
    """Return the mean duration of a cell's trials, in seconds."""
    taken: dict[Cell, list[float]] = {}
    for row in results.trials:
        taken.setdefault(as_record(Cell, row), []).append(row["taken_ns"] / 1e9)
    return {cell: fmean(durations) for cell, durations in taken.items()}
