"""The errors of claims of several comparisons, and limits that are ours."""

from tests.unit.report.market import CLAIM, USUAL

from autostrada.report.claims import conclusions, errors_of
from autostrada.stats.claim import Finding
from autostrada.stats.sequential import ERROR_MAX, Errors


def test_one_of_two_alternatives_is_enough(measured):
    either = CLAIM.format(
        **USUAL | {"of": "json processes=1 stocks=1"},
        more="at_most = 1\n[[claim.comparisons]]\n"
        'metric = "received_per_client_per_s"\n'
        'of = { server = "ada-server", workload = "json processes=1 stocks=1" }\n'
        "at_least = 1",
    )
    [all_of] = conclusions(measured(either))
    assert all_of.finding is Finding.CONTRADICTED
    text = either.replace('reason = ""', 'reason = ""\neither = true')
    [one_of] = conclusions(measured(text))
    assert one_of.finding is Finding.CONFIRMED
    assert one_of.decisive is one_of.shown[1]


def test_the_error_of_what_one_comparison_shows_is_shared():
    assert errors_of(4, either=False) == Errors(contradicting=ERROR_MAX / 4)
    assert errors_of(4, either=True) == Errors(confirming=ERROR_MAX / 4)
    assert errors_of(1, either=False, claims=10) == Errors(
        confirming=ERROR_MAX / 10, contradicting=ERROR_MAX / 10
    )


def test_a_finding_says_whether_it_holds_for_all_conclusions_together(judged):
    assert judged[0].strictness.startswith("It ")
    assert judged[2].strictness == ""


def test_a_limit_of_ours_is_marked_with_its_basis(judge):
    conclusion = judge(
        'at_least = 1\nbasis = "more than none"', of="json processes=1 stocks=1"
    )
    assert "at least 1 (our limit: more than none): it is met" in (
        conclusion.shown[0].sentence.replace("1.00", "1")
    )
