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
    from autostrada.runner.reproduction import blocks

    for block in blocks(
        experiment,
        only=contestant or (),
        is_quick=quick,
        overrides=overrides or (),
        workloads=workload or (),
        contestants=contestants,
    ):
        print(block, end="\n\n")
