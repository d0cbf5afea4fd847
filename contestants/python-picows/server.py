"""Serves with picows' core API."""

import asyncio

from autostrada_kit import ServerSettings
from listening import MessageListener
from picows import WSListener, WSMsgType, ws_create_server

# Enumeration members, looked up once.
CLOSE, PONG = WSMsgType.CLOSE, WSMsgType.PONG

subscribers = set()


class Echo(WSListener):
    def on_ws_frame(self, transport, frame):
        kind = frame.msg_type
        if kind is CLOSE:
            transport.send_close(frame.get_close_code())
            transport.disconnect()
        elif kind is not PONG:  # The library answers pings.
            transport.send(kind, frame.get_payload_as_memoryview(), fin=frame.fin)


class Publisher(MessageListener):
    def on_message(self, message):
        is_text = isinstance(message, str)
        kind = WSMsgType.TEXT if is_text else WSMsgType.BINARY
        payload = message.encode() if is_text else message
        for transport in subscribers:
            transport.send(kind, payload)


class Subscriber(MessageListener):
    def on_ws_connected(self, transport):
        subscribers.add(transport)

    def on_message(self, message):
        pass

    def on_ws_disconnected(self, transport):
        subscribers.discard(transport)


LISTENERS = {b"/echo": Echo, b"/publish": Publisher, b"/subscribe": Subscriber}


def listener_of(request):
    listener = LISTENERS.get(request.path)
    return listener() if listener else None  # None refuses the request.


async def serve():
    server = await ws_create_server(
        listener_of,
        settings.host,
        settings.port,
        ssl=settings.tls_context(),
        # The contract requires 16 MiB; the library's default is 10 MiB.
        max_frame_size=settings.message_bytes_max,
    )
    await server.serve_forever()


settings = ServerSettings.from_environment()
asyncio.run(serve())
