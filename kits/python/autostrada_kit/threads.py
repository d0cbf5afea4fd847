"""Runs connections side by side where a library has only blocking calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from .exchanger import Exchanger
    from .receiver import Receiver

    Counting = TypeVar("Counting", Receiver, Exchanger)


def call_on_threads(work: Callable[[Counting], None], counting: Counting) -> None:
    """Call ``work`` for each connection, on a thread of its own, and wait for all."""
    connections = counting.connections
    with ThreadPoolExecutor(connections) as threads:
        # A list, because an exception is raised only where a result is taken.
        list(threads.map(work, [counting] * connections))
