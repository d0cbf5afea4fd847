"""Opens a session with python-socketio's AsyncClient, in one namespace."""

from contextlib import asynccontextmanager

from socketio import AsyncClient

OPENING_S = 60
PACKET_BYTES_MAX = 32 * 1024 * 1024


@asynccontextmanager
async def session(url, namespace):
    client = AsyncClient(
        # The contract forbids reopening a session.
        reconnection=False,
        # aiohttp's default is 4 MiB.
        websocket_extra_options={"max_msg_size": PACKET_BYTES_MAX},
    )
    client.register_namespace(namespace)
    # The contract requires the transport, but the library would start with polling. Its
    # limit of one second is too short for many sessions at once.
    await client.connect(url, transports=["websocket"], wait_timeout=OPENING_S)
    try:
        yield
    finally:
        await client.disconnect()
