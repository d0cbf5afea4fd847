"""When all is well in a trial of a search."""

from collections.abc import Sequence

from autostrada.plan.workload import Search
from autostrada.stats.histogram.values import Value, quantile_ns

IS_WELL = "is_well"
"""The figure of a search's trials: 1 where all was well, 0 where not."""


def bots_are_well(
    search: Search, achieved_share: float, response_times: Sequence[Value]
) -> bool:
    """
    Return whether bots were answered as a search asks for.

    Events that were not answered have no response time: that they are few is the
    business of the achieved share.
    """
    if achieved_share < search.achieved_share_min:
        return False
    if search.response_time_ms_max is None:
        return True
    reached_ns = quantile_ns(response_times, search.response_time_quantile)
    return reached_ns <= search.response_time_ms_max * 1e6
