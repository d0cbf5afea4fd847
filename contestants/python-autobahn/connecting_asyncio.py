"""Runs a client of Autobahn on asyncio."""

import asyncio


async def connect_one(factory):
    loop = asyncio.get_running_loop()
    _, protocol = await loop.create_connection(
        factory, factory.host, factory.port, ssl=factory.isSecure or None
    )
    await protocol.is_closed


async def connect_all(make_factory, connections):
    factory = make_factory()
    await asyncio.gather(*(connect_one(factory) for _ in range(connections)))


def run(make_factory, connections):
    asyncio.run(connect_all(make_factory, connections))
