"""What the Python contestants share: docs/contract.md, sections 3 to 8."""

from .audience import Audience, QueuedAudience, ThreadedAudience
from .bots import Bots
from .exchanger import Exchanger
from .playing import play, play_on_threads
from .receiver import Receiver
from .serving import ServerSettings
from .threads import call_on_threads
from .variables import choose
from .workers import run_workers

__all__ = [
    "Audience",
    "Bots",
    "Exchanger",
    "QueuedAudience",
    "Receiver",
    "ServerSettings",
    "ThreadedAudience",
    "call_on_threads",
    "choose",
    "play",
    "play_on_threads",
    "run_workers",
]
