"""Runs connections concurrently, for libraries that have only blocking calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from .exchanger import Exchanger
    from .receiver import Receiver

    Counting = TypeVar("Counting", Receiver, Exchanger)


def call_on_threads(work: Callable[[Counting], None], counting: Counting) -> None:
    """Call ``work`` for each connection on its own thread, and wait for all."""
    connections = counting.connections
    with ThreadPoolExecutor(connections) as threads:
        # Reading a result raises the exception of its thread.
        list(threads.map(work, [counting] * connections))
