"""The evidence of each cell, as a verdict requires it."""

from autostrada.experiment.matrix import Cell
from autostrada.report.evidence import read_evidence
from autostrada.stats.evidence import Pacing


def test_each_counted_measurement_has_its_evidence(reader):
    evidence = read_evidence(reader, 1)
    assert len(evidence) == 8
    crashed_once = evidence[Cell(client="cobol-mid", workload="batched")]
    assert len(crashed_once) == 4
    of_one = crashed_once[0]
    assert (of_one.sender, of_one.pacing) == ("server", Pacing.CONTINUOUS)
    assert (of_one.server.is_engine, of_one.client.is_engine) == (True, False)
    assert (of_one.server.utilization, of_one.blocked_share) == (0.1, 0.8)


def test_a_disturbed_trial_that_was_repeated_is_no_evidence(reader):
    repeated = read_evidence(reader, 1)[Cell(client="bash-slow", workload="one-by-one")]
    assert [each.disturbance for each in repeated] == [""] * 5
