"""Which failures of a side in the Autobahn test suite are new."""

from dataclasses import replace

import pytest
from tests.unit.contestants.conftest import CatalogBuilder

from autostrada.conformance.cases import SHORT_GROUPS
from autostrada.conformance.suite import suite_version
from autostrada.contestants.build import Builder
from autostrada.contestants.conformance import (
    CaseOutcome,
    Conformance,
    write_conformance,
)
from autostrada.errors import UsageError
from autostrada.regress.conformance import compare_conformance
from autostrada.regress.sides import RegressSide

FAILED = CaseOutcome(behavior="FAILED", close="OK")
NOT_STRICT = CaseOutcome(behavior="NON-STRICT", close="OK")


@pytest.fixture
def compared(tmp_path):
    """Return a function that compares two clients with known outcomes of cases."""
    site = CatalogBuilder(tmp_path)
    site.add("slow")
    builder = Builder.of(site.catalog)

    def compare(before, after):
        sides = []
        for name, others in (("ada-fast", before), ("ada-slow", after)):
            contestant = site.contestants[name]
            builder.build(contestant, announce=lambda _: None)
            cases = dict.fromkeys(SHORT_GROUPS, 10)
            result = Conformance(suite=suite_version(), cases=cases, others=others)
            write_conformance(builder, contestant, "client", result)
            sides.append(RegressSide(label=name, contestant=contestant))
        return [*compare_conformance(sides, builder).lines]

    return compare


def test_only_cases_that_the_other_side_passes_count(compared):
    both = {"1.1.1": FAILED, "2.1": NOT_STRICT}
    passed = "passed: conformance: client: fails no case that A passes"
    assert compared(both, both) == [passed]
    assert compared(both, {}) == [passed]
    new = both | {"2.1": FAILED, "6.4.1": FAILED, "6.4.2": FAILED}
    failed = "failed: conformance: client: fails 2.1, 6.4.1-6.4.2, which A passes"
    assert compared(both, new) == [failed]


def test_sides_that_the_suite_cannot_test_are_refused(tmp_path):
    site = CatalogBuilder(tmp_path)
    fast = site.contestants["ada-fast"]
    manifest = fast.manifest.model_copy(update={"protocol": "framed-tcp"})
    framed = replace(fast, manifest=manifest)
    sides = [RegressSide(label="a", contestant=framed)] * 2
    with pytest.raises(UsageError, match="can test no program of both sides"):
        compare_conformance(sides, Builder.of(site.catalog))
