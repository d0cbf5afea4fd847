"""What cores did, of which two counters tell different things."""

import pytest

from autostrada.stats.evidence import worked_ns


@pytest.mark.parametrize(
    ("busy_ns", "idle_ns", "steal_ns", "expected_ns"),
    [
        (40, 60, 0, 40),
        (100, 90, 0, 10),  # every tick finds a core at work that is mostly idle
        (30, 60, 0, 30),  # somebody is not counted, or the hypervisor says nothing
        (100, 60, 30, 10),
        (0, 110, 0, 0),  # told in ticks, idle time may be more than there was
    ],
)
def test_the_smaller_reading_is_believed(busy_ns, idle_ns, steal_ns, expected_ns):
    found = worked_ns(span_ns=100, busy_ns=busy_ns, idle_ns=idle_ns, steal_ns=steal_ns)
    assert found == expected_ns
