"""``autostrada compare``: two runs, two contestants of a run, or two named loads."""

from typing import Annotated

import typer

from autostrada.cli.options import (
    DEFAULT_STORE,
    Bencher,
    GithubActionBenchmark,
    Json,
    Markdown,
    ReportPage,
    Store,
    argument,
    option,
)


def compare(
    before: Annotated[
        str,
        argument(
            "Baseline: a run's number, FILE, FILE#RUN, a contestant, or with --loads "
            "the name of loads.",
            "A",
        ),
    ],
    after: Annotated[str, argument("Compared with A; same forms as A.", "B")],
    run_id: Annotated[
        int | None,
        option("Run of both contestants.", "NUMBER", "the newest run", "--run"),
    ] = None,
    loads: Annotated[
        bool,
        typer.Option(
            "--loads", help="Compare earlier loads, which autostrada history lists."
        ),
    ] = False,
    fail_if: Annotated[
        list[str] | None,
        option(
            "Exit with 99 if any cell significantly meets the condition "
            "(repeatable), for example 'ms_per_million > +5%', or of loads 'p99 > "
            "+5%'.",
            "CONDITION",
            "none",
        ),
    ] = None,
    page: ReportPage = None,
    markdown: Markdown = None,
    json: Json = None,
    bencher: Bencher = None,
    github_action_benchmark: GithubActionBenchmark = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """
    Compare two runs, two contestants of one run, or loads.

    A change is told from chance by three repetitions of each side, better by six. Load
    in turn, before and after, so that a machine that becomes slower affects both.

    \b
    Example: autostrada compare 12 13 --fail-if 'ms_per_million > +5%'
    Example: autostrada compare --loads before after --page changes.html
    """  # noqa: D301
    from autostrada.errors import UsageError
    from autostrada.report.compare import command

    if loads and (run_id is not None or store != DEFAULT_STORE):
        raise UsageError("--loads reads no results: leave out --run and --store")
    outputs: command.Outputs = {
        "page": page,
        "markdown": markdown,
        "json": json,
        "bencher": bencher,
        "github-action-benchmark": github_action_benchmark,
    }
    command.check_outputs(outputs)
    report = command.compare_sides(
        before,
        after,
        are_loads=loads,
        run_id=run_id,
        store=store,
        fail_if=fail_if or (),
    )
    raise typer.Exit(command.print_report(report, outputs))
