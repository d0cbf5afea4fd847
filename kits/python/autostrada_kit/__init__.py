"""Shared code of the Python contestants: docs/contract.md."""

from .client import CLOSE, REPLY, Client
from .serving import ServerSettings
from .threads import call_on_threads
from .variables import choose

__all__ = [
    "CLOSE",
    "REPLY",
    "Client",
    "ServerSettings",
    "call_on_threads",
    "choose",
]
