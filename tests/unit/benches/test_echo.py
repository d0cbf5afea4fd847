"""What an echo costs, of a result put in by hand."""

from compare.echo import Cost, cost


def test_the_busy_shares_of_all_threads_are_the_cpu_time():
    result = {
        "exchange": {"echoed": 1000},
        "window_ns": 1_000_000,
        "busy_shares": [0.5, 0.25],
    }
    assert cost(result) == Cost(wall_ns=1000, cpu_ns=750)
