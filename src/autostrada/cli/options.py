"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer


def option(
    text: str, metavar: str, default: str | bool, *names: str, **settings: Any
) -> Any:
    """
    Return an option with a value: its help, the name of the value, and the default.

    ``default`` says what is used if the option is absent; ``True`` shows its value.
    """
    return typer.Option(
        *names, help=text, metavar=metavar, show_default=default, **settings
    )


def argument(text: str, metavar: str, default: str | bool = False) -> Any:
    """Return an argument, as ``option``; ``False`` if it has no default."""
    return typer.Argument(help=text, metavar=metavar, show_default=default)


Experiment = Annotated[
    str,
    argument("Name of an experiment (autostrada list), or a TOML file.", "EXPERIMENT"),
]
Store = Annotated[Path, option("Results file (DuckDB).", "FILE", default=True)]
DEFAULT_STORE = Path("results/autostrada.duckdb")
Page = Annotated[
    Path | None,
    option("Write the page to this file.", "FILE", "next to the results file"),
]
Contestants = Annotated[
    Path | None, option("Also use the contestants in this folder.", "FOLDER", "none")
]
Names = Annotated[
    list[str] | None, argument("Names of contestants.", "[NAME]...", "all")
]
Jobs = Annotated[
    int | None,
    option(
        "Number of builds, or tests, at a time.", "NUMBER", "the number of cores", min=1
    ),
]
Seed = Annotated[
    int | None, option("Seed of the order of the trials.", "NUMBER", "random")
]
Only = Annotated[
    list[str] | None,
    option("Only this contestant (repeatable).", "NAME", "all of the experiment"),
]
Workloads = Annotated[
    list[str] | None,
    option(
        "Only this workload (repeatable).",
        "NAME",
        "all of the experiment",
        "--workload",
    ),
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick", help="Fewer and shorter trials, as the experiment's file defines."
    ),
]
Overrides = Annotated[
    list[str] | None,
    option(
        "Override a workload parameter (repeatable).",
        "WORKLOAD.PARAMETER=VALUE",
        "none",
        "--set",
    ),
]
ReportPage = Annotated[
    str | None, option("Write the report as a page.", "FILE", "none")
]
Markdown = Annotated[
    str | None, option("Write Markdown to a file, or - to print it.", "FILE", "none")
]
Json = Annotated[
    str | None, option("Write JSON to a file, or - to print it.", "FILE", "none")
]
Bencher = Annotated[
    str | None, option("Write the metrics of B as Bencher reads them.", "FILE", "none")
]
GithubActionBenchmark = Annotated[
    str | None,
    option(
        "Write them for github-action-benchmark, customSmallerIsBetter.", "FILE", "none"
    ),
]
RunId = Annotated[
    int | None, option("Number of the run.", "NUMBER", "the newest run", "--run")
]
