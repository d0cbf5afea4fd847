"""What the Python contestants share: docs/contract.md, sections 3 to 8."""

from .audience import Audience, QueuedAudience, ThreadedAudience
from .exchanger import Exchanger
from .receiver import Receiver
from .serving import ServerSettings
from .threads import call_on_threads
from .variables import choose
from .workers import run_workers

__all__ = [
    "Audience",
    "Exchanger",
    "QueuedAudience",
    "Receiver",
    "ServerSettings",
    "ThreadedAudience",
    "call_on_threads",
    "choose",
    "run_workers",
]
