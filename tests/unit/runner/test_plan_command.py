"""The commands of an experiment that are printed for copying."""

import pytest

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import UsageError
from autostrada.machine.host import this_host
from autostrada.runner.context import fitting_workloads
from autostrada.runner.reproduction import Choice, blocks, print_plan

RACER = find_catalog().experiment("race").experiment.contestants[0]
SECURE = find_catalog().experiment("secure-100k").experiment.contestants[0]
"""A contestant of the experiment."""


def titles(**settings):
    return [block.partition("\n")[0] for block in blocks(Choice(**settings))]


@pytest.mark.parametrize("name", find_catalog().experiments())
def test_every_cell_of_our_experiments_has_its_commands(name):
    made = list(blocks(Choice(experiment=name)))
    assert "autostrada build " in made[0]
    experiment = find_catalog().experiment(name).experiment
    has_certificate = any("autostrada certificate " in each for each in made[:2])
    assert has_certificate == experiment.has_tls
    cells = [each for each in made if "\n# clients, " in each]
    fitting, _ = fitting_workloads(experiment, this_host())
    assert len(cells) == len(set(cells)) == len(fitting.cells())


def test_a_search_is_shown_at_its_first_value():
    shown = titles(experiment="secure-100k", is_quick=True, only=(SECURE,))
    title = f"# steady connections=125: {SECURE} serves reference"
    assert title in shown


def test_a_parameter_can_be_overridden():
    chosen = {"experiment": "secure-100k", "only": (SECURE,)}
    shown = titles(**chosen, overrides=("steady.search.first=7",))
    assert f"# steady connections=7: {SECURE} serves reference" in shown


def test_the_printed_commands_are_those_of_the_plan(capsys):
    choice = Choice(experiment="race", only=(RACER,), is_quick=True)
    print_plan(choice)
    assert capsys.readouterr().out == "".join(f"{each}\n\n" for each in blocks(choice))


def test_an_unknown_experiment_suggests_the_nearest():
    with pytest.raises(UsageError, match="did you mean race"):
        print_plan(Choice(experiment="rase"))
