"""What the Python contestants share: docs/contract.md, sections 3 to 5."""

from .exchanger import Exchanger
from .receiver import Receiver
from .settings import choose
from .threads import call_on_threads

__all__ = ["Exchanger", "Receiver", "call_on_threads", "choose"]
