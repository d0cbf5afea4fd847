"""Feeds of published comparisons, and clients that check them: docs/published.md."""

from .receiver import Receiver
from .settings import FeedSettings
from .subscribers import Subscribers

__all__ = ["FeedSettings", "Receiver", "Subscribers"]
