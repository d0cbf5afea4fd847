"""A subscriber of a feed, with socketify."""

import asyncio

# A continuous feed waits for a subscriber with more buffered bytes than this.
BUFFERED_BYTES_MAX = 64 * 1024
POLL_INTERVAL_S = 0.001


class Subscriber:
    """State of a connection: the library passes a new object to each event."""

    def __init__(self):
        self.ws = None

    async def wait_for_room(self):
        # Polls, because the library does not call `drain` for the right connection.
        while self.ws and self.ws.get_buffered_amount() > BUFFERED_BYTES_MAX:
            await asyncio.sleep(POLL_INTERVAL_S)
