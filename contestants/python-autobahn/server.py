"""Serves with Autobahn on asyncio or Twisted."""

import asyncio

from autostrada_kit import ServerSettings, choose


def serve():
    # The choice is per process: the library makes it when it is imported.
    if api == "twisted":
        import server_twisted

        server_twisted.serve(settings)
    else:
        import server_asyncio

        asyncio.run(server_asyncio.serve(settings))


settings = ServerSettings.from_environment()
api = choose("API", "asyncio", "twisted")
serve()
