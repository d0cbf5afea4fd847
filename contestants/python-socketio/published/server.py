"""Sends a feed with python-socketio."""

from autostrada_feeds import FeedSettings
from autostrada_kit import ServerSettings
from feed import Feeding
from serving import serve

# The defaults are 1 MB (server) and 16 MiB (Uvicorn).
PACKET_BYTES_MAX = 32 * 1024 * 1024

settings = ServerSettings.from_environment()
serve(settings, PACKET_BYTES_MAX, Feeding(FeedSettings.from_environment()))
