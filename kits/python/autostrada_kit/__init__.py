"""Shared code of the Python contestants: docs/contract.md, sections 3 to 8."""

from .exchanger import Exchanger
from .receiver import Receiver
from .serving import ServerSettings
from .subscribers import QueuedSubscribers, Subscribers, ThreadedSubscribers
from .threads import call_on_threads
from .variables import choose
from .workers import run_workers

__all__ = [
    "Exchanger",
    "QueuedSubscribers",
    "Receiver",
    "ServerSettings",
    "Subscribers",
    "ThreadedSubscribers",
    "call_on_threads",
    "choose",
    "run_workers",
]
