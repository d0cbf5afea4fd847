"""``autostrada find``: the most that a server takes before an objective breaks."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from autostrada.cli.load_options import (
    Config,
    HostCount,
    Hosts,
    check_hosts,
    divided_among,
    engine_arguments,
    extract_option,
)
from autostrada.cli.options import option
from autostrada.errors import UsageError
from autostrada.find import Varied


def find(
    context: typer.Context,
    objective: Annotated[
        str,
        typer.Option(
            help="What must hold: 'p99<50ms,errors<0.1%,achieved>98%', in the metrics "
            "of load --fail-if.",
            metavar="EXPR",
        ),
    ],
    vary: Annotated[
        Varied, typer.Option(help="What is raised: rate, connections or pipeline.")
    ] = "rate",
    first: Annotated[
        str | None, option("Lowest value.", "N", "1% of the ceiling, or 1", "--from")
    ] = None,
    last: Annotated[
        str | None,
        option(
            "Highest value.", "N", "the ceiling, or until the objective breaks", "--to"
        ),
    ] = None,
    steps: Annotated[
        int, typer.Option(help="Points of the curve before bisecting.", min=2)
    ] = 8,
    step_time: Annotated[
        str, typer.Option(help="Measurement of each point.", metavar="TIME")
    ] = "10s",
    settle: Annotated[
        str, typer.Option(help="Warm-up of each point.", metavar="TIME")
    ] = "2s",
    precision: Annotated[
        float,
        typer.Option(
            help="Distance of the two edges at which bisecting ends, as a share.",
            metavar="SHARE",
            min=0.001,
            max=0.5,
        ),
    ] = 0.05,
    repeats: Annotated[
        int,
        typer.Option(
            help="Trials at each edge; six that agree are 96% certain.", min=1
        ),
    ] = 6,
    budget: Annotated[
        str, typer.Option(help="At most this long.", metavar="TIME")
    ] = "10m",
    at_least: Annotated[
        str | None, option("Exit with 99 if less is found.", "N", "none")
    ] = None,
    size_for: Annotated[
        str | None,
        option(
            "Cores and memory that so many users need, with --vary connections "
            "and --watch or --watch-command.",
            "USERS",
            "none",
        ),
    ] = None,
    is_to_recover: Annotated[
        bool,
        typer.Option(
            "--recover",
            help="Then overload it for --step-time, halve the load, and wait until the "
            "objective is met again.",
        ),
    ] = False,
    json_file: Annotated[
        Path | None, option("Write all points to a file.", "FILE", "none", "--json")
    ] = None,
    config: Config = None,
    hosts: Hosts = None,
    host_count: HostCount = None,
) -> None:
    """
    Find the most that a server takes before an objective breaks.

    It also says what broke first. All other options and the URL are those of load:
    autostrada load --help. The ceiling is measured first, in a closed
    loop: above it, latency is only backlog.

    Exit status: 0 found, 1 nothing measured, 2 wrong usage, 3 the load generator was
    the limit, 4 broken at the lowest value, 99 less than --at-least.

    \b
    Example: autostrada find ws://localhost:8080 -c 100 --objective 'p99<50ms'
    """  # noqa: D301
    from autostrada.engine.process import find_engine
    from autostrada.find import command, recovery, text
    from autostrada.find.loader import Loader
    from autostrada.find.points import SearchResult
    from autostrada.runner.command import parse_duration

    output = sys.stdout
    options = engine_arguments(context)
    check_hosts(hosts, host_count, options)
    divided = (
        context.with_resource(divided_among(hosts, host_count, is_plain=False))
        if hosts
        else None
    )
    loader = Loader(
        engine=find_engine(),
        options=options,
        objective=objective,
        vary=vary,
        step_time=step_time,
        settle=settle,
        divided=divided,
    )
    bounds = [
        command.count(count) if count else None for count in (first, last, at_least)
    ]
    users = command.users(size_for, vary, options) if size_for else None
    if is_to_recover and vary == "pipeline":
        raise UsageError("--recover needs --vary rate or connections")
    result = SearchResult(vary=vary)
    if vary == "rate" and bounds[1] is None:
        result.ceiling = loader.ceiling()
        bounds[1] = command.above(result.ceiling.per_s, precision)
        sys.stderr.write(text.ceiling_line(result.ceiling) + "\n")
    search = command.search_of(
        vary, *bounds[:2], steps=steps, precision=precision, repetitions=repeats
    )
    for _ in command.find(search, result, loader.measure, parse_duration(budget)):
        sys.stderr.write(text.point_line(vary, result.points[-1]) + "\n")
    output.write("\n".join([*text.curve(result), "", *text.answer(result)]) + "\n")
    if users:
        output.write(text.needed(result, users) + "\n")
    if is_to_recover and result.violated is not None:
        _, others = extract_option("--watch-command", options)
        recovered = recovery.recover(
            loader, others, result.violated, parse_duration(step_time)
        )
        output.write(text.recovery_line(recovered) + "\n")
    if json_file:
        json_file.write_text(json.dumps(result.document(), indent=1) + "\n")
    raise typer.Exit(command.exit_status(result, bounds[2]))
