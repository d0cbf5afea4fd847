"""``autostrada cost``: estimate the cost of a million users per month."""

from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, Store


def cost(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run's number, FILE or FILE#RUN.", show_default=False
        ),
    ],
    core_hour: Annotated[
        float, typer.Option(min=0, help="Price of a core per hour.", metavar="PRICE")
    ],
    gib_hour: Annotated[
        float, typer.Option(min=0, help="Price of a GiB per hour.", metavar="PRICE")
    ],
    messages_per_user_s: Annotated[
        float, typer.Option(min=0, help="Messages per user and second.", metavar="RATE")
    ],
    store: Store = DEFAULT_STORE,
) -> None:
    """
    Estimate the cost of a million users per month.

    The estimate is based on a run's CPU time and memory, and on the given prices.

    \b
    Example: autostrada cost 13 --core-hour 0.04 --gib-hour 0.005
             --messages-per-user-s 1
    """  # noqa: D301
    from rich.console import Console

    from autostrada.report.cost import CostRequest, print_cost
    from autostrada.stats.efficiency import Prices

    request = CostRequest(
        run=run,
        store=store,
        prices=Prices(core_hour=core_hour, gib_hour=gib_hour),
        messages_per_user_s=messages_per_user_s,
    )
    print_cost(request, Console())
