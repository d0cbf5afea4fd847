"""Echoes messages with LIBRARY."""

import sys

from autostrada_kit import ServerSettings

settings = ServerSettings.from_environment()
# LIBRARY: listen on settings.host and settings.port, without compression, for messages
# of up to settings.payload_bytes_max.
# LIBRARY: send each message of a connection to /echo back unchanged.
sys.exit("server.py lacks the calls of the library")
