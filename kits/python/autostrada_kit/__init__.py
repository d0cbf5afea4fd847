"""What the Python contestants share: docs/contract.md, sections 3 and 4."""

from .receiver import Receiver
from .settings import choose

__all__ = ["Receiver", "choose"]
