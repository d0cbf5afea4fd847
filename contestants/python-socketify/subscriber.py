"""A subscriber of a feed, with socketify."""

import asyncio

# A continuous feed waits for a subscriber for which the library keeps more than this.
BUFFERED_BYTES_MAX = 64 * 1024
LOOK_EVERY_S = 0.001


class Subscriber:
    """What the library keeps for a connection, of which each event gets an object."""

    def __init__(self):
        self.ws = None

    async def wait_for_room(self):
        # It is looked for, because the library forgets whom its `drain` is to tell.
        while self.ws and self.ws.get_buffered_amount() > BUFFERED_BYTES_MAX:
            await asyncio.sleep(LOOK_EVERY_S)
