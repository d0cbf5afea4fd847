"""Receives messages with aiohttp's client session."""

import asyncio
from contextlib import suppress

from aiohttp import ClientError, ClientSession, WebSocketError, WSMsgType
from autostrada_kit import CLOSE, REPLY, Client

# The contract requires 16 MiB; the library rejects messages as long as the limit.
MESSAGE_BYTES_MAX = 16 * 1024 * 1024 + 1


async def receive(session, client):
    async with session.ws_connect(
        client.url, max_msg_size=MESSAGE_BYTES_MAX
    ) as websocket:
        received = client.opened()
        # Raised by a pong or a reply, if the server has ended the connection.
        with suppress(ConnectionResetError):
            async for message in websocket:
                if message.type == WSMsgType.TEXT:
                    send = websocket.send_str
                elif message.type == WSMsgType.ERROR:
                    raise message.data
                else:
                    send = websocket.send_bytes
                action = received(message)
                if action == REPLY:
                    await send(message.data)
                elif action == CLOSE:
                    break


async def receive_all(client):
    async with ClientSession() as session:
        receiving = [receive(session, client) for _ in range(client.connections)]
        await asyncio.gather(*receiving)


client = Client.from_environment()
try:
    asyncio.run(receive_all(client))
except (OSError, ClientError, WebSocketError) as error:
    client.fail(error)
client.finish()
