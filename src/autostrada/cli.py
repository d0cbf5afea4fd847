"""The command line: argument parsing, nothing else."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autostrada.errors import AutostradaError, UsageError

if TYPE_CHECKING:
    from autostrada.runner.command import Choice

app = typer.Typer(
    help="Measures how fast WebSocket software is, and what held it back.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Experiment = Annotated[
    str, typer.Argument(help="An experiment's name, or a file of your own.")
]
Experiments = Annotated[
    str, typer.Argument(help="An experiment's name, a file of your own, or all.")
]
Store = Annotated[Path, typer.Option(help="The results' file.", show_default=True)]
Contestants = Annotated[
    Path | None,
    typer.Option(help="A further folder of contestants: your own.", metavar="FOLDER"),
]
Names = Annotated[
    list[str] | None, typer.Argument(help="Their names; without, all.", metavar="NAME")
]
Only = Annotated[list[str] | None, typer.Option(help="Only this one; may be repeated.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="Fewer repetitions, shorter: as its file says.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="A workload's parameter: soak.seconds=7200; may be repeated.",
        metavar="NAME=VALUE",
    ),
]
DEFAULT_STORE = Path("results/autostrada.duckdb")


@app.command()
def run(
    experiment: Experiments,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with its newest run.")
    ] = False,
    contestant: Only = None,
    repetitions: Annotated[
        int | None, typer.Option(min=1, help="Instead of the experiment's.")
    ] = None,
    quick: Quick = False,
    overrides: Overrides = None,
    seed: Annotated[
        int | None, typer.Option(help="Draws the order of the trials.")
    ] = None,
    until_interval: Annotated[
        str | None,
        typer.Option(
            help="Repeat cells until their interval is so narrow: 3%.", metavar="SHARE"
        ),
    ] = None,
    cpus: Annotated[
        str | None,
        typer.Option(help="Use only these cores: 0-3,6.", metavar="LIST"),
    ] = None,
    contestants: Contestants = None,
    store: Store = DEFAULT_STORE,
    page: Annotated[
        Path | None, typer.Option(help="The report; else beside the results.")
    ] = None,
) -> None:
    """Run an experiment, or all; end with a table and a page, or an index."""
    from autostrada.runner.command import Choice, run_command
    from autostrada.runner.suite.suite import ALL

    choice = Choice(
        experiment=experiment,
        resume=resume,
        only=tuple(contestant or ()),
        repetitions=repetitions,
        is_quick=quick,
        overrides=tuple(overrides or ()),
        seed=seed,
        until_interval=until_interval,
        cpus=cpus,
        contestants=contestants,
        store=store,
        page=page,
    )
    if experiment == ALL:
        _run_all(choice)
    else:
        _report(store, page, run_command(choice))


@app.command()
def report(
    run_id: Annotated[
        int | None, typer.Option("--run", help="Its number; else the newest.")
    ] = None,
    store: Store = DEFAULT_STORE,
    page: Annotated[
        Path | None, typer.Option(help="The page; else beside the results.")
    ] = None,
) -> None:
    """Print a run's table and make its page again, from the results alone."""
    _report(store, page, run_id)


@app.command()
def index(store: Store = DEFAULT_STORE) -> None:
    """Make the pages of every experiment's newest run again, and their index."""
    from autostrada.report.collection.index import write_index

    _say(f"index: {write_index(store)}")


@app.command()
def keep(store: Store = DEFAULT_STORE) -> None:
    """Keep every experiment's newest run in docs/results, and in README's table."""
    from autostrada.contestants.catalog import find_catalog
    from autostrada.report.collection.kept import keep, kept_bytes

    folder = keep(store, find_catalog().root)
    _say(f"kept: {folder}, {kept_bytes(folder):,} bytes")


@app.command()
def compare(
    before: Annotated[
        str, typer.Argument(metavar="A", help="A run, FILE, FILE#RUN or a contestant.")
    ],
    after: Annotated[
        str, typer.Argument(metavar="B", help="What is compared with it: the same.")
    ],
    run_id: Annotated[
        int | None, typer.Option("--run", help="Of two contestants; else the newest.")
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            help="Exit with 1 if so: 'ms_per_million > +5%'; may be repeated.",
            metavar="CONDITION",
        ),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="For a pull request.")
    ] = False,
    store: Store = DEFAULT_STORE,
) -> None:
    """Compare two runs, or two contestants of one: is B another speed than A?"""
    from autostrada.report.compare.command import Request, compare_command

    request = Request(
        before=before,
        after=after,
        run_id=run_id,
        store=store,
        conditions=tuple(fail_if or ()),
        is_markdown=markdown,
    )
    raise typer.Exit(compare_command(request))


