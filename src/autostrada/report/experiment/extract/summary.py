"""An experiment in short, for an index."""

from collections import Counter

from autostrada.report.collection.summary import FAILED, Summary
from autostrada.report.experiment.conclusion import conclusions, headline
from autostrada.report.experiment.published import limit_word
from autostrada.report.experiment.results import Results


def experiment_summary(results: Results) -> Summary:
    """Return what became of the published conclusions, and what held cells back."""
    judged = conclusions(results)
    outcomes = results.outcomes.values()
    limits = Counter(limit_word(each) for each in outcomes if each.verdict)
    failed = sum(bool(each.failures) and not each.measured for each in outcomes)
    return Summary(
        headline=headline(judged, results),
        verdicts=dict(limits.most_common()) | ({FAILED: failed} if failed else {}),
        claims=dict(Counter(str(each.holding) for each in judged).most_common()),
    )
