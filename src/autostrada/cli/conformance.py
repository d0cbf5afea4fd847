"""``autostrada conformance``: run the Autobahn test suite against contestants."""

from typing import Annotated, Literal

import typer

from autostrada.cli.options import Contestants, Jobs, Names, option


def conformance(
    names: Names = None,
    groups: Annotated[
        str | None,
        option(
            "Groups of cases, separated by commas, or all.",
            "GROUP,...",
            "those without long cases; of reference all",
        ),
    ] = None,
    role: Annotated[
        Literal["client", "server"] | None,
        typer.Option(help="Only clients, or only servers.", show_default="both"),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Test again what has a result.")
    ] = False,
    jobs: Jobs = None,
    contestants: Contestants = None,
) -> None:
    """
    Run the Autobahn test suite against contestants.

    Their servers and clients are tested case by case (docs/conformance.md). The engine
    is tested if its name, reference, is given.

    \b
    Example: autostrada conformance javascript-ws --groups 9,12,13
    """  # noqa: D301
    from autostrada.conformance.command import check_conformance

    status = check_conformance(
        names or (), groups, role, contestants, is_repeated=again, jobs=jobs
    )
    raise typer.Exit(status)
