"""The commands of an experiment that are printed for copying."""

import pytest

from autostrada.cli.plan import plan
from autostrada.contestants.catalog import find_catalog
from autostrada.machine.host import this_host
from autostrada.runner.context import fitting_workloads
from autostrada.runner.reproduction import blocks

RACER = find_catalog().experiment("race").experiment.contestants[0]
"""A contestant of the experiment."""


def titles(**settings):
    return [block.partition("\n")[0] for block in blocks(**settings)]


@pytest.mark.parametrize("name", find_catalog().experiments())
def test_every_cell_of_our_experiments_has_its_commands(name):
    made = list(blocks(name))
    assert "autostrada build " in made[0]
    experiment = find_catalog().experiment(name).experiment
    has_certificate = any("autostrada certificate " in each for each in made[:2])
    assert has_certificate == experiment.has_tls
    of_a_run = ", at a load that only the rate of "
    cells = [each for each in made if "\n# clients, " in each or of_a_run in each]
    fitting, _ = fitting_workloads(experiment, this_host())
    assert len(cells) == len(set(cells)) == len(fitting.cells())


SMALL = """
title = "Small"
question = "How many?"
repetitions = 1
limit_s = 9
[[workload]]
name = "ramp"
kind = "echo"
window_s = 1
drain_s = 1
sweep = { connections = [125, 1000] }
"""


def test_overridden_parameters_are_shown(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    shown = titles(experiment=str(path), overrides=("ramp.sweep.connections=[7]",))
    assert shown == ["# ramp connections=7: reference serves reference"]


def test_the_printed_commands_are_those_of_the_plan(capsys):
    plan("race", contestant=[RACER], quick=True)
    made = blocks("race", only=(RACER,), is_quick=True)
    assert capsys.readouterr().out == "".join(f"{each}\n\n" for each in made)
