"""Results of the Autobahn test suite: their counts, and how they are stored."""

import pytest

from autostrada.contestants.build import Builder
from autostrada.contestants.conformance import (
    CaseOutcome,
    Conformance,
    case_ranges,
    failed_cases,
    read_conformance,
    write_conformance,
)

PASSED = CaseOutcome(behavior="OK", close="OK")
INFORMATIONAL = CaseOutcome(behavior="INFORMATIONAL", close="INFORMATIONAL")
NON_STRICT = CaseOutcome(behavior="NON-STRICT", close="OK")
UNCLEAN = CaseOutcome(behavior="OK", close="UNCLEAN")
RESULT = Conformance.of(
    "25.10.1",
    {
        "12.1.1": PASSED,
        "2.10": UNCLEAN,
        "2.9": UNCLEAN,
        "1.1": INFORMATIONAL,
        "1.2": NON_STRICT,
    },
)


@pytest.fixture
def builder(catalog_builder):
    builder = Builder.of(catalog_builder.catalog)
    builder.target(catalog_builder.contestants["ada-fast"]).mkdir(parents=True)
    return builder


@pytest.fixture
def contestant(catalog_builder):
    return catalog_builder.contestants["ada-fast"]


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (PASSED, "passed"),
        (NON_STRICT, "non-strict"),
        (INFORMATIONAL, "informational"),
        (UNCLEAN, "failed"),
        (CaseOutcome(behavior="NON-STRICT", close="WRONG CODE"), "failed"),
    ],
)
def test_the_worse_of_behavior_and_close_is_the_kind(outcome, kind):
    assert outcome.kind == kind


def test_a_result_counts_cases_and_keeps_them_in_order():
    assert list(RESULT.cases.items()) == [("1", 2), ("2", 2), ("12", 1)]
    assert RESULT.failed == ("2.9", "2.10")
    assert RESULT.counts() == {
        "passed": 1,
        "non-strict": 1,
        "informational": 1,
        "failed": 2,
    }


def test_a_newer_result_replaces_its_groups():
    newer = Conformance.of("25.10.1", {"2.9": PASSED, "3.1": UNCLEAN})
    complete = RESULT.updated(newer)
    assert list(complete.cases.items()) == [("1", 2), ("2", 1), ("3", 1), ("12", 1)]
    assert list(complete.others) == ["1.1", "1.2", "3.1"]


def test_a_result_is_read_as_it_was_written(builder, contestant):
    write_conformance(builder, contestant, "client", RESULT)
    assert read_conformance(builder, contestant, "client") == RESULT
    assert failed_cases(builder, contestant, "client") == ("2.9", "2.10")


def test_a_result_is_that_of_a_role_and_a_variant(builder, contestant, catalog_builder):
    write_conformance(builder, contestant, "client", RESULT)
    variant = catalog_builder.contestants["ada-fast+tasks"]
    assert builder.target(variant) == builder.target(contestant)
    assert failed_cases(builder, variant, "client") is None
    assert failed_cases(builder, contestant, "server") is None


def test_changed_sources_are_not_tested(builder, contestant):
    write_conformance(builder, contestant, "client", RESULT)
    (contestant.folder / "client.adb").write_text("begin")
    assert failed_cases(builder, contestant, "client") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"suite": "1", "others": []}'])
def test_an_incomplete_file_is_no_result(builder, contestant, text):
    write_conformance(builder, contestant, "client", RESULT)
    (path,) = builder.target(contestant).iterdir()
    path.write_text(text)
    assert failed_cases(builder, contestant, "client") is None


@pytest.mark.parametrize(
    ("cases", "text"),
    [
        ([], ""),
        (["2.1"], "2.1"),
        (["7.5.1", "6.4.4", "2.1", "6.4.2", "6.4.3"], "2.1, 6.4.2-6.4.4, 7.5.1"),
        (["2.9", "2.10", "2.11"], "2.9-2.11"),
        (["1.1.1", "1.2.2", "2.1.2"], "1.1.1, 1.2.2, 2.1.2"),
    ],
)
def test_consecutive_cases_are_a_range(cases, text):
    assert case_ranges(cases) == text
