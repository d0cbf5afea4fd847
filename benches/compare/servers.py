"""Servers of contestants that clients are measured against."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autostrada.contestants.build import Builder
from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.errors import EngineError
from autostrada.machine.ports import ADDRESS, await_listener, reserved_port
from autostrada.machine.process import Command, Process

from .bare import ProgramCommand
from .bench import BenchSetup

START_S = 30.0
"""Time within which a server must listen."""


def server_in(language: str) -> Contestant:
    """Return the first contestant in a language that has a server."""
    return next(
        each
        for each in find_catalog().contestants().values()
        if each.manifest.language == language and each.has("server")
    )


def build_server(
    contestant: Contestant, announce: Callable[[str], None]
) -> ProgramCommand:
    """
    Build a contestant; return how to start its server.

    Raises:
        ContestantError: it cannot be built here; the message names the remedy.
    """
    catalog = find_catalog()
    built = Builder.of(catalog).build(contestant, announce=announce)
    return ProgramCommand(
        arguments=contestant.command("server"),
        folder=built.folder,
        environment=contestant.environment("server"),
    )


@contextmanager
def echo_server(
    bench: BenchSetup, server: ProgramCommand
) -> Iterator[tuple[Process, str]]:
    """
    Run a server on the server's core; yield its process and the URL of its echo.

    Raises:
        EngineError: the server does not listen.
    """
    with reserved_port() as port:
        variables = {"HOST": ADDRESS, "PORT": str(port)}
        command = Command(
            arguments=server.arguments,
            folder=server.folder,
            environment={**server.environment, **variables},
            cpus=bench.host.server_cpus,
            is_measured=True,
        )
        with Process(command) as process:
            try:
                is_running = await_listener(process, port, time.monotonic() + START_S)
            except TimeoutError as error:
                raise EngineError("the server does not listen") from error
            if not is_running:
                raise EngineError(f"the server ended: {process.stderr_tail}")
            yield process, f"ws://{ADDRESS}:{port}/echo"
