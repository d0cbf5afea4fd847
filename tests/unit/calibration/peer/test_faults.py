"""The effect of each fault on ten messages."""

import pytest

from autostrada.calibration.peer.faults import FaultInjector

MESSAGES = "abcdefgh"


def sent(**faults):
    injector = FaultInjector(faults)
    return ["".join(injector.apply(each)) for each in MESSAGES] + [
        "".join(injector.remaining())
    ]


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({}, "a b c d e f g h"),
        ({"lose_every": 3}, "a b  d e  g h"),
        ({"repeat_every": 3}, "a b cc d e ff g h"),
        ({"corrupt_every": 4}, "a b c e e f g i"),
        ({"swap_every": 3}, "a b  dc e  gf h"),
        ({"swap_every": 4}, "a b c  ed f g  h"),
        ({"burst": 3}, "  abc   def   gh"),
        ({"lose_every": 4, "burst": 2}, " ab   ce  fg"),
        ({"repeat_every": 2, "swap_every": 4}, "a bb c  edd ff g  hh"),
    ],
)
def test_messages_are_lost_duplicated_swapped_corrupted_and_delayed(faults, expected):
    assert " ".join(sent(**faults)).rstrip() == expected
