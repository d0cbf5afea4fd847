"""What the machine disturbed, in sentences: what was repeated, what counts anyway."""

from collections.abc import Iterable, Mapping, Sequence

from autostrada.report import number
from autostrada.report.circumstance.attempt import Disturbance


def disturbance_note(disturbances: Sequence[Disturbance]) -> str:
    """Say what disturbed the trials of a cell; empty where nothing did."""
    if not disturbances:
        return ""
    words = "; ".join(
        f"{each.words} (repetition {each.repetition + 1})" for each in disturbances
    )
    return f"{_counted(disturbances)}: {words}."


def disturbance_counts(disturbed: Mapping[str, Sequence[Disturbance]]) -> str:
    """Count the disturbed trials of each name; empty where there is none."""
    counts = [
        f"{name} {len(disturbances)} "
        f"({sum(not each.is_counted for each in disturbances)})"
        for name, disturbances in disturbed.items()
        if disturbances
    ]
    return f"disturbed trials (of them repeated): {', '.join(counts)}" if counts else ""


def disturbance_sentence(disturbances: Sequence[Disturbance], trials: int) -> str:
    """Say how many trials of a run were disturbed, of so many without warm-ups."""
    if not disturbances:
        return f"In {number.count(trials, 'trial')} no disturbance was seen."
    return f"{_counted(disturbances)}, of {number.plain(trials, 0)} in all."


def disturbance_caution(disturbances: Iterable[Disturbance]) -> str:
    """Warn of figures that are of disturbed trials; empty where there are none."""
    counted = sum(each.is_counted for each in disturbances)
    if not counted:
        return ""
    return (
        f"The machine disturbed {number.count(counted, 'repetition')}, and no retry "
        f"was quiet: such figures are of the machine as well."
    )


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
