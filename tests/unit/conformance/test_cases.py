"""The reports of the suite."""

import json

from autostrada.conformance.cases import read_outcomes
from autostrada.contestants.conformance import CaseOutcome


def test_the_reports_of_the_suite_are_read(tmp_path):
    row = {"behavior": "OK", "behaviorClose": "UNCLEAN", "reportfile": "one.json"}
    (tmp_path / "index.json").write_text(json.dumps({"program": {"12.1.3": row}}))
    unclean = CaseOutcome(behavior="OK", close="UNCLEAN")
    assert read_outcomes(tmp_path) == {"12.1.3": unclean}


def test_reports_without_connections_have_no_outcomes(tmp_path):
    (tmp_path / "index.json").write_text("{}")
    assert read_outcomes(tmp_path) == {}
