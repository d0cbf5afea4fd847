"""Opens a session with python-socketio's AsyncClient, in one namespace."""

from contextlib import asynccontextmanager

from autostrada_kit import choose
from socketio import AsyncClient

OPENING_S = 60
PACKET_BYTES_MAX = 32 * 1024 * 1024

transport = choose("TRANSPORT", "websocket", "polling")


@asynccontextmanager
async def session(url, namespace):
    client = AsyncClient(
        # The contract forbids reopening a session.
        reconnection=False,
        # The contract requires packets of up to 32 MiB; aiohttp's default is 4 MiB.
        websocket_extra_options={"max_msg_size": PACKET_BYTES_MAX},
    )
    client.register_namespace(namespace)
    # The contract requires a single transport, but the library would start with
    # polling. Its limit of one second is too short for many sessions at once.
    await client.connect(url, transports=[transport], wait_timeout=OPENING_S)
    try:
        yield
    finally:
        await client.disconnect()
