"""One cell as commands for a shell: what a run would start, and what it would say."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autostrada.experiment.workload import Bots, Feed, Push, Workload
from autostrada.machine.host import join
from autostrada.machine.ports import ADDRESS
from autostrada.runner.engine import load_plan, serve_plan
from autostrada.runner.trial.cast import Cast, Course, Program
from autostrada.runner.trial.push import environment_of
from autostrada.runner.trial.script import script_of
from autostrada.runner.trial.trial import stage

PORT = 8008
"""Of the first server; further ones have the ports after it."""

SEEN: dict[str, object] = {"observe": {}}
"""Tells a server that holds the handshake until it knows whom to look at: nobody."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recipe:
    """The commands of both ends, each for a terminal of its own."""

    servers: str
    clients: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """One command of a shell: its line, and what it reads where it is told a plan."""

    line: str
    documents: tuple[Mapping[str, object], ...] = ()

    def text(self, suffix: str = "") -> str:
        """Write it, with what ends its line."""
        if not self.documents:
            return self.line + suffix
        lines = [json.dumps(document) for document in self.documents]
        return "\n".join([self.line + suffix, *lines, "PLAN"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Terminal:
    """Where the processes of one end are started: on these cores, if on any."""

    engine: Path
    cpus: frozenset[int] | None

    def contestant(self, program: Program, told: Mapping[str, str]) -> Order:
        """Return how a contestant is started, which is told by its environment."""
        environment = {**program.environment, **told}
        variables = [f"{name}={value}" for name, value in environment.items()]
        words = shlex.join(["env", *variables, *self._on_cpus(), *program.words])
        folder = shlex.quote(str(program.folder))
        return Order(line=f"(cd {folder} && exec {words})")

    def serve(self, *documents: Mapping[str, object]) -> Order:
        """Return how the engine is started as a server: it ends when its stdin does."""
        told = "{ cat <<'PLAN'; exec sleep infinity; }"
        return Order(
            line=f"{told} | {self._engine('serve', '--plan')}", documents=documents
        )

    def load(self, plan: Mapping[str, object]) -> Order:
        """Return how the engine is started as a client."""
        return Order(line=f"{self._engine('load')} <<'PLAN'", documents=(plan,))

    def _engine(self, *words: str) -> str:
        return shlex.join([*self._on_cpus(), str(self.engine), *words])

    def _on_cpus(self) -> Sequence[str]:
        return ["taskset", "--cpu-list", join(self.cpus)] if self.cpus else []


def recipe(course: Course, workload: Workload, cast: Cast) -> Recipe:
    """
    Return how a trial of a cell is made by hand.

    Servers are started first: clients do not wait for them. Nobody is preferred by the
    kernel, and nobody looks at what is used meanwhile.
    """
    host = stage(course.host, cast)
    server, client = (
        Terminal(engine=course.engine, cpus=cpus if host.is_pinned else None)
        for cpus in (host.server_cpus, host.client_cpus)
    )
    if isinstance(workload, Push):
        orders = _of_push(course, workload, cast, server, client)
    else:
        orders = _of_script(course, workload, cast, server, client)
    return Recipe(servers=together(orders[0]), clients=together(orders[1]))


def together(orders: Sequence[Order]) -> str:
    """Write commands that run at the same time, and that Ctrl-C ends together."""
    if len(orders) == 1:
        return orders[0].text()
    lines = ["(trap 'kill 0' INT", *(order.text(" &") for order in orders), "wait)"]
    return "\n".join(lines)


Orders = tuple[Sequence[Order], Sequence[Order]]
"""Of servers and of clients."""


def _of_push(
    course: Course, workload: Push, cast: Cast, server: Terminal, client: Terminal
) -> Orders:
    address = f"{ADDRESS}:{PORT}"
    url = f"ws://{address}/{workload.messages}"
    plan = serve_plan(course.experiment, workload) | {"listen": address}
    if cast.client is None:
        receives = client.load(load_plan(course.experiment, workload, url))
    else:
        told = environment_of(cast.client, workload, url)
        receives = client.contestant(cast.client, told)
    return [server.serve(plan, SEEN)], [receives]


def _of_script(
    course: Course,
    workload: Feed | Bots,
    cast: Cast,
    server: Terminal,
    client: Terminal,
) -> Orders:
    script = script_of(course, workload, cast)
    workers, processes = (
        (workload.workers, workload.processes) if isinstance(workload, Feed) else (1, 1)
    )
    ports = [PORT + index for index in range(workers)]
    serves = [
        server.serve(script.server_plan(port))
        if cast.server is None
        else server.contestant(cast.server, script.server_environment(port))
        for port in ports
    ]
    plays = [
        client.load(script.client_plan(ports[index % workers]))
        if cast.client is None
        else client.contestant(
            cast.client, script.client_environment(ports[index % workers])
        )
        for index in range(processes)
    ]
    return serves, plays
