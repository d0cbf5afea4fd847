"""Feeds an audience with socketify: by its publish and subscribe."""

from functools import partial

from autostrada_kit import Audience
from member import Member
from socketify import OpCode


async def publish(app, compress, feed):
    async for message in feed:
        if feed.is_paced:
            for member in feed.members:
                await member.wait_for_room()
        opcode = OpCode.TEXT if isinstance(message, str) else OpCode.BINARY
        app.publish("feed", message, opcode, compress)
    for member in feed.members:
        member.ws.end(1000, "")


def feed_handlers(app, settings):
    audience = Audience(
        settings.feed,
        partial(publish, app, settings.deflate),
        # Later: by itself the library begins a coroutine at once.
        run=partial(app.loop.loop.call_soon, app.run_async),
    )

    def upgrade(response, request, socket_context):
        names = ("key", "protocol", "extensions")
        headers = [request.get_header(f"sec-websocket-{name}") for name in names]
        response.upgrade(*headers, socket_context, Member())

    def join(ws):
        ws.subscribe("feed")
        member = ws.get_user_data()
        member.ws = ws
        member.audience = audience.join(member)

    def leave(ws, code, message):
        member = ws.get_user_data()
        member.ws = None
        member.audience.remove(member)

    return {"upgrade": upgrade, "open": join, "close": leave}
