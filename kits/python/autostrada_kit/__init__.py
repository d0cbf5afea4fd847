"""Shared code of the Python contestants: docs/contract.md."""

from .client import CLOSE, REPLY, Client
from .running import run_tasks, run_threads
from .serving import ServerSettings
from .variables import choose

__all__ = [
    "CLOSE",
    "REPLY",
    "Client",
    "ServerSettings",
    "choose",
    "run_tasks",
    "run_threads",
]
