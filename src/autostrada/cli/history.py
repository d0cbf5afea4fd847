"""``autostrada history``: earlier loads."""

from typing import Annotated

from autostrada.cli.options import argument


def history(
    name: Annotated[
        str | None, argument("Show the loads of this name.", "[NAME]", "all names")
    ] = None,
) -> None:
    """
    List the names of earlier loads, or the loads of one name.

    \b
    Example: autostrada history before
    """  # noqa: D301
    from rich.console import Console

    from autostrada.report.history import loads_called, loads_of_name, names, read_loads

    loads = read_loads()
    tables = loads_of_name(loads_called(name, loads)) if name else names(loads)
    console = Console()
    for table in tables:
        console.print(table)
