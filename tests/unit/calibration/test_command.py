"""Which cases are chosen, and which results are stored."""

from autostrada.calibration.bottlenecks import known_bottlenecks
from autostrada.calibration.command import choose, readings
from autostrada.calibration.comparison import ExpectedMetric
from autostrada.calibration.fault_cases import FaultTopology, fault_cases
from autostrada.stats.verdict import Bottleneck


def test_a_name_stands_for_all_its_topologies_and_none_for_all_cases():
    assert choose(fault_cases(), ()) == fault_cases()
    chosen = choose(fault_cases(), ("lose-echo",))
    assert [each.topology for each in chosen] == list(FaultTopology)
    [chosen] = choose([*fault_cases(), *known_bottlenecks()], ("verdict-network",))
    assert chosen.bottleneck is Bottleneck.NETWORK


def test_each_metric_is_a_row_and_a_disturbance_a_row_without_metric(outcome):
    missing = ExpectedMetric(metric="missing", seen=1, expected=1)
    wrong = ExpectedMetric(metric="wrong", seen=2, expected=0, tolerance=1)
    judged = outcome("fail", missing, wrong, name="lose-echo")
    disturbed = outcome("disturbed", name="burst-5", reason="others", attempts=5)
    rows = list(readings([judged, disturbed]))
    assert [(row.fault_case, row.outcome, row.metric) for row in rows] == [
        ("lose-echo", "pass", "missing"),
        ("lose-echo", "fail", "wrong"),
        ("burst-5", "disturbed", None),
    ]
    assert (rows[1].seen, rows[1].expected, rows[1].tolerance) == (2, 0, 1)
    assert (rows[2].reason, rows[2].attempts, rows[2].seen) == ("others", 5, None)
