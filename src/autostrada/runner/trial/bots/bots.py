"""
Bots: each connection sends when it is due, and the server answers.

The engine is the client; the server is a contestant or the engine. A contestant that
breaks its contract is a finding, and becomes a failure.
"""

import time
from collections.abc import Iterator

from autostrada.errors import (
    AutostradaError,
    ContestantError,
    EngineError,
    LeftBehind,
)
from autostrada.experiment.workload import Bots
from autostrada.machine.process import Process, end_orphans
from autostrada.runner.evidence.ends import Part, end_evidence, total_seen
from autostrada.runner.evidence.loaded import load_evidence
from autostrada.runner.evidence.seen import end_figures
from autostrada.runner.observer import Watch
from autostrada.runner.trial.bots.answers import (
    Answers,
    BotsLoadResult,
    all_faults,
    answer_figures,
    answers_of_engine,
    response_buckets,
)
from autostrada.runner.trial.bots.plans import payload_bytes
from autostrada.runner.trial.cast import Cast, Course
from autostrada.runner.trial.client import expect_exit, receive
from autostrada.runner.trial.guard import guarding
from autostrada.runner.trial.players import Stage
from autostrada.runner.trial.script import script_of
from autostrada.stats.evidence import Pacing
from autostrada.store import record


def measure_bots(
    course: Course, workload: Bots, cast: Cast, watch: Watch
) -> record.Measurement:
    """
    Have clients send to a server when they are due to, and make a measurement of it.

    Raises:
        ContestantError: one of the ends broke its contract.
        EngineError: we did.
    """
    stage = Stage(course=course, script=script_of(course, workload, cast))
    with (
        stage.serving("server", cast.server) as server,
        stage.listening("client", cast.client, server.port) as player,
        guarding(
            {"client": player.process, "server": server.process},
            course.experiment.memory_bytes_max,
        ) as guard,
    ):
        client = player.process
        watch.begin({"client": client.pid, "server": server.process.pid})
        player.begin()
        try:
            answers = _listen(course, workload, client)
            server.check()
        except AutostradaError as error:
            if guard.failure is not None:
                raise guard.failure from error
            server.check()
            raise
        guard.end()
        _end_client(cast, client, keep={server.process.pid, watch.pid})
        watch.start_ns = answers.load.window_start_ns
        watch.await_look(watch.start_ns + answers.load.window_ns)
        watch.end()
        return _measurement(course, workload, cast, answers, watch.observation())


def _end_client(cast: Cast, client: Process, *, keep: set[int]) -> None:
    """
    See that nothing is left of a client that has ended.

    Raises:
        LeftBehind: something is: of the server, where the client is the engine.
    """
    client.end()
    if orphans := end_orphans(keep=keep):
        raise LeftBehind(
            f"processes that it started outlived it ({orphans})",
            process="server" if cast.client is None else "client",
        )


def _listen(course: Course, workload: Bots, client: Process) -> Answers:
    """Return what the bots say in the end."""
    limit_s = course.experiment.limit_s
    deadline_s = time.monotonic() + 2 * limit_s + workload.duration_s + workload.drain_s
    try:
        heard = receive(client, deadline_s, BotsLoadResult)
        expect_exit(client, deadline_s)
        return answers_of_engine(heard.result, heard.seconds, workload)
    except ContestantError as error:
        client.end()
        if error.process == "client":
            raise EngineError(f"engine {error}: {client.stderr_tail}") from error
        error.stderr_tail = client.stderr_tail
        raise


def _measurement(
    course: Course,
    workload: Bots,
    cast: Cast,
    answers: Answers,
    seen: record.Observation,
) -> record.Measurement:
    window_ns = answers.load.window_ns
    host = course.host
    parts = (
        Part(
            process="client",
            is_engine=cast.client is None,
            cpus=host.client_cpus,
            busy_share=answers.load.busy_share if cast.client is None else None,
        ),
        Part(process="server", is_engine=cast.server is None, cpus=host.server_cpus),
    )
    totals = [total_seen(part.process, seen, window_ns) for part in parts]
    client, server = (
        end_evidence(part, total, seen, window_ns)
        for part, total in zip(parts, totals, strict=True)
    )
    evidence = load_evidence(answers.load, server, client, disturbance="")
    return record.Measurement(
        messages=answers.completed,
        payload_bytes=answers.completed * payload_bytes(workload),
        duration_ns=window_ns,
        server_busy_share=server.cpu_cores,
        client_busy_share=client.cpu_cores,
        sender="client",
        pacing=Pacing.OPEN_LOOP,
        achieved_share=evidence.achieved_share,
        engine_limit=answers.load.generator_limited or "",
        faults=all_faults(answers, evidence.faults),
        processes=tuple(total for total in totals if total),
        ends=(client, server),
        seconds=tuple(
            record.Second(
                process="client",
                second=each.second,
                messages=each.messages,
                bytes=each.bytes,
            )
            for each in answers.seconds
        ),
        figures=(
            *answer_figures(answers),
            *_client_figures(cast, seen, window_ns, workload.connections),
            *end_figures("server", seen, window_ns, workload.connections),
            *_server_figures(server, window_ns, answers),
        ),
        buckets=response_buckets(answers),
    )


def _client_figures(
    cast: Cast, seen: record.Observation, window_ns: int, connections: int
) -> Iterator[record.Figure]:
    for figure in end_figures("client", seen, window_ns, connections):
        # A contestant starts when it is looked at: it has added more than connections.
        if cast.client is None or figure.figure != "client_memory_bytes_per_connection":
            yield figure


def _server_figures(
    server: record.EndEvidence, window_ns: int, answers: Answers
) -> Iterator[record.Figure]:
    if server.busy_share is not None:
        yield record.Figure(
            process="server", figure="cpu_idle_share", value=1 - server.busy_share
        )
    if server.cpu_cores is not None:
        yield record.Figure(
            process="server",
            figure="server_cpu_us_per_event",
            value=server.cpu_cores * window_ns / answers.completed / 1000,
        )
