"""A server that echoes at most so many messages a second: PORT RATE MODE."""

import asyncio
import sys
import time

from websockets.asyncio.server import serve

PORT, RATE, MODE = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
BURST_S = 0.02
"""A server that was not run for so long still answers all of its rate."""


class Turns:
    """When each message has its turn."""

    def __init__(self):
        self.due_s = 0.0

    def wait_s(self):
        """Return how long a message must wait; one that does not wait is dropped."""
        now_s = time.monotonic()
        self.due_s = max(self.due_s, now_s - BURST_S)
        wait_s = self.due_s - now_s
        if wait_s <= 0 or MODE != "drop":
            self.due_s += 1 / RATE
        return wait_s


turns = Turns()


def work():
    """Use as much CPU time as a message may."""
    ends_s = time.thread_time() + 1 / RATE
    while time.thread_time() < ends_s:
        pass


async def echo(connection):
    async for message in connection:
        wait_s = turns.wait_s()
        if MODE == "work":
            work()
        elif wait_s > 0 and MODE == "drop":
            continue
        elif wait_s > 0:
            await asyncio.sleep(wait_s)
        await connection.send(message)


async def main():
    async with serve(echo, "127.0.0.1", PORT, compression=None) as server:
        print("listening", flush=True)
        await server.serve_forever()


asyncio.run(main())
