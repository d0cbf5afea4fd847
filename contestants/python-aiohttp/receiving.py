"""Receives one message with aiohttp's client session."""

from aiohttp import WSMsgType


async def receive(websocket):
    message = await websocket.receive()
    if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
        return message.data
    raise ConnectionError("closed by the server")
