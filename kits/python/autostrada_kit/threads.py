"""Runs connections concurrently, for libraries that have only blocking calls."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .client import Client


def call_on_threads(work: Callable[[Client], None], client: Client) -> None:
    """Call ``work`` for each connection on its own thread, and wait for all."""
    with ThreadPoolExecutor(client.connections) as threads:
        # Reading a result raises the exception of its thread.
        list(threads.map(work, [client] * client.connections))
