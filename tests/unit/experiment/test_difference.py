"""Points that a quick run or overridden parameters change."""

import pytest

from autostrada.experiment.difference import changed_points
from autostrada.experiment.experiment import parse_experiment
from autostrada.experiment.override import experiment_for_run

WHOLE = parse_experiment(
    """
    title = "Hold"
    question = "How many?"
    repetitions = 1
    limit_s = 60

    [[workload]]
    name = "hold"
    kind = "feed"
    feed = "clock"
    seconds = 10
    every_ms = 2000
    connections = 10

    [[workload]]
    name = "soak"
    kind = "feed"
    feed = "clock"
    seconds = 600
    quick = { sweep = { connections = [10] } }
    sweep = { connections = [10, 20] }

    [[workload]]
    name = "short"
    kind = "feed"
    feed = "clock"
    seconds = 60
    quick = { seconds = 1 }
    """,
    origin="hold.toml",
)


@pytest.mark.parametrize(
    ("is_quick", "overrides", "changed"),
    [
        (False, [], set()),
        (True, [], {"short"}),
        (False, ["soak.sweep.connections=[20]"], set()),
        (False, ["soak.sweep.connections=[5, 20]"], {"soak connections=5"}),
        (
            False,
            ["soak.seconds=60"],
            {"soak connections=10", "soak connections=20"},
        ),
        (False, ["short.seconds=60"], set()),
        (False, ["hold.seconds=60"], {"hold"}),
    ],
)
def test_changed_points_are_detected(is_quick, overrides, changed):
    run = experiment_for_run(WHOLE, is_quick=is_quick, overrides=overrides)
    assert changed_points(run, WHOLE) == changed
