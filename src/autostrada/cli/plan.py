"""``autostrada plan``: print the commands that reproduce a trial of each cell."""

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

    The commands of each cell are for two terminals.

    \b
    Example: autostrada plan race --contestant javascript-ws
    """  # noqa: D301
    from autostrada.runner.reproduction import PlanOptions, print_plan

    print_plan(
        PlanOptions(
            experiment=experiment,
            only=tuple(contestant or ()),
            is_quick=quick,
            overrides=tuple(overrides or ()),
            workloads=tuple(workload or ()),
            contestants=contestants,
        )
    )
