"""When all is well in a trial of a search, and if it is not, why."""

from collections.abc import Sequence

from autostrada.experiment.workload import Search
from autostrada.stats.durations import Value, quantile_ns

IS_WELL = "is_well"
"""The figure of a search's trials: 1 where all was well, 0 where not."""


def bots_unwellness(
    search: Search, achieved_share: float, response_times: Sequence[Value]
) -> str:
    """
    Say why bots were not answered as a search asks for; ``""`` where they were.

    Events that were not answered have no response time: that they are few is the
    business of the achieved share.
    """
    if achieved_share < search.achieved_share_min:
        return (
            f"{1 - achieved_share:.2%} of the events were not answered, and "
            f"{1 - search.achieved_share_min:.2%} may be"
        )
    if search.response_time_ms_max is None:
        return ""
    reached_ms = quantile_ns(response_times, search.response_time_quantile) / 1e6
    if reached_ms <= search.response_time_ms_max:
        return ""
    return (
        f"the response time was {reached_ms:,.1f} ms at the quantile "
        f"{search.response_time_quantile:g}, and {search.response_time_ms_max:,g} ms "
        f"are allowed"
    )
