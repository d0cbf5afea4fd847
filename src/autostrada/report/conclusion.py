"""A published conclusion with its finding: its data, and sentences made from them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from autostrada.errors import OutOfMemory
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import ClaimCondition, ClaimRequirement
from autostrada.report import metrics, number
from autostrada.report.bounds import MetricBounds
from autostrada.report.cell_names import cell_name, cell_names
from autostrada.report.results import Outcome
from autostrada.report.rounds import RequirementTest
from autostrada.report.text import listed
from autostrada.stats.claim import Finding, within
from autostrada.stats.interval import Interval
from autostrada.stats.metrics import METRICS, Group, Metric
from autostrada.stats.sequential import NO_OUTLOOK, Outlook
from autostrada.stats.verdict import Bottleneck, Verdict

LIMITED = "The load generator was the bottleneck: the contestants may do more"
"""Caution about a metric that does not depend only on the contestants."""

FINDING_TEXTS = {
    Finding.CONFIRMED: "it is met",
    Finding.CONTRADICTED: "it is not met",
    Finding.INCONCLUSIVE: "the interval includes values on both sides of the limit",
}
"""Whether a requirement is met, for each finding of a measured value."""

LATE = "The load generator sent late, so the contestants may be faster"
LATE_BETWEEN = "The load generator sent late, without which it would be at least "

CHANGED = "measured with other parameters than the experiment's file"
"""Reason why a comparison decides nothing in a quick run or a run with overrides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LongerTrials:
    """What trials of another duration show of the same cell."""

    duration_s: float
    instead_of_s: float
    ratio: float
    """Their value divided by that of the shorter trials."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequirementCell:
    """What a run knows of one cell of a requirement."""

    outcome: Outcome | None
    bounds: MetricBounds | None
    """The metric of the requirement; ``None`` if the cell lacks it."""

    longer: LongerTrials | None
    """The same in longer trials; ``None`` without any."""

    def caution(self, metric: Metric) -> str:
        """Say what the metric depends on except contestants; empty if on nothing."""
        verdict = self.outcome.verdict if self.outcome else None
        if verdict is None:
            return ""
        is_late = verdict.is_late and metric.group is Group.LATENCY
        if verdict.bottleneck is Bottleneck.LOAD_GENERATOR:
            return LIMITED
        if self.bounds and self.bounds.at_least:
            least = self.bounds.at_least.interval.median
            return f"{LATE_BETWEEN}{metrics.written(metric, least)}"
        return LATE if is_late else ""

    def written(self, metric: Metric) -> str:
        """Format the metric with its bounds; a lower bound is written as ``≥ low``."""
        assert self.bounds, "only what is known is written"
        interval = self.bounds.sampled.interval
        bounds = metrics.bounds(metric, interval)
        if bounds and interval.high == inf and interval.low == interval.median:
            return bounds
        written = self.bounds.sign + metrics.written(metric, interval.median)
        return f"{written} ({bounds})" if bounds else written

    @property
    def ended(self) -> str:
        """Why trials ended whose memory counts as a lower bound; empty without any."""
        if not (self.outcome and self.bounds and self.bounds.sampled.lower_bounds):
            return ""
        ended = [
            failed.message
            for failed in self.outcome.failures
            if failed.kind == OutOfMemory.kind
        ]
        return f" ({ended[-1]})"


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluatedRequirement:
    """A requirement of a claim with all that a run knows of it."""

    required: ClaimRequirement
    cells: tuple[RequirementCell, ...] = ()
    """The cell of the metric, and that of the denominator if there is one."""

    test: RequirementTest | None
    """``None`` if a metric is missing."""

    is_changed: bool = False
    """Whether the run changed the parameters of a cell, so that nothing is decided."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Names of contestants and workloads in the publication, by their names here."""

    @property
    def finding(self) -> Finding:
        """The finding by the cells of this requirement alone."""
        if self.test is None:
            return Finding.NOT_TESTED
        is_known = not self.is_changed and self.lasts
        return self.test.finding if is_known else Finding.INCONCLUSIVE

    @property
    def outlook(self) -> Outlook:
        """What more rounds are expected to show."""
        if self.test is None or self.is_changed or not self.lasts:
            return NO_OUTLOOK
        return self.test.outlook

    @property
    def value_if_longer(self) -> float:
        """The value if trials were as long as those that check it; ``inf`` to 0."""
        assert self.test, "only what was measured is checked"
        above, below = (
            cell.longer.ratio if cell.longer else 1.0
            for cell in (self.cells[0], self.cells[-1])
        )
        if self.required.to is None:
            return self.test.value * above
        return self.test.value * above / below if below else inf

    @property
    def lasts(self) -> bool:
        """Whether longer trials do not have a value on the other side of a limit."""
        found = self.test
        is_checked = any(cell.longer for cell in self.cells)
        if not is_checked or not found or found.finding is Finding.INCONCLUSIVE:
            return True
        value = self.value_if_longer
        if not value < inf:
            return True
        return self._finding_of(value) is found.finding

    def _finding_of(self, value: float) -> Finding:
        """Return the finding of a value that is exactly known."""
        return within(value, value, self.required.limits)

    @property
    def spread(self) -> float:
        """By how many times a cell differed from itself between rounds, at most."""
        rounds = [cell.bounds.sampled.by_round for cell in self.cells if cell.bounds]
        values = [[*each.values()] for each in rounds if self.test]
        return max(
            (max(value) / min(value) for value in values if min(value, default=0) > 0),
            default=1.0,
        )

    @property
    def is_positive(self) -> bool:
        """Whether its value is above 0 and finite, and has a limit above 0."""
        has_limit = bool(self.required.at_least or self.required.at_most)
        return has_limit and self.test is not None and 0 < self.test.value < inf

    @property
    def value(self) -> str:
        """
        A ratio or a metric with its bounds, of which a count has none.

        It is empty for a ratio to 0, and if a metric is missing.
        """
        found, metric = self.test, METRICS[self.required.metric]
        if found is None or found.value == inf:
            return ""
        if self.required.to is None:
            written = metrics.written(metric, found.value)
            interval = Interval(
                median=found.value,
                low=found.low,
                high=found.high,
                confidence=float(found.low > 0),
            )
            bounds = metrics.bounds(metric, interval)
        else:
            written = number.times(found.value)
            bounds = metrics.ratio_bounds(found.low, found.high, like=found.value)
        has_bounds = bounds and (found.low > 0 or found.high < inf)
        return f"{written} ({bounds})" if has_bounds else written

    @property
    def wanted(self) -> str:
        """The limits, as a part of a sentence."""
        required, metric = self.required, METRICS[self.required.metric]
        return " and ".join(
            f"{word} "
            + (number.times(limit) if required.to else metrics.written(metric, limit))
            for word, limit in (
                ("at least", required.at_least),
                ("at most", required.at_most),
            )
            if limit is not None
        )

    @property
    def sentence(self) -> str:
        """What was measured and required, and what else is known of the cells."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        metric = METRICS[self.required.metric]
        labels = cell_names(self.required.cells, self.names)
        named = [*zip(self.cells, labels.names, strict=True)]
        title = f"{metric.title[0].upper()}{metric.title[1:]}{labels.shared}"
        if self.test is None:
            missing = [
                f"{name} has no such metric ({_absence(cell.outcome)})"
                for cell, name in named
                if cell.bounds is None
            ]
            yield f"{title}: {listed(missing)}."
            return
        measured = "; ".join(
            f"{cell.written(metric)}, {name}{cell.ended}" for cell, name in named
        )
        compared = f": {self.value}" if self.required.to and self.value else ""
        yield f"{title}: {measured}{compared}."
        yield f"The claim requires {self.wanted}{self._reached(self.test)}."
        if self.is_changed:
            yield f"But it was {CHANGED}."
        if self.test.by_machine:
            yield self._of_machines(self.test)
        for cell, name in named:
            if longer := cell.longer:
                yield (
                    f"In trials of {number.exact(longer.duration_s)} s instead of "
                    f"{number.exact(longer.instead_of_s)} s, {name} had "
                    f"{number.times(longer.ratio)}."
                )
        if not self.lasts:
            longer_value = self._written(self.value_if_longer)
            yield f"With that it would be {longer_value}: nothing is decided."
        for cell, name in named:
            if caution := cell.caution(metric):
                yield f"{caution} ({name})."

    def _of_machines(self, found: RequirementTest) -> str:
        """Say what each machine showed, and whether they are within limits alike."""
        shown = (
            f"{self._written(value)} in {number.count(rounds, 'round')} on {machine}"
            for machine, (value, rounds) in found.by_machine.items()
        )
        values = [value for value, _ in found.by_machine.values()]
        is_agreed = len({self._finding_of(value) for value in values}) == 1
        title = "By machine" if is_agreed else "The machines disagree"
        return f"{title}: {'; '.join(shown)}."

    @property
    def short_reason(self) -> str:
        """Why there is no finding, in a few words; ``""`` if there is one."""
        if self.test is None:
            absent = (cell.outcome for cell in self.cells if cell.bounds is None)
            return next((_absence(outcome) for outcome in absent if outcome), "")
        if not self.lasts:
            return f"in longer trials it is {self._written(self.value_if_longer)}"
        is_open = self.test.finding is Finding.INCONCLUSIVE
        reason = "the interval is on both sides of the limit" if is_open else ""
        return self.test.reason or reason

    def _written(self, value: float) -> str:
        """Format a ratio, or a value of the metric."""
        if self.required.to:
            return number.times(value)
        return metrics.written(METRICS[self.required.metric], value)

    def _reached(self, found: RequirementTest) -> str:
        """Say on what the limits are based, and whether they are met."""
        basis = self.required.basis
        ours = f" (our limit: {basis})" if basis else ""
        if found.reason:
            return f"{ours}, and {found.reason}"
        count = number.count(found.rounds, "round")
        rounds = f", after {count}" if found.rounds else ""
        return f"{ours}: {FINDING_TEXTS[found.finding]}{rounds}"


@dataclass(frozen=True, kw_only=True, slots=True)
class EvaluatedCondition:
    """A condition of a claim and a cell that must meet it."""

    condition: ClaimCondition
    cell: Cell
    verdict: Verdict | None
    """``None`` if the cell was not measured."""

    names: Mapping[str, str]
    """Names of contestants and workloads in the publication, by their names here."""

    @property
    def is_met(self) -> bool:
        """Whether the cell was measured and meets the condition."""
        return (
            self.verdict is not None
            and self.verdict.bottleneck in self.condition.bottlenecks
        )

    @property
    def sentence(self) -> str:
        """How the cell does not meet the condition."""
        begin = f"The claim is about a setup in which {self.condition.text}"
        name = cell_name(self.cell, self.names)
        if self.verdict is None:
            return f"{begin}, and {name} was not measured."
        return f"{begin}, but the bottleneck of {name} was: {self.verdict.bottleneck}."


@dataclass(frozen=True, kw_only=True, slots=True)
class Conclusion:
    """A published conclusion and our finding for it."""

    text: str
    finding: Finding
    parts: tuple[EvaluatedRequirement, ...]
    reason: str
    """Why it cannot be tested or contradicted, or may be true elsewhere, or ``""``."""
    is_contradictable: bool = True
    """Whether it may be contradicted: a claim with a reason may be true elsewhere."""

    unmet: tuple[EvaluatedCondition, ...] = ()
    """The conditions of the claim that this run did not meet."""

    is_strict: bool = False
    """Whether the finding also holds if all claims share the error of one."""

    either: bool = False
    """Whether one of the comparisons is enough."""

    left_out: tuple[str, ...] = ()
    """Contestants that the machine does not have, whose comparisons are left out."""

    time_left: str = ""
    """How much more time is expected to decide it, as a sentence; ``""`` if none is."""

    @property
    def grounds(self) -> tuple[str, ...]:
        """The sentences that explain the finding; the first ones decide it."""
        decisive = self.decisive.sentence if self.decisive else ""
        without = (
            f"Left out, as not installed: {listed(self.left_out)}."
            if self.left_out
            else ""
        )
        unmet = (condition.sentence for condition in self.unmet)
        parts = (
            *(*unmet, self.reason, self.tally, decisive, self.strictness),
            *(self.repeated, without, self.time_left),
        )
        return tuple(filter(None, parts))

    @property
    def is_changed(self) -> bool:
        """Whether it is not decided because a quick run has other parameters."""
        is_open = self.finding is Finding.INCONCLUSIVE
        return is_open and any(each.is_changed for each in self.parts)

    @property
    def short_reason(self) -> str:
        """
        Why there is no finding, as a sentence for a table; ``""`` if there is one.

        That a quick run decides nothing is said once, above the table.
        """
        if self.finding in (Finding.CONFIRMED, Finding.CONTRADICTED):
            return ""
        if self.is_changed:
            return ""
        if self.unmet:
            return f"Not in a setup in which {self.unmet[0].condition.text}."
        is_part_contradicted = Finding.CONTRADICTED in {
            each.finding for each in self.parts
        }
        if self.reason and (is_part_contradicted or not self.parts):
            return self.reason
        open_ones = [each for each in self.parts if each.finding is self.finding]
        reason = next((each.short_reason for each in open_ones), "")
        sentence = f"{reason[:1].upper()}{reason[1:]}." if reason else ""
        return " ".join(filter(None, (sentence, self.time_left)))

    @property
    def strictness(self) -> str:
        """Whether it holds if all claims share an error, as a sentence, or ``""``."""
        if self.finding not in (Finding.CONFIRMED, Finding.CONTRADICTED):
            return ""
        return (
            "It also holds if all conclusions together share the error of one."
            if self.is_strict
            else "It does not hold if all conclusions together share the error of one."
        )

    @property
    def repeated(self) -> str:
        """How much equal trials differed in this run, as a sentence, or ``""``."""
        spread = max((each.spread for each in self.parts), default=1.0)
        if spread == 1:
            return ""
        times = number.times(spread)
        return f"Between rounds, a cell differed from itself by up to {times}."

    @property
    def decisive(self) -> EvaluatedRequirement | None:
        """The first comparison with the conclusion's finding; ``None`` without one."""
        same = (
            comparison
            for comparison in self.parts
            if comparison.finding is self.finding
        )
        return next(same, None)

    @property
    def value(self) -> str:
        """The value of the requirement that is shown; ``""`` if it has none."""
        return self.requirement.value if self.requirement else ""

    @property
    def wanted(self) -> str:
        """The limits of the requirement that is shown; ``""`` without one."""
        return self.requirement.wanted if self.requirement else ""

    @property
    def requirement(self) -> EvaluatedRequirement | None:
        """The decisive comparison; the first one without one."""
        return self.decisive or next(iter(self.parts), None)

    @property
    def tally(self) -> str:
        """Number of comparisons for each finding, as a sentence; empty for one."""
        if len(self.parts) < 2:
            return ""
        counts = tally([comparison.finding for comparison in self.parts])
        return f"Of {number.count(len(self.parts), 'comparison')} {counts}."


def has_findings(evaluated: Sequence[Conclusion]) -> bool:
    """Whether any conclusion was tested with the parameters of its experiment."""
    return any(
        each.finding is not Finding.NOT_TESTED and not each.is_changed
        for each in evaluated
    )


def tally(findings: Sequence[Finding]) -> str:
    """Count the findings, as a part of a sentence."""
    counts = Counter(findings)
    return listed(
        [
            f"{number.plain(counts[finding], 0)} "
            f"{'is' if counts[finding] == 1 else 'are'} {finding}"
            for finding in Finding
            if counts[finding]
        ]
    )


def _absence(outcome: Outcome | None) -> str:
    if outcome is None:
        return "not tested"
    return outcome.absence or "not known for this cell"
