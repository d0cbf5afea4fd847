"""An experiment in short, for an index."""

from collections import Counter
from collections.abc import Sequence

from autostrada.report.collection.summary import FAILED, Summary
from autostrada.report.experiment.conclusion import Conclusion, conclusions, headline
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
        claims=counted_claims(judged),
        publication=publication_of(results),
    )


def counted_claims(judged: Sequence[Conclusion]) -> dict[str, int]:
    """Count conclusions by what became of them, the most frequent first."""
    return dict(Counter(str(each.holding) for each in judged).most_common())


def publication_of(results: Results) -> str:
    """Return the title of what was published; ``""`` where nothing was."""
    return results.publication.title if results.publication else ""
