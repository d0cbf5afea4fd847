"""Serves with LIBRARY."""

import sys

from autostrada_kit import ServerSettings

settings = ServerSettings.from_environment()
# LIBRARY: listen on settings.host and settings.port, without compression, for messages
# of up to settings.message_bytes_max.
# LIBRARY: send each message of a connection to /echo back unchanged.
# LIBRARY: send each message of a connection to /publish to all that are at /subscribe.
sys.exit("server.py lacks the calls of the library")
