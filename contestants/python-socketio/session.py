"""Opens a session with python-socketio: its AsyncClient, in one namespace."""

from contextlib import asynccontextmanager

from autostrada_kit import choose
from socketio import AsyncClient

OPENING_S = 60
PACKET_BYTES_MAX = 32 * 1024 * 1024

transport = choose("TRANSPORT", "websocket", "polling")


@asynccontextmanager
async def session(url, namespace):
    client = AsyncClient(
        # The contract: a session that has ended is not opened again.
        reconnection=False,
        # The contract: packets of 32 MiB, instead of aiohttp's 4 MiB.
        websocket_extra_options={"max_msg_size": PACKET_BYTES_MAX},
    )
    client.register_namespace(namespace)
    # The contract: one transport, where the library would begin with polling; and many
    # sessions opened at once, for which its limit of a second would be short.
    await client.connect(url, transports=[transport], wait_timeout=OPENING_S)
    try:
        yield
    finally:
        await client.disconnect()
