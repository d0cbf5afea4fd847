"""What the machine disturbed, in sentences: what was repeated, what counts anyway."""

from collections.abc import Iterable

from autostrada.report import number
from autostrada.report.race import Disturbance, Race, Ranking, Standing


def disturbance_note(standing: Standing) -> str:
    """Say what disturbed the trials of a cell; empty where nothing did."""
    if not standing.disturbances:
        return ""
    words = "; ".join(
        f"{each.words} (repetition {each.repetition + 1})"
        for each in standing.disturbances
    )
    return f"{_counted(standing.disturbances)}: {words}."


def disturbance_counts(ranking: Ranking) -> str:
    """Count the disturbed trials of each contestant; empty where there is none."""
    reference = [ranking.reference] if ranking.reference else []
    counts = [
        f"{standing.contestant} {len(standing.disturbances)} "
        f"({sum(not each.is_counted for each in standing.disturbances)})"
        for standing in (*reference, *ranking.standings)
        if standing.disturbances
    ]
    return f"disturbed trials (of them repeated): {', '.join(counts)}" if counts else ""


def disturbance_sentence(race: Race) -> str:
    """Say how many trials of a run were disturbed, warm-ups left out."""
    trials = sum(not row["is_warm_up"] for row in race.trials)
    disturbances = [
        each
        for ranking in race.rankings
        for standing in (ranking.reference, *ranking.standings)
        if standing
        for each in standing.disturbances
    ]
    if not disturbances:
        return f"In {number.count(trials, 'trial')} no disturbance was seen."
    return f"{_counted(disturbances)}, of {number.plain(trials, 0)} in all."


def _counted(disturbances: Iterable[Disturbance]) -> str:
    """Count those that were replaced, and those that no retry could replace."""
    is_counted = [each.is_counted for each in disturbances]
    replaced, counted = is_counted.count(False), is_counted.count(True)
    parts = []
    if replaced:
        parts.append(f"{_were(replaced)} disturbed and repeated")
    if counted:
        parts.append(f"{_were(counted)} disturbed and counted all the same")
    return ", ".join(parts)


def _were(trials: int) -> str:
    return f"{number.count(trials, 'trial')} {'was' if trials == 1 else 'were'}"
