"""``autostrada regress``: did a change make it slower?"""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.options import (
    DEFAULT_STORE,
    Contestants,
    Json,
    Markdown,
    Seed,
    Store,
)


def regress(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="Baseline: a contestant, CONTESTANT==VERSION of its library, or a "
            "folder with a manifest; with --git a revision.",
            show_default=False,
        ),
    ],
    after: Annotated[
        str,
        typer.Argument(
            metavar="B", help="Compared with A; same forms as A.", show_default=False
        ),
    ],
    contestant: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONTESTANT]",
            help="With --git: what measures the library.",
            show_default="the only one with this library",
        ),
    ] = None,
    git: Annotated[
        Path | None,
        typer.Option(
            help="Compare two revisions of this library's git repository.",
            metavar="FOLDER",
            show_default="none",
        ),
    ] = None,
    detect: Annotated[
        str,
        typer.Option(
            help="Smallest change of interest: less counts as the same.",
            metavar="PERCENT",
        ),
    ] = "3%",
    budget: Annotated[
        str,
        typer.Option(
            help="Longest time for trials: they end as soon as each row of CPU time, "
            "and each condition, is decided.",
            metavar="DURATION",
        ),
    ] = "10m",
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with 99 if a row is significantly beyond a limit "
            "(repeatable): cpu, rate, memory or p99, for example 'cpu > +3%'.",
            metavar="CONDITION",
            show_default="none",
        ),
    ] = None,
    workload: Annotated[
        Path | None,
        typer.Option(
            help="Workloads of your own: a file as in docs/experiments.md, whose ends "
            "are both sides.",
            metavar="FILE",
            show_default="up to eight",
        ),
    ] = None,
    seed: Seed = None,
    same: Annotated[
        bool,
        typer.Option("--same", help="Test the measurement itself: A and B are equal."),
    ] = False,
    markdown: Markdown = None,
    json: Json = None,
    contestants: Contestants = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """
    Compare two versions, which are measured in turn.

    \b
    Example: autostrada regress python-websockets==16.0 python-websockets
    Example: autostrada regress --git ../websockets main HEAD
    """  # noqa: D301
    from autostrada.regress.command import RegressOptions, regress_command

    options = RegressOptions(
        before=before,
        after=after,
        git=git,
        contestant=contestant,
        is_same=same,
        detect=detect,
        budget=budget,
        seed=seed,
        workloads=workload,
        fail_if=tuple(fail_if or ()),
        markdown=markdown,
        json=json,
        contestants=contestants,
        store=store,
    )
    raise typer.Exit(regress_command(options))
