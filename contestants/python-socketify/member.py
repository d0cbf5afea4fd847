"""A member of the audience of a feed, with socketify."""

import asyncio

# A continuous feed waits for a member for which the library keeps more than this.
BUFFERED_BYTES_MAX = 64 * 1024


class Member:
    """What the library keeps for a connection, of which each event gets an object."""

    def __init__(self):
        self.ws = None
        self.has_drained = asyncio.Event()

    async def wait_for_room(self):
        while self.ws and self.ws.get_buffered_amount() > BUFFERED_BYTES_MAX:
            self.has_drained.clear()
            await self.has_drained.wait()
