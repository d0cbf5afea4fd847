"""The answer to an experiment's question: its sentences with the metrics of a run."""

from collections import defaultdict
from math import inf

from autostrada.experiment.answer import Answer, AnswerMetric
from autostrada.report import metrics, number
from autostrada.report.bounds import Bounds, ratio_bounds
from autostrada.report.results import Results, metric_bounds
from autostrada.report.text import listed
from autostrada.stats.metrics import METRICS


def answers(results: Results) -> list[str]:
    """
    Return the sentences of the answer for which the run has all metrics.

    A sentence states bounds as bounds. If a comparison includes no difference, it
    states both ends of the interval, and a further sentence says that this is
    inconclusive.
    """
    written = (_answer(answer, results) for answer in results.experiment.answer)
    return [sentence for sentence in written if sentence]


def _answer(answer: Answer, results: Results) -> str:
    """Return one sentence with its reservations; empty if a metric is missing."""
    texts: dict[str, str] = {}
    titles: dict[str, list[str]] = defaultdict(list)
    for name, wanted in answer.metrics.items():
        bounds = _read_bounds(wanted, results)
        if bounds is None:
            return ""
        texts[name] = _text(wanted, bounds)
        if reason := _inconclusive_reason(wanted, bounds):
            titles[reason].append(METRICS[wanted.metric].title)
    reservations = (
        f"Inconclusive, because {reason}: {listed([*dict.fromkeys(named)])}."
        for reason, named in titles.items()
    )
    return " ".join([answer.text.format_map(texts), *reservations])


def _read_bounds(wanted: AnswerMetric, results: Results) -> Bounds | None:
    """Return what the run knows of a metric; ``None`` if a metric is missing."""
    metric = METRICS[wanted.metric]
    above = metric_bounds(wanted.of.cell, metric, results)
    if above is None or wanted.to is None:
        return above
    below = metric_bounds(wanted.to.cell, metric, results)
    return ratio_bounds(above, below) if below else None


def _text(wanted: AnswerMetric, bounds: Bounds) -> str:
    """Write a metric in the middle of a sentence."""
    if wanted.to is None:
        return _value(wanted, bounds)
    if _is_unbounded(bounds):
        return f"about {_compared(wanted, bounds.value)}"
    if bounds.high == inf:
        return _bound(wanted, bounds.low, is_lower=True)
    if bounds.low <= 0:
        return _bound(wanted, bounds.high, is_lower=False)
    return _between(wanted, bounds)


def _value(wanted: AnswerMetric, bounds: Bounds) -> str:
    metric = METRICS[wanted.metric]
    if bounds.high == inf:
        return f"at least {metrics.written(metric, bounds.low)}"
    if bounds.low == -inf:
        return f"at most {metrics.written(metric, bounds.high)}"
    return metrics.written(metric, bounds.value)


def _between(wanted: AnswerMetric, bounds: Bounds) -> str:
    """Write a ratio with its bounds; these alone if they include 1."""
    value = _compared(wanted, bounds.value)
    if not bounds.confidence:
        return f"about {value}"
    ends = (bounds.low, bounds.high)
    if bounds.low <= 1 <= bounds.high:
        low, high = (_compared(wanted, end) for end in ends)
        return low if low == high else f"between {low} and {high}"
    if wanted.words is None:
        low, high = (number.times(end) for end in ends)
    else:
        shares = sorted(abs(end - 1) for end in ends)
        low, high = (number.percent(share) for share in shares)
    return value if low == high else f"{value} ({low} to {high})"


def _compared(wanted: AnswerMetric, ratio: float) -> str:
    """Write a ratio, or the difference in percent with its word."""
    if wanted.words is None:
        return number.times(ratio)
    more, less = wanted.words
    share = abs(ratio - 1)
    return f"{number.percent(share)} {more if ratio >= 1 else less}"


def _bound(wanted: AnswerMetric, ratio: float, *, is_lower: bool) -> str:
    """Write a bound of a ratio; a difference below 1 has a bound of the other side."""
    is_less = wanted.words is not None and ratio < 1
    word = "least" if is_lower is not is_less else "most"
    return f"at {word} {_compared(wanted, ratio)}"


def _is_unbounded(bounds: Bounds) -> bool:
    """Return whether a ratio has neither a lower nor an upper bound."""
    return bounds.low <= 0 and bounds.high == inf


def _inconclusive_reason(wanted: AnswerMetric, bounds: Bounds) -> str:
    """Return why a comparison is inconclusive; empty if it is conclusive."""
    if wanted.to is None:
        return ""
    if _is_unbounded(bounds):
        return "both values are bounds"
    if not bounds.confidence:
        return "one repetition has no interval"
    if 0 < bounds.low <= 1 <= bounds.high < inf:
        return "the interval of the ratio includes 1"
    return ""
