"""CPU time of cores, from two counters that disagree."""

import pytest

from autostrada.stats.evidence import worked_ns


@pytest.mark.parametrize(
    ("busy_ns", "idle_ns", "steal_ns", "expected_ns"),
    [
        (40, 60, 0, 40),
        (100, 90, 0, 10),  # every tick hits a busy moment of a mostly idle core
        (30, 60, 0, 30),  # uncounted work, or steal that is not reported
        (100, 60, 30, 10),
        (0, 110, 0, 0),  # in ticks, idle time may exceed the elapsed time
    ],
)
def test_the_smaller_value_is_used(busy_ns, idle_ns, steal_ns, expected_ns):
    found = worked_ns(span_ns=100, busy_ns=busy_ns, idle_ns=idle_ns, steal_ns=steal_ns)
    assert found == expected_ns
