"""MessageCost of an echo, from a given result."""

from compare.bench import MessageCost
from compare.loads import cost


def test_the_cpu_time_is_the_sum_of_the_utilizations():
    result = {
        "exchange": {"echoed": 1000},
        "window_ns": 1_000_000,
        "utilizations": [0.5, 0.25],
    }
    assert cost(result) == MessageCost(wall_ns=1000, cpu_ns=750)
