"""Receives the messages that a server pushes with LIBRARY."""

from autostrada_kit import Receiver, call_on_threads


def receive(receiver):
    # LIBRARY: open a connection to receiver.url, without compression, for messages of
    # up to 16 MiB. Each connection has its own thread here; with asyncio it may be a
    # task.
    raise NotImplementedError("client.py lacks the calls of the library")
    received = receiver.opened()
    # LIBRARY: read each message until the server closes.
    for message in ():
        if received(message):
            # LIBRARY: start the closing handshake with code 1000.
            break


receiver = Receiver.from_environment()
try:
    call_on_threads(receive, receiver)
except (OSError, NotImplementedError) as error:  # and the errors of the library
    receiver.fail(error)
receiver.finish()
