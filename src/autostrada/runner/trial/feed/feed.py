"""
A trial of a feed: server and clients started, heard, and held to their word.

A contestant that breaks its contract is a finding, and becomes a failure. An
``EngineError`` is our own fault: it ends the run.
"""

import time
from contextlib import ExitStack

from autostrada.errors import LeftBehind
from autostrada.experiment.workload import Feed
from autostrada.machine.process import end_orphans
from autostrada.runner.evidence.joined import process_name
from autostrada.runner.observer import Watch
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.feed.account import Account
from autostrada.runner.trial.feed.delivery import Delivery
from autostrada.runner.trial.feed.hearing import hear_all
from autostrada.runner.trial.feed.words import Delivered, Handed
from autostrada.runner.trial.guard import guarding
from autostrada.runner.trial.players import Player, Stage
from autostrada.runner.trial.script import script_of
from autostrada.store import record


def measure_feed(
    course: Course, workload: Feed, cast: Cast, watch: Watch
) -> record.Measurement:
    """
    Have a server feed its clients, and make a measurement of it.

    Raises:
        ContestantError: one of them broke its contract.
        EngineError: we did.
    """
    stage = Stage(course=course, script=script_of(course, workload, cast))
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                stage.serving(process_name("server", index), cast.server)
            )
            for index in range(workload.workers)
        ]
        clients = [
            stack.enter_context(
                stage.listening(
                    process_name("client", index),
                    cast.client,
                    servers[index % workload.workers].port,
                )
            )
            for index in range(workload.processes)
        ]
        everybody = [*servers, *clients]
        bytes_max = course.experiment.memory_bytes_max
        processes = {player.name: player.process for player in everybody}
        guard = stack.enter_context(guarding(processes, bytes_max))
        watch.begin({name: process.pid for name, process in processes.items()})
        begun_ns = time.monotonic_ns()
        for player in clients:
            player.begin()
        deadline_s = time.monotonic() + workload.duration_s + course.experiment.limit_s
        said = hear_all(everybody, deadline_s, guard)
        ours = {watch.pid, *(player.process.pid for player in everybody)}
        _end(clients, ours)
        delivery = Delivery(
            workload=workload,
            handed=[each for each in said if isinstance(each, Handed)],
            delivered=[each for each in said if isinstance(each, Delivered)],
        )
        watch.start_ns = delivery.start_ns
        watch.await_look(delivery.start_ns + delivery.window_ns)
        watch.end()
        guard.end()
        for server in servers:
            if not server.is_engine:
                server.stop()
        _end(servers, ours)
    return Account(
        course=course,
        cast=cast,
        delivery=delivery,
        begun_ns=begun_ns,
        observation=watch.observation(),
    ).measurement()


def _end(players: list[Player], ours: set[int]) -> None:
    """
    See that nothing is left of processes that have ended.

    Raises:
        AutostradaError: something of one of them is.
    """
    for player in players:
        player.process.end()
    if players[0].is_engine:
        return
    if orphans := end_orphans(keep=ours):
        left = f"processes that it started outlived it ({orphans})"
        raise players[0].fault(LeftBehind(left))