@app.command()
def cost(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run, FILE or FILE#RUN.")],
    core_hour: Annotated[float, typer.Option(min=0, help="Price of a core, an hour.")],
    gib_hour: Annotated[float, typer.Option(min=0, help="Price of a GiB, an hour.")],
    messages_per_user_s: Annotated[
        float, typer.Option(min=0, help="How many messages a user has in a second.")
    ],
    store: Store = DEFAULT_STORE,
) -> None:
    """Show what a million users would cost a month."""
    from rich.console import Console

    from autostrada.report.cost.terminal import Question, print_cost
    from autostrada.stats.efficiency import Prices

    question = Question(
        run=run,
        store=store,
        prices=Prices(core_hour=core_hour, gib_hour=gib_hour),
        messages_per_user_s=messages_per_user_s,
    )
    print_cost(question, Console())


@app.command()
def calibrate(
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only this weight; may be repeated.", metavar="NAME"),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter, with fewer messages.")
    ] = False,
    verdicts: Annotated[
        bool,
        typer.Option("--verdicts", help="Only what held a trial back, 20 times each."),
    ] = False,
    engine: Annotated[
        Path | None, typer.Option(help="The engine's program; else the installed one.")
    ] = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Weigh known faults: does the engine show what is there?"""
    from autostrada.calibration.command import Choice, calibrate

    choice = Choice(
        only=tuple(only or ()),
        is_quick=quick,
        is_of_verdicts=verdicts,
        engine=engine,
        store=store,
    )
    raise typer.Exit(calibrate(choice))


@app.command("list")
def list_all(contestants: Contestants = None) -> None:
    """Show the contestants and the experiments."""
    from autostrada.runner.inventory import print_inventory

    print_inventory(contestants)


@app.command()
def build(
    names: Names = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="So many at once; else one a core.")
    ] = None,
    contestants: Contestants = None,
) -> None:
    """Build contestants, or all, for use without a network."""
    from autostrada.contestants.command import build

    raise typer.Exit(build(names or (), contestants, jobs))


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="LANGUAGE-LIBRARY")],
    contestants: Contestants = None,
) -> None:
    """Make a contestant's folder that already keeps the contract."""
    from autostrada.contestants.template import new

    new(name, contestants)


@app.command()
def verify(
    names: Names = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="So many at once; else two a core.")
    ] = None,
    contestants: Contestants = None,
) -> None:
    """Hold contestants, or all, to their contract."""
    from autostrada.contestants.verify import verify

    raise typer.Exit(verify(names or (), contestants, jobs))


@app.command()
def doctor(
    installs: Annotated[
        bool, typer.Option("--install", help="Install what is missing (apt).")
    ] = False,
    contestants: Contestants = None,
) -> None:
    """Show what this machine can run, and what is missing."""
    from autostrada.runner.inventory import examine_machine

    has_all = examine_machine(contestants, installs=installs)
    raise typer.Exit(0 if has_all else 1)


@app.command()
def plan(
    experiment: Experiment,
    contestant: Only = None,
    quick: Quick = False,
    overrides: Overrides = None,
    contestants: Contestants = None,
) -> None:
    """Print each cell as commands to paste, to repeat a trial by hand."""
    from autostrada.runner.recipe.command import Choice, print_plan

    print_plan(
        Choice(
            experiment=experiment,
            only=tuple(contestant or ()),
            is_quick=quick,
            overrides=tuple(overrides or ()),
            contestants=contestants,
        )
    )


@app.command()
def certificate(
    folder: Annotated[Path, typer.Argument(help="Made if it is not there.")],
) -> None:
    """Make an authority, and a certificate of it for servers on this machine."""
    from autostrada.machine.certificates import make_certificates

    made = make_certificates(folder)
    _say(f"servers: {made.certificate_file}, {made.key_file}")
    _say(f"whom clients trust: {made.ca_file}")


def _run_all(choice: "Choice") -> None:
    from rich.console import Console

    from autostrada.contestants.catalog import find_catalog
    from autostrada.report.collection.index import write_index
    from autostrada.runner.suite.suite import run_all

    def report(run_id: int, page: Path) -> None:
        _report(choice.store, page, run_id)

    catalog = find_catalog(choice.contestants)
    failed = run_all(choice, catalog, report, Console())
    if failed:
        _say(f"failed: {', '.join(failed)}")
    if choice.store.exists():
        _say(f"index: {write_index(choice.store)}")
    raise typer.Exit(1 if failed else 0)


def _say(words: str) -> None:
    from rich.console import Console

    Console().print(words, soft_wrap=True, markup=False, highlight=False)


def _report(store: Path, page: Path | None, run_id: int | None) -> None:
    from rich.console import Console

    from autostrada.report.page import write_page
    from autostrada.report.terminal import print_run

    console = Console()
    print_run(store, console, run_id)
    written = write_page(store, page, run_id)
    _say(f"page: {written}")


def main() -> None:
    """Run the command line; exit with 2 where the user can mend what is wrong."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # A shell has what it starts in the background ignore SIGINT, and so would we.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        app()
    except AutostradaError as error:
        sys.stderr.write(f"autostrada: {error}\n")
        sys.exit(2 if isinstance(error, UsageError) else 1)
