"""Receives messages with LIBRARY."""

from autostrada_kit import CLOSE, REPLY, Client, run_threads


def receive(client):
    # LIBRARY: open a connection to client.url, without compression, for messages of up
    # to 16 MiB. Each connection has a thread here; run_tasks has tasks.
    raise NotImplementedError("client.py lacks the calls of the library")
    received = client.opened()
    # LIBRARY: receive each message until the server closes.
    for message in ():
        action = received(message)
        if action == REPLY:
            pass  # LIBRARY: send the message back, with the same type.
        elif action == CLOSE:
            break  # LIBRARY: start the closing handshake with code 1000.


# LIBRARY: its errors follow the client.
run_threads(receive, Client.from_environment(), NotImplementedError)
