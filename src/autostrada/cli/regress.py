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
    ReportPage,
    Seed,
    Store,
    argument,
    option,
)


def regress(
    before: Annotated[
        str,
        argument(
            "Baseline: a contestant, CONTESTANT==VERSION of its library, or a folder "
            "with a manifest; with --git a revision, with --url a command.",
            "A",
        ),
    ],
    after: Annotated[str, argument("Compared with A; same forms as A.", "B")],
    contestant: Annotated[
        str | None,
        argument(
            "With --git: what measures the library.",
            "[CONTESTANT]",
            "the only one with this library",
        ),
    ] = None,
    git: Annotated[
        Path | None,
        option(
            "Compare two revisions of this library's git repository.", "FOLDER", "none"
        ),
    ] = None,
    url: Annotated[
        str | None,
        option(
            "Compare two commands of a server of your own, whose URL this is: "
            "ws://127.0.0.1:{port}/path.",
            "URL",
            "none",
        ),
    ] = None,
    connections: Annotated[
        int | None,
        option(
            "With --url: number of connections.",
            "NUMBER",
            "64",
            "-c",
            "--connections",
            min=1,
        ),
    ] = None,
    detect: Annotated[
        str,
        option(
            "Smallest change of interest: less counts as the same.", "PERCENT", True
        ),
    ] = "3%",
    budget: Annotated[
        str,
        option(
            "Longest time for trials: they end as soon as each row of CPU time, and "
            "each condition, is decided.",
            "DURATION",
            True,
        ),
    ] = "10m",
    fail_if: Annotated[
        list[str] | None,
        option(
            "Exit with 99 if a row is significantly beyond a limit (repeatable): "
            "cpu, rate, memory or p99, for example 'cpu > +3%'.",
            "CONDITION",
            "none",
        ),
    ] = None,
    workload: Annotated[
        Path | None,
        option(
            "Workloads of your own: a file as in docs/experiments.md, whose ends are "
            "both sides.",
            "FILE",
            "up to nine",
        ),
    ] = None,
    profile: Annotated[
        Path | None,
        option(
            "Page with a differential flame graph, by perf, of what became slower "
            "most.",
            "FILE",
            "none",
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
    page: ReportPage = None,
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
            "page": page,
            "markdown": markdown,
            "json": json,
            "bencher": bencher,
            "github-action-benchmark": github_action_benchmark,
        },
        contestants=contestants,
        store=store,
    )
    raise typer.Exit(regress_command(options))
