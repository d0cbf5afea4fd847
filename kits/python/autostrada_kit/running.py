"""Runs the connections of a client concurrently, and prints its result."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


def run_tasks(
    receive: Callable[[Any], Coroutine[Any, Any, None]],
    client: Any,
    *errors: type[Exception],
) -> None:
    """
    Run ``receive`` for each connection of a client or receiver as a task.

    An ``OSError`` or one of the given errors means that nothing can be received.
    """

    async def receive_all() -> None:
        await asyncio.gather(*(receive(client) for _ in range(client.connections)))

    _run(lambda: asyncio.run(receive_all()), client, errors)


def run_threads(
    receive: Callable[[Any], None], client: Any, *errors: type[Exception]
) -> None:
    """Run ``receive``, which blocks, for each connection on its own thread."""

    def receive_all() -> None:
        with ThreadPoolExecutor(client.connections) as threads:
            # Reading a result raises the exception of its thread.
            list(threads.map(receive, [client] * client.connections))

    _run(receive_all, client, errors)


def _run(
    receive_all: Callable[[], None], client: Any, errors: tuple[type[Exception], ...]
) -> None:
    expected: tuple[type[Exception], ...] = (OSError, *errors)
    try:
        receive_all()
    except expected as error:
        client.fail(error)
    client.finish()
