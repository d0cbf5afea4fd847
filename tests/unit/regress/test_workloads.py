"""Which workloads two sides are measured with."""

from pathlib import Path

import pytest

from autostrada.contestants.contestant import parse_manifest
from autostrada.errors import UsageError
from autostrada.experiment.experiment import read_experiment
from autostrada.experiment.override import experiment_for_run
from autostrada.regress.workloads import WORKLOADS, choose_workloads
from autostrada.report.compare.rounds import ROWS_MAX, SHOWN, planned_rows
from autostrada.stats.equivalence import LOOKS

BASE = 'library = "fast"\nhomepage = ""\nversion.command = ["echo", "1"]\n'
SERVER = '[server]\ncommand = ["./server"]\ntls = true\ndeflate = true\n'
CLIENT = """
[client]
command = ["./client"]
delivers = "bytes"
validates_utf8 = true
"""
EXPERIMENT = read_experiment(WORKLOADS)[0]
HOUR_S = 3600.0


def side(name, text=SERVER + CLIENT, more=""):
    return parse_manifest(BASE + more + text, folder=Path(f"ada-{name}"))[0]


def test_two_sides_with_everything_have_all_workloads_and_no_more_rows_than_fit():
    sides = [side("old"), side("new")]
    chosen = choose_workloads(EXPERIMENT, sides, HOUR_S)
    assert chosen.left_out == ()
    assert chosen.names == tuple(each.name for each in EXPERIMENT.workload)
    changed = experiment_for_run(
        EXPERIMENT, is_quick=False, overrides=chosen.overrides, workloads=chosen.names
    )
    cells = changed.chosen_cells([each.name for each in sides])
    ends = [{cell.server, cell.client} - {"reference"} for cell in cells]
    assert ends.count({"ada-old"}) == ends.count({"ada-new"}) == len(chosen.names)
    points = [each for each in EXPERIMENT.workload if each.name in chosen.names]
    assert {name for name, _ in planned_rows(points)} == {*SHOWN}
    assert len(planned_rows(points)) <= ROWS_MAX
    assert chosen.rounds_max == LOOKS[-1]


def test_what_a_side_lacks_is_left_out_with_the_reason():
    old, new = side("old", SERVER), side("new", SERVER.replace("tls = true", ""))
    chosen = choose_workloads(EXPERIMENT, [old, new], HOUR_S)
    reasons = dict(text.split(": ", 1) for text in chosen.left_out)
    assert "ada-old has no [client]" in reasons["receive"]
    assert "server.tls is false" in reasons["echo-tls"]
    echoes = {"echo", "echo-16k", "echo-deflate", "echo-rate"}
    assert {*chosen.names} == {*echoes, "publish"}
    with pytest.raises(UsageError, match="no workload in common: echo: "):
        choose_workloads(EXPERIMENT, [old, side("last", CLIENT)], HOUR_S)


def test_a_short_budget_keeps_the_most_important_workloads():
    sides = [side("old"), side("new")]
    chosen = choose_workloads(EXPERIMENT, sides, 480.0)
    names = [each.name for each in EXPERIMENT.workload]
    kept = len(chosen.names)
    assert 1 < kept < len(names)
    assert chosen.names == tuple(names[:kept])
    assert f"{names[kept]}: it needs a --budget of" in chosen.left_out[0]
    assert choose_workloads(EXPERIMENT, sides, 1.0).names == ("echo",)
    # A side that warms up for long leaves less time for others.
    slow = side("slow", SERVER + "warm_up_s = 10\n")
    assert choose_workloads(EXPERIMENT, [slow, slow], 480.0).names == ("echo",)


def test_the_workloads_that_a_condition_needs_precede_the_others():
    sides = [side("old"), side("new")]
    metrics = ("p99", "cpu")
    chosen = choose_workloads(EXPERIMENT, sides, 600.0, metrics=metrics)
    assert chosen.names[:2] == ("echo", "echo-rate")
    with pytest.raises(UsageError, match=r"cannot judge p99: echo: .* no \[server"):
        choose_workloads(EXPERIMENT, [side("c", CLIENT)] * 2, 360.0, metrics=metrics)
    closed = EXPERIMENT.model_copy(update={"workload": EXPERIMENT.workload[:1]})
    with pytest.raises(UsageError, match="cannot judge p99: no workload has it"):
        choose_workloads(closed, sides, 360.0, metrics=metrics)
