"""Serves with python-socketio."""

from autostrada_kit import ServerSettings
from serving import serve
from socketio import AsyncNamespace

# The contract requires messages of up to 16 MiB. A byte has up to six in JSON; the
# defaults are 1 MB (server) and 16 MiB (Uvicorn).
PACKET_BYTES_MAX = 7 * ServerSettings.message_bytes_max


class Publishing(AsyncNamespace):
    async def on_message(self, _, message):
        await self.server.send(message, namespace="/subscribe")


serve(
    ServerSettings.from_environment(),
    PACKET_BYTES_MAX,
    Publishing("/publish"),
    AsyncNamespace("/subscribe"),
)
