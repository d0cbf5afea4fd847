"""Runs a server as several processes that share one port."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable


def run_workers(workers: int, serve: Callable[[], object]) -> None:
    """Call ``serve`` in this process or, with several workers, once in each child."""
    if workers == 1:
        serve()
        return
    # SIGTERM waits until all workers are started, so that it ends all of them.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    children = [_start(serve) for _ in range(workers)]

    def end(*_: object) -> NoReturn:
        for child in children:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        os._exit(1)

    signal.signal(signal.SIGTERM, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
    os.wait()
    print("a worker has ended", file=sys.stderr, flush=True)
    end()


def _start(serve: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        try:
            serve()
        finally:
            os._exit(1)
    return child
