"""Echoes messages and sends a feed with Autobahn on asyncio or Twisted."""

import asyncio

from autostrada_kit import ServerSettings, choose, run_workers


def serve():
    # The choice is per process: the library makes it when it is imported.
    if api == "twisted":
        import server_twisted

        server_twisted.serve(settings)
    else:
        import server_asyncio

        asyncio.run(server_asyncio.serve(settings, send))


settings = ServerSettings.from_environment()
api = choose("API", "asyncio", "twisted")
send = choose("SEND", "sync", "async")
run_workers(settings.workers, serve)
