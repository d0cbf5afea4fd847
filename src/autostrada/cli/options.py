"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Experiment = Annotated[
    str,
    typer.Argument(
        help="Name of an experiment (autostrada list), or a TOML file.",
        metavar="EXPERIMENT",
        show_default=False,
    ),
]
Store = Annotated[
    Path, typer.Option(help="Results file (DuckDB).", metavar="FILE", show_default=True)
]
DEFAULT_STORE = Path("results/autostrada.duckdb")
Page = Annotated[
    Path | None,
    typer.Option(
        help="Write the page to this file.",
        metavar="FILE",
        show_default="next to the results file",
    ),
]
Contestants = Annotated[
    Path | None,
    typer.Option(
        help="Also use the contestants in this folder.",
        metavar="FOLDER",
        show_default="none",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        help="Names of contestants.", metavar="[NAME]...", show_default="all"
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of builds, or tests, at a time.",
        metavar="NUMBER",
        show_default="the number of cores",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        help="Seed of the order of the trials.",
        metavar="NUMBER",
        show_default="random",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        help="Only this contestant (repeatable).",
        metavar="NAME",
        show_default="all of the experiment",
    ),
]
Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        help="Only this workload (repeatable).",
        metavar="NAME",
        show_default="all of the experiment",
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
    typer.Option(
        "--set",
        help="Override a workload parameter (repeatable).",
        metavar="WORKLOAD.PARAMETER=VALUE",
        show_default="none",
    ),
]
Markdown = Annotated[
    str | None,
    typer.Option(
        "--markdown",
        help="Write Markdown to a file, or - to print it.",
        metavar="FILE",
        show_default="none",
    ),
]
Json = Annotated[
    str | None,
    typer.Option(
        "--json",
        help="Write JSON to a file, or - to print it.",
        metavar="FILE",
        show_default="none",
    ),
]
RunId = Annotated[
    int | None,
    typer.Option(
        "--run",
        help="Number of the run.",
        metavar="NUMBER",
        show_default="the newest run",
    ),
]
