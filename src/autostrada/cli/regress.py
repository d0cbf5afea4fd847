"""``autostrada regress``: did a change make it slower?"""

from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.options import (
    DEFAULT_STORE,
    Bencher,
    Contestants,
    GithubActionBenchmark,
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
            "folder with a manifest; with --git a revision, with --url a command.",
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
    url: Annotated[
        str | None,
        typer.Option(
            help="Compare two commands of a server of your own, whose URL this is: "
            "ws://127.0.0.1:{port}/path.",
            metavar="URL",
            show_default="none",
        ),
    ] = None,
    connections: Annotated[
        int | None,
        typer.Option(
            "-c",
            "--connections",
            help="With --url: number of connections.",
            metavar="NUMBER",
            min=1,
            show_default="64",
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
            show_default="up to nine",
        ),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            help="Page with a differential flame graph, by perf, of what became "
            "slower most.",
            metavar="FILE",
            show_default="none",
        ),
    ] = None,
    conformance: Annotated[
        bool,
        typer.Option(
            "--conformance",
            help="Exit with 99 also if B fails a case of the Autobahn test suite that "
            "A passes.",
        ),
    ] = False,
    seed: Seed = None,
    same: Annotated[
        bool,
        typer.Option("--same", help="Test the measurement itself: A and B are equal."),
    ] = False,
    markdown: Markdown = None,
    json: Json = None,
    bencher: Bencher = None,
    github_action_benchmark: GithubActionBenchmark = None,
    contestants: Contestants = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """
    Compare two versions, which are measured in turn.

    \b
    Example: autostrada regress python-websockets==16.0 python-websockets
    Example: autostrada regress --git ../websockets main HEAD
    Example: autostrada regress ./before ./after --url ws://127.0.0.1:{port}/
    """  # noqa: D301
    from autostrada.regress.command import RegressOptions, regress_command

    options = RegressOptions(
        before=before,
        after=after,
        git=git,
        contestant=contestant,
        url=url,
        connections=connections,
        is_conformance_compared=conformance,
        is_same=same,
        detect=detect,
        budget=budget,
        seed=seed,
        workloads=workload,
        fail_if=tuple(fail_if or ()),
        profile=profile,
        outputs={
            "markdown": markdown,
            "json": json,
            "bencher": bencher,
            "github-action-benchmark": github_action_benchmark,
        },
        contestants=contestants,
        store=store,
    )
    raise typer.Exit(regress_command(options))
