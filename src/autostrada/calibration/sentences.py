"""Figures and lines as people read them, at 80 columns."""

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from autostrada.calibration.fault_cases import FaultCase
from autostrada.calibration.judgement import Comparison
from autostrada.calibration.session import Outcome, Verdict, summarize
from autostrada.stats.buckets import Buckets

MS = 1_000_000
MIB = 1024 * 1024
INDENT = " " * 10
COLUMNS = 80


def outcome_in_words(outcome: Outcome) -> str:
    """Say which case was run, by whom, and what was seen."""
    case = outcome.case
    found = (
        comparison_in_words(_telling(outcome.comparisons))
        if outcome.comparisons
        else outcome.reason
    )
    if isinstance(case, FaultCase):
        return f"{case.name:<16}{case.topology:<16}{found}"
    return _bottleneck_in_words(outcome, f"{case.name:<26}{case.topology:<16}", found)


def _bottleneck_in_words(outcome: Outcome, tried: str, found: str) -> str:
    """Describe the outcome of a known bottleneck, and below it its last trial."""
    is_below = bool(outcome.comparisons) or outcome.is_left_out
    said = [outcome.reason, outcome.note] if is_below else [outcome.note]
    if outcome.is_left_out:
        found = ""
    noted = ": ".join(part for part in said if part)
    lines = wrap(noted, COLUMNS, initial_indent=INDENT, subsequent_indent=INDENT)
    return "\n".join([(tried + found).rstrip(), *lines])


def comparison_in_words(comparison: Comparison) -> str:
    """Say what was seen and what was expected."""
    name, divisor, digits, unit = _scale(comparison)
    seen = f"{comparison.seen / divisor:,.{digits}f}"
    expected = f"{comparison.expected / divisor:,.{digits}f}"
    bounds = (
        f" ± {comparison.tolerance / divisor:,.{digits}f}"
        if comparison.tolerance
        else ""
    )
    return f"{seen}{unit}{name}, expected {expected}{bounds}"


def machine_in_words(machine: Mapping[str, Any]) -> str:
    """Say what the engine's probe found this machine able to do."""
    late = Buckets(tuple(map(tuple, machine["timer_lateness_ns"])))
    gb_per_s = machine["loopback_bytes_per_s"]["median"] / 1e9
    calls_per_s = machine["system_calls_per_s"]["median"] / 1e6
    return (
        f"machine   loopback {gb_per_s:.1f} GB/s, {calls_per_s:.1f} M calls/s, "
        f"timers {late.quantile_ns(0.5) / 1000:.0f} µs late\n"
        f"          others {_share(machine['other_busy_share'])}, "
        f"stolen {_share(machine['steal_share'])} of {machine['cores']} cores"
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """Say in one line what came of all cases."""
    judged = [outcome for outcome in outcomes if not outcome.is_left_out]
    counts = {
        verdict: sum(outcome.verdict is verdict for outcome in judged)
        for verdict in Verdict
    }
    passed = f"{counts[Verdict.PASS]} of {len(judged)} cases passed"
    if left_out := len(outcomes) - len(judged):
        passed += f", {left_out} left out"
    failed = counts[Verdict.FAIL]
    disturbed = counts[Verdict.DISTURBED]
    return {
        Verdict.PASS: f"calibrated: {passed}",
        Verdict.FAIL: f"not calibrated: {failed} failed, {passed}",
        Verdict.DISTURBED: f"machine disturbed: {disturbed} not judged, {passed}",
    }[summarize(list(outcomes))]


def _telling(comparisons: Sequence[Comparison]) -> Comparison:
    """Return what a line shows: the first that is not as expected, else the first."""
    return next((each for each in comparisons if not each.is_met), comparisons[0])


def _share(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"


def _scale(comparison: Comparison) -> tuple[str, float, int, str]:
    """Return the name, what one unit is, how many digits, and the unit's sign."""
    figure = comparison.figure
    if figure in _SCALES:
        return _SCALES[figure]
    name, _, threshold = figure.partition("_from_")
    if threshold:
        served = " served" if name == "served" else ""
        is_whole = comparison.expected == round(comparison.expected)
        return f"{served} ≥ {threshold}", 1, 0 if is_whole else 1, ""
    return f" {figure.replace('_', ' ')}", 1, 0, ""


_SCALES = {
    "response_time_ns": ("", MS, 2, " ms"),
    "response_time_ns_max": (" longest", MS, 1, " ms"),
    "achieved_rate_per_s": ("", 1, 0, "/s"),
    "offered_rate_per_s": (" offered", 1, 0, "/s"),
    "on_time_share": (" on time", 0.01, 1, "%"),
    "resident_bytes": ("", MIB, 2, " MiB"),
}
