"""Socket.IO in Python: a server, and a client that says something and listens."""

import asyncio
from contextlib import asynccontextmanager

import aiohttp
import socketio
from aiohttp import web
from peers.background import LIMIT_S, in_background

PING_S = 0.1


class SocketIoPeer:
    """Sends messages back, or some to whoever comes; keeps what it has seen."""

    def __init__(self, *, namespace="/", event="message", push=()):
        self.url = None
        self.transports = []
        self.messages = []
        self.acknowledged = 0
        self._push = push
        self._route = (event, namespace)
        self._server = socketio.AsyncServer(
            async_mode="aiohttp", ping_interval=PING_S, namespaces=[namespace]
        )
        self._server.on("connect", self._connect, namespace=namespace)
        self._server.on("disconnect", self._disconnect, namespace=namespace)
        self._server.on(event, self._echo, namespace=namespace)

    async def _connect(self, sid, environ):
        if self._push:
            self._server.start_background_task(self._send_all, sid)

    async def _send_all(self, sid):
        event, namespace = self._route
        for message in self._push:
            await self._server.emit(event, message, to=sid, namespace=namespace)

    async def _disconnect(self, sid, reason):
        pass

    async def _echo(self, sid, message):
        event, namespace = self._route
        self.messages.append(message)
        self.transports.append(self._server.transport(sid, namespace))
        await self._server.emit(event, message, to=sid, namespace=namespace)


class AcknowledgingPeer(SocketIoPeer):
    """Answers a message with its acknowledgement."""

    async def _echo(self, sid, message):
        self.messages.append(message)
        self.transports.append(self._server.transport(sid, self._route[1]))
        return message


def socket_io_peer(peer, *, ssl=None):
    """Serve in the background; yield the peer."""

    @asynccontextmanager
    async def server():
        application = web.Application()
        peer._server.attach(application)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=ssl)
        await site.start()
        host, port = runner.addresses[0]
        peer.url = f"{'https' if ssl else 'http'}://{host}:{port}"
        try:
            yield peer
        finally:
            await peer._server.shutdown()
            await runner.cleanup()

    return in_background(server())


def talk(url, namespace, *, transport, ssl=None, **wanted):
    """Send some messages, receive so many; return these."""
    return asyncio.run(_talk(url, namespace, transport, ssl, **wanted))


async def _talk(url, namespace, transport, ssl, **wanted):
    connector = aiohttp.TCPConnector(ssl=ssl or True)
    async with (
        asyncio.timeout(LIMIT_S),
        aiohttp.ClientSession(connector=connector) as session,
        socketio.AsyncSimpleClient(http_session=session, reconnection=False) as client,
    ):
        await client.connect(url, namespace=namespace, transports=[transport])
        assert client.transport == transport
        return await converse(client, **wanted)


async def converse(client, *, messages, event="message", send=(), acknowledge=False):
    if acknowledge:
        return [await client.call(event, message) for message in send]
    for message in send:
        await client.emit(event, message)
    received = [await client.receive() for _ in range(messages)]
    assert {name for name, _ in received} == {event}
    return [message for _, message in received]
