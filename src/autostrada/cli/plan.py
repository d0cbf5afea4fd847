"""``autostrada plan``: the commands of each cell, to repeat a trial by hand."""

from autostrada.cli.options import (
    Contestants,
    Experiment,
    Only,
    Overrides,
    Quick,
    Workloads,
)


def plan(
    experiment: Experiment,
    contestant: Only = None,
    workload: Workloads = None,
    quick: Quick = False,
    overrides: Overrides = None,
    contestants: Contestants = None,
) -> None:
    """
    Print commands that reproduce a trial by hand.

    Each cell of the experiment has its own commands, to paste into two terminals.

    \b
    Example: autostrada plan race --contestant javascript-ws
    """  # noqa: D301
    from autostrada.runner.reproduction import Choice, print_plan

    print_plan(
        Choice(
            experiment=experiment,
            only=tuple(contestant or ()),
            is_quick=quick,
            overrides=tuple(overrides or ()),
            workloads=tuple(workload or ()),
            contestants=contestants,
        )
    )
