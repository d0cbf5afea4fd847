"""Formats outcomes and metrics of a calibration for terminals of 80 columns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.fault_cases import FaultCase
from autostrada.calibration.session import FaultOutcome, FaultVerdict, summarize
from autostrada.stats.buckets import Buckets

MS = 1_000_000
MIB = 1024 * 1024
INDENT = " " * 10
COLUMNS = 80


def describe_outcome(outcome: FaultOutcome) -> str:
    """Return a line with the case, its topology and the decisive metric or reason."""
    case = outcome.case
    found = (
        describe_comparison(_decisive(outcome.comparisons))
        if outcome.comparisons
        else outcome.reason
    )
    if isinstance(case, FaultCase):
        return _lines(f"{case.name:<16}{case.topology:<16}", found, "")
    return _describe_bottleneck(outcome, f"{case.name:<26}{case.topology:<16}", found)


def _describe_bottleneck(outcome: FaultOutcome, prefix: str, found: str) -> str:
    """Return a line with the outcome of a known bottleneck, and lines on its trial."""
    is_below = bool(outcome.comparisons) or outcome.is_left_out
    notes = [outcome.reason, outcome.note] if is_below else [outcome.note]
    if outcome.is_left_out:
        found = ""
    return _lines(prefix, found, ": ".join(note for note in notes if note))


def _lines(prefix: str, found: str, note: str) -> str:
    """Return a line that ends with ``found`` if that fits, and the rest below it."""
    if len(INDENT + prefix + found) > COLUMNS:
        found, note = "", ": ".join(part for part in (found, note) if part)
    lines = wrap(note, COLUMNS, initial_indent=INDENT, subsequent_indent=INDENT)
    return "\n".join([(prefix + found).rstrip(), *lines])


def describe_comparison(comparison: ExpectedMetric) -> str:
    """Return the measured and the expected value, with tolerance and unit."""
    name, divisor, digits, unit = _scale(comparison)
    seen = f"{comparison.seen / divisor:,.{digits}f}"
    expected = f"{comparison.expected / divisor:,.{digits}f}"
    bounds = (
        f" ± {comparison.tolerance / divisor:,.{digits}f}"
        if comparison.tolerance
        else ""
    )
    return f"{seen}{unit}{name}, expected {expected}{bounds}"


def describe_machine(machine: Mapping[str, Any]) -> str:
    """Return two lines with the engine's report on the machine."""
    late = Buckets(tuple(map(tuple, machine["timer_lateness_ns"])))
    gb_per_s = machine["loopback_bytes_per_s"]["median"] / 1e9
    calls_per_s = machine["system_calls_per_s"]["median"] / 1e6
    return (
        f"machine   loopback {gb_per_s:.1f} GB/s, {calls_per_s:.1f} M calls/s, "
        f"timers {late.quantile_ns(0.5) / 1000:.0f} µs late\n"
        f"          others {_share(machine['other_utilization'])}, "
        f"stolen {_share(machine['steal_share'])} of {machine['cores']} cores"
    )


def summary(outcomes: Sequence[FaultOutcome]) -> str:
    """Return one line with the result of all cases."""
    calibrated = [outcome for outcome in outcomes if not outcome.is_left_out]
    counts = Counter(outcome.verdict for outcome in calibrated)
    passed = f"{counts[FaultVerdict.PASS]} of {len(calibrated)} cases passed"
    if left_out := len(outcomes) - len(calibrated):
        passed += f", {left_out} left out"
    failed = counts[FaultVerdict.FAIL]
    disturbed = counts[FaultVerdict.DISTURBED]
    return {
        FaultVerdict.PASS: f"calibrated: {passed}",
        FaultVerdict.FAIL: f"not calibrated: {failed} failed, {passed}",
        FaultVerdict.DISTURBED: f"machine disturbed: {disturbed} not judged, {passed}",
    }[summarize(list(outcomes))]


def _decisive(comparisons: Sequence[ExpectedMetric]) -> ExpectedMetric:
    """Return the first comparison that is not met, or the first of all."""
    return next(
        (comparison for comparison in comparisons if not comparison.is_met),
        comparisons[0],
    )


def _share(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"


def _scale(comparison: ExpectedMetric) -> tuple[str, float, int, str]:
    """Return the name, the divisor, the number of digits and the unit of a metric."""
    metric = comparison.metric
    if metric in _SCALES:
        return _SCALES[metric]
    name, _, threshold = metric.partition("_from_")
    if threshold:
        served = " served" if name == "served" else ""
        is_whole = comparison.expected == round(comparison.expected)
        return f"{served} ≥ {threshold}", 1, 0 if is_whole else 1, ""
    return f" {metric.replace('_', ' ')}", 1, 0, ""


_SCALES = {
    "response_time_ns": ("", MS, 2, " ms"),
    "response_time_ns_max": (" longest", MS, 1, " ms"),
    "achieved_rate_per_s": ("", 1, 0, "/s"),
    "offered_rate_per_s": (" offered", 1, 0, "/s"),
    "on_time_share": (" on time", 0.01, 1, "%"),
    "resident_bytes": ("", MIB, 2, " MiB"),
    "server_cpu_ns": (" CPU", MS, 1, " ms"),
    "server_cpu_ns_per_message": (" CPU a message", 1000, 1, " µs"),
    "server_utilization": (" busy", 0.01, 0, " %"),
    "ms_per_100k": (" cold", 1, 1, " ms"),
    "slices_ns_per_message": (" in slices", 1, 1, " ns"),
}
