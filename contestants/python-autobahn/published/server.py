"""Sends a feed with Autobahn on asyncio or Twisted."""

import asyncio

from autostrada_feeds import FeedSettings
from autostrada_kit import ServerSettings, choose


def serve():
    # The choice is per process: the library makes it when it is imported.
    if api == "twisted":
        import server_twisted
        from feed_twisted import TwistedConnection, make_subscribers

        server_twisted.serve(settings, TwistedConnection, make_subscribers(feed))
    else:
        import server_asyncio
        from feed_asyncio import AsyncioConnection, make_subscribers

        subscribers = make_subscribers(feed, send)
        asyncio.run(server_asyncio.serve(settings, AsyncioConnection, subscribers))


settings = ServerSettings.from_environment()
feed = FeedSettings.from_environment()
api = choose("API", "asyncio", "twisted")
send = choose("SEND", "sync", "async")
serve()
