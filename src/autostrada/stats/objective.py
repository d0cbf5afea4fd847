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

    Events that were not answered have no response time: the achieved share tells them,
    and whether the server fell behind.
    """
    if achieved_share < search.achieved_share_min:
        return (
            f"{achieved_share:.2%} of the offered load was achieved "
            f"(at least {search.achieved_share_min:.2%} is asked for)"
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
