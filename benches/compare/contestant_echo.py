"""Echoes in a closed loop beside every contestant: ``docs/contract.md``, section 5."""

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
"""With one alone, a machine shows how long it takes to wake two processes in turn."""

Measured = float | EngineError
"""Nanoseconds a message, or why there are none."""


class EchoResult(BaseModel):
    """The one line of a contestant's client that exchanges echoes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    event: Literal["result"]
    connections: int
    echoed: int
    wrong: int
    window_ns: int


def contestant_echo_rows(bench: Bench, clients: Mapping[str, Program]) -> Rows:
    """Measure the engine and every contestant that is built, in turn."""
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
            yield Skipped(what=f"{what} {name}", why=f"it failed: {failures[0]}")
            continue
        theirs = [each for each in samples[name] if isinstance(each, float)]
        beside = {ENGINE: engine, name: theirs}
        yield speed_row(f"{what} {name}", beside, name, AHEAD)


def engine_ns(bench: Bench) -> float:
    """Measure the engine's closed loop."""
    return closed_loop(bench, CONNECTIONS).wall_ns


def contestant_ns(bench: Bench, client: Program) -> Measured:
    """Measure a contestant's closed loop, against a server like the engine's."""
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
                client.words,
                {**client.environment, **variables},
                folder=client.folder,
            )
            return wall_ns(lines, CONNECTIONS)
        except EngineError as error:
            return error


def wall_ns(lines: list[str], connections: int) -> float:
    """
    Return how long one echo took, of all connections together.

    Raises:
        EngineError: the client says something else than the contract, or that not all
            was as it should be.
    """
    try:
        (line,) = lines
        result = EchoResult.model_validate_json(line)
    except ValueError as error:
        raise EngineError(f"it printed {lines!r}") from error
    if result.connections != connections or result.wrong or not result.echoed:
        raise EngineError(f"it did not do what it was told: {line.strip()}")
    return result.window_ns / result.echoed
