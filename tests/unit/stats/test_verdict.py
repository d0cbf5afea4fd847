"""Verdicts, at and around every threshold."""

import pytest

from autostrada.stats.verdict import Limit, Load, judge


def load(server, blocked, client):
    return Load(
        server_busy_share=server, server_blocked_share=blocked, client_busy_share=client
    )


@pytest.mark.parametrize(
    ("server", "blocked", "client", "limit"),
    [
        (1.00, 0.00, 1.00, Limit.SERVER),
        (0.90, 0.05, 0.20, Limit.SERVER),
        (0.89, 0.05, 0.90, Limit.BOTH),
        (0.89, 0.05, 0.89, Limit.UNCLEAR),
        (0.51, 0.49, 1.20, Limit.BOTH),
        (0.51, 0.49, 0.50, Limit.UNCLEAR),
        (0.50, 0.10, 0.90, Limit.CLIENT),
        (0.50, 0.50, 0.10, Limit.CLIENT),
        (0.10, 0.49, 0.89, Limit.UNCLEAR),
    ],
)
def test_the_limit_follows_from_the_shares(server, blocked, client, limit):
    assert judge([load(server, blocked, client)]).limit is limit


def test_only_a_server_that_is_the_limit_makes_a_lower_bound():
    assert judge([load(0.95, 0, 1)]).is_lower_bound
    assert not judge([load(0.7, 0, 1)]).is_lower_bound
    assert not judge([load(0.2, 0.8, 1)]).is_lower_bound


def test_the_medians_of_the_trials_decide():
    verdict = judge([load(0.2, 0.8, 1), load(0.99, 0, 1), load(0.3, 0.6, 0.9)])
    assert verdict.load == load(0.3, 0.6, 1)
    assert verdict.limit is Limit.CLIENT


def test_the_evidence_is_a_sentence_with_the_shares():
    assert judge([load(0.234, 0.7, 1.256)]).evidence == (
        "The server was busy 23% of the time and waited for the client 70%; "
        "the client used 126% of a core."
    )


def test_no_trials_are_refused():
    with pytest.raises(AssertionError, match="no trials"):
        judge([])
