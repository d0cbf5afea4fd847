"""Confidence of a search in its edges."""

import pytest

from autostrada.stats.confidence import edges_confidence

YES, NO = True, False


@pytest.mark.parametrize(
    ("met", "violated", "confidence"),
    [
        ([YES], [NO], 0),
        ([YES] * 3, [NO] * 3, 0.75),
        ([YES] * 5, [NO] * 5, 1 - 2 / 32),
        ([YES] * 6, [NO] * 6, 1 - 2 / 64),
        # Two of three or more: 4 of 8; three of three: 1 of 8.
        ([YES, NO, YES], [NO] * 3, 1 - 4 / 8 - 1 / 8),
        ([YES, NO, YES], [NO, YES, NO], 0),
    ],
)
def test_the_confidence_follows_from_agreeing_trials(met, violated, confidence):
    assert edges_confidence(met, violated) == pytest.approx(confidence)
