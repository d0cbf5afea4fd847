"""What the machine disturbed, in sentences: what was repeated, what counts anyway."""

from collections.abc import Iterable

from autostrada.report import number
from autostrada.report.race.race import Disturbance, Race, Ranking, Standing


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
    disturbances = _all_disturbances(race)
    if not disturbances:
        return f"In {number.count(_trials(race), 'trial')} no disturbance was seen."
    return f"{_counted(disturbances)}, of {number.plain(_trials(race), 0)} in all."


def disturbance_caution(race: Race) -> str:
    """Warn of figures that are of disturbed trials; empty where there are none."""
    counted = sum(each.is_counted for each in _all_disturbances(race))
    if not counted:
        return ""
    return (
        f"The machine disturbed {number.count(counted, 'repetition')}, and no retry "
        f"was quiet: such figures are of the machine as well."
    )


def _trials(race: Race) -> int:
    return sum(not row["is_warm_up"] for row in race.trials)


def _all_disturbances(race: Race) -> list[Disturbance]:
    return [
        each
        for ranking in race.rankings
        for standing in (ranking.reference, *ranking.standings)
        if standing
        for each in standing.disturbances
    ]


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
