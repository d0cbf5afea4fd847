"""``autostrada compare``: compare two runs, or two contestants of one run."""

from typing import Annotated

import typer

from autostrada.cli.options import DEFAULT_STORE, Store


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="Baseline: a run's number, FILE, FILE#RUN, or a contestant.",
            show_default=False,
        ),
    ],
    after: Annotated[
        str,
        typer.Argument(
            metavar="B", help="Compared with A; same forms as A.", show_default=False
        ),
    ],
    run_id: Annotated[
        int | None,
        typer.Option(
            "--run",
            help="Run of both contestants.",
            metavar="NUMBER",
            show_default="the newest run",
        ),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with 1 if any cell significantly meets the condition "
            "(repeatable), for example 'ms_per_million > +5%'.",
            metavar="CONDITION",
            show_default="none",
        ),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown for a pull request.")
    ] = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """
    Compare two runs, or two contestants of one run.

    \b
    Example: autostrada compare 12 13 --fail-if 'ms_per_million > +5%'
    """  # noqa: D301
    from autostrada.report.compare.command import compare_command

    status = compare_command(
        before,
        after,
        run_id=run_id,
        store=store,
        fail_if=fail_if or (),
        markdown=markdown,
    )
    raise typer.Exit(status)
