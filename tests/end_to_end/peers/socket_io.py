"""Servers of Socket.IO in Python."""

import asyncio
import queue
from collections import Counter
from contextlib import asynccontextmanager

import socketio
from aiohttp import web
from engineio.packet import NOOP, Packet
from peers.background import LIMIT_S, in_background
from peers.feeds import encode

PACKETS_MAX = 12


class RoutingPeer:
    """
    Does for a namespace what the engine does for a path: ``/N``, ``/echo``, ``/feed``.

    There is a result for each namespace that has ended, with the keys of the engine's
    results; values that only a kernel or a close frame provides are None.
    """

    def __init__(self, *, text="hello world", feed=None, compression=None):
        self.url = None
        self._text = text
        self._feed = feed or {}
        self._sent = Counter()
        self._planned = {}
        self._subscribers = []
        self._results = queue.Queue()
        self._server = socketio.AsyncServer(
            async_mode="aiohttp",
            namespaces="*",
            http_compression=compression is not None,
        )
        self._server.on("connect", self._connect, namespace="*")
        self._server.on("disconnect", self._disconnect, namespace="*")
        self._server.on("message", self._echo, namespace="*")
        self._server.eio.on("disconnect", self._end_session)

    def result(self):
        """Return the next result."""
        return self._results.get(timeout=LIMIT_S)

    async def _connect(self, namespace, sid, environ, auth=None):
        path = namespace.strip("/")
        if path.isdigit():
            self._planned[sid] = int(path)
            self._server.start_background_task(self._push, namespace, sid)
        elif path == "feed" and self._feed:
            self._planned[sid] = self._feed["messages"]
            self._subscribers.append(sid)
            if len(self._subscribers) == self._feed.get("subscribers", 1):
                self._server.start_background_task(self._publish, namespace)
        elif path != "echo":
            raise socketio.exceptions.ConnectionRefusedError("no such namespace")

    async def _push(self, namespace, sid):
        for _ in range(self._planned[sid]):
            await self._send(self._text, namespace, sid)

    async def _publish(self, namespace):
        kind, encoding = self._feed["kind"], self._feed.get("encoding", "json")
        stocks, every_ms = self._feed.get("stocks", 1), self._feed.get("every_ms", 0)
        for number in range(self._feed["messages"]):
            message = encode(kind, encoding, number, stocks=stocks)
            for sid in self._subscribers:
                await self._send(message, namespace, sid)
            await asyncio.sleep(every_ms / 1000)
        for sid in self._subscribers:
            await self._server.disconnect(sid, namespace)

    async def _send(self, message, namespace, sid):
        await self._has_room(namespace, sid)
        await self._server.emit("message", message, to=sid, namespace=namespace)
        self._sent[sid] += 1

    async def _has_room(self, namespace, sid):
        """
        Wait until a poll has taken most packets: python-engineio reads only 16 of one.
        """
        session = self._server.manager.eio_sid_from_sid(sid, namespace)
        while session in self._server.eio.sockets:
            if self._server.eio.sockets[session].queue.qsize() < PACKETS_MAX:
                return
            await asyncio.sleep(0)

    async def _echo(self, namespace, sid, message):
        if namespace == "/echo":
            await self._send(message, namespace, sid)

    async def _disconnect(self, namespace, sid, reason):
        messages, planned = self._sent[sid], self._planned.get(sid)
        self._results.put(
            {
                "event": "result",
                "messages": messages,
                "bytes": messages * len(self._text.encode()),
                "ended": "complete" if messages == planned else "closed",
                "close_code": None,
                "acknowledged_bytes": None,
                "wire_bytes": None,
            }
        )

    async def _end_session(self, session, reason):
        """End a session and its poll, which python-engineio leaves unanswered."""
        await self._server._handle_eio_disconnect(session, reason)
        opened = self._server.eio.sockets[session]
        if not opened.upgraded:
            await opened.queue.put(Packet(NOOP))


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
