"""Receives with websockets: its asyncio client, or its threading client."""

import asyncio
import sys

import websockets.asyncio.client
import websockets.sync.client
from autostrada_kit import Receiver, call_on_threads, choose
from echo import exchange
from websockets.exceptions import ConnectionClosed, WebSocketException


async def receive_asyncio(receiver):
    # No compression: the contract forbids it; the library offers it by default.
    async with websockets.asyncio.client.connect(
        receiver.url, compression=None
    ) as websocket:
        received = receiver.opened()
        try:
            async for message in websocket:
                if received(message):
                    break
        except ConnectionClosed as error:
            print(error, file=sys.stderr)


def receive_threading(receiver):
    # No compression: as above.
    with websockets.sync.client.connect(receiver.url, compression=None) as websocket:
        received = receiver.opened()
        try:
            for message in websocket:
                if received(message):
                    break
        except ConnectionClosed as error:
            print(error, file=sys.stderr)


async def run_asyncio(receiver):
    connections = range(receiver.connections)
    await asyncio.gather(*(receive_asyncio(receiver) for _ in connections))


def receive(client):
    receiver = Receiver.from_environment()
    try:
        if client == "asyncio":
            asyncio.run(run_asyncio(receiver))
        else:
            call_on_threads(receive_threading, receiver)
    except (OSError, WebSocketException) as error:
        receiver.fail(error)
    receiver.finish()


workloads = {"receive": receive, "echo": exchange}
workload = choose("WORKLOAD", *workloads)
workloads[workload](client=choose("CLIENT", "asyncio", "threading"))
