"""Closed-loop echoes of engine and contestants: ``docs/contract.md``, section 5."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from pydantic import BaseModel, ConfigDict

from autostrada.errors import EngineError
from autostrada.runner.endpoints import Program

from .bench import Bench
from .echo import closed_loop
from .table import AHEAD, ENGINE, Rows, Skipped, alternate, speed_row

CONNECTIONS = 64
"""With one connection the result is mainly the time to wake two processes in turn."""

Measured = float | EngineError
"""Nanoseconds per message, or the error of the client."""


class EchoResult(BaseModel):
    """Output line of a contestant's echo client."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    event: Literal["result"]
    connections: int
    echoed: int
    wrong: int
    window_ns: int


def contestant_echo_rows(bench: Bench, clients: Mapping[str, Program]) -> Rows:
    """Measure the engine and the built contestants alternately."""
    what = f"echo, {CONNECTIONS} connections, beside"
    contenders: dict[str, Callable[[], Measured]] = {
        name: partial(contestant_ns, bench, client) for name, client in clients.items()
    }
    contenders[ENGINE] = partial(engine_ns, bench)
    samples = alternate(f"{what} every contestant", bench, contenders)
    engine = [each for each in samples[ENGINE] if isinstance(each, float)]
    for name in clients:
        failures = [each for each in samples[name] if isinstance(each, EngineError)]
        if failures:
            yield Skipped(what=f"{what} {name}", why=f"failed: {failures[0]}")
            continue
        theirs = [each for each in samples[name] if isinstance(each, float)]
        beside = {ENGINE: engine, name: theirs}
        yield speed_row(f"{what} {name}", beside, name, AHEAD)


def engine_ns(bench: Bench) -> float:
    """Measure the engine's closed loop."""
    return closed_loop(bench, CONNECTIONS).wall_ns


def contestant_ns(bench: Bench, client: Program) -> Measured:
    """Measure a contestant's closed loop against the engine's server."""
    sizes = bench.sizes
    with bench.serving() as url:
        variables = {
            "WORKLOAD": "echo",
            "URL": f"{url}/echo",
            "CONNECTIONS": str(CONNECTIONS),
            "WARM_UP_S": f"{sizes.warm_up_s:f}",
            "WINDOW_S": f"{sizes.window_s:f}",
        }
        try:
            lines = bench.run(
                client.arguments,
                {**client.environment, **variables},
                folder=client.folder,
            )
            return wall_ns(lines, CONNECTIONS)
        except EngineError as error:
            return error


def wall_ns(lines: list[str], connections: int) -> float:
    """
    Return the window divided by the echoes of all connections, in nanoseconds.

    Raises:
        EngineError: the output does not follow the contract, or the number of
            connections, echoes or mismatches is wrong.
    """
    try:
        (line,) = lines
        result = EchoResult.model_validate_json(line)
    except ValueError as error:
        raise EngineError(f"the client printed {lines!r}") from error
    if result.connections != connections or result.wrong or not result.echoed:
        raise EngineError(f"the client did not do the planned work: {line.strip()}")
    return result.window_ns / result.echoed
