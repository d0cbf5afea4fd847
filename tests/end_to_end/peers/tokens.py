"""A server of aiohttp with TLS, to which clients show tokens."""

from contextlib import asynccontextmanager

from aiohttp import web
from peers.background import in_background

EXPIRED = "expired"


class TokenServer:
    """Echoes to clients with a token; closes at the first message if it has expired."""

    def __init__(self):
        self.counts = {"connections": 0, "messages": 0}

    async def _handle(self, request):
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        token = given or request.query.get("token")
        if not token:
            raise web.HTTPUnauthorized(text="no token")
        connection = web.WebSocketResponse()
        await connection.prepare(request)
        self.counts["connections"] += 1
        async for message in connection:
            if token == EXPIRED:
                await connection.close(code=1008, message=b"token expired")
                break
            self.counts["messages"] += 1
            await connection.send_str(message.data)
        return connection

    def serve(self, certificates):
        """Serve in the background; yield the address."""

        @asynccontextmanager
        async def server():
            application = web.Application()
            application.add_routes([web.get("/chat", self._handle)])
            runner = web.AppRunner(application)
            await runner.setup()
            tls = certificates.server()
            site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls)
            await site.start()
            host, port = runner.addresses[0]
            yield f"wss://{host}:{port}"
            await runner.cleanup()

        return in_background(server())
