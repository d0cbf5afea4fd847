"""All processes of a feed heard at once, and who is to blame when one fails."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

from autostrada.errors import AutostradaError, ContestantError, EngineError, TimedOut
from autostrada.machine.process import Process
from autostrada.runner.trial.feed.words import (
    Delivered,
    Handed,
    hear_contestant_client,
    hear_contestant_server,
    hear_engine_client,
    hear_engine_server,
)
from autostrada.runner.trial.guard import Guard, end_of_name
from autostrada.runner.trial.players import Player

BLAME_LIMIT_S = 0.5
"""When one has failed, so long others may show that they had failed before it."""

Saying = Future[Delivered | Handed]

_HEAR: dict[tuple[bool, bool], Callable[[Process, float], Delivered | Handed]] = {
    (False, False): hear_contestant_client,
    (False, True): hear_engine_client,
    (True, False): hear_contestant_server,
    (True, True): hear_engine_server,
}
"""By whether it is a server, and whether it is the engine."""


def hear(player: Player, deadline_s: float) -> Delivered | Handed:
    """
    Read all that a process says.

    Raises:
        AutostradaError: it fails.
    """
    is_server = end_of_name(player.name) == "server"
    try:
        return _HEAR[is_server, player.is_engine](player.process, deadline_s)
    except ContestantError as error:
        raise player.fault(error) from error


def hear_all(
    players: Sequence[Player], deadline_s: float, guard: Guard
) -> list[Delivered | Handed]:
    """
    Return what each process says, in their order.

    What they print is read as it comes: nobody waits for us. All are killed as soon as
    one fails.

    Raises:
        AutostradaError: of those that failed, the failure of the one to blame.
    """
    with ThreadPoolExecutor(len(players)) as threads:
        said = [threads.submit(hear, player, deadline_s) for player in players]
        try:
            wait(said, return_when=FIRST_EXCEPTION)
            if faults_of(said):
                wait(said, timeout=BLAME_LIMIT_S)
                raise guard.failure or to_blame(faults_of(said))
        finally:
            # Who waits for a line of one of them waits no longer.
            if not all(each.done() for each in said):
                for player in players:
                    player.process.kill()
        return [each.result() for each in said]


def faults_of(said: Sequence[Saying]) -> list[AutostradaError]:
    """
    Return the failures so far.

    Raises:
        BaseException: one failed otherwise: a defect of ours.
    """
    faults = []
    for each in said:
        error = each.exception() if each.done() else None
        if isinstance(error, AutostradaError):
            faults.append(error)
        elif error is not None:
            raise error
    return faults


def to_blame(faults: Sequence[AutostradaError]) -> AutostradaError:
    """
    Return the failure that has brought about the others.

    Where a server has gone, its clients may fail; where anybody has, the others may
    wait in vain. Of those that wait in vain it is the contestant, and of two the
    client: a server that waits for the slowest of its audience cannot end before it.
    """
    return min(faults, key=_order)


def _order(fault: AutostradaError) -> int:
    if isinstance(fault, EngineError):
        return 0
    assert isinstance(fault, ContestantError), fault
    is_server = fault.process == "server"
    if isinstance(fault, TimedOut):
        return 4 if is_server else 3
    return 1 if is_server else 2
