"""Bots without a library, over framed TCP: docs/contract.md, 6 and 10."""

import json
import os
import socket
import struct
import time
from collections import Counter
from urllib.parse import urlsplit


def write(connection, payload):
    connection.sendall(struct.pack(">I", len(payload)) + payload)


def read(stream):
    (length,) = struct.unpack(">I", stream.read(4))
    return stream.read(length)


def main():
    url = urlsplit(os.environ["URL"])
    count = int(os.environ["CONNECTIONS"])
    every_ns, warm_up_ns, window_ns = (
        round(float(os.environ[name]) * factor)
        for name, factor in (("EVERY_MS", 1e6), ("WARM_UP_S", 1e9), ("WINDOW_S", 1e9))
    )
    connections = []
    for _ in range(count):
        connection = socket.create_connection((url.hostname, url.port))
        write(connection, url.path.encode())
        connections.append((connection, connection.makefile("rb")))
    start_ns = time.monotonic_ns()
    due = sorted(
        (number * every_ns // count + event * every_ns, number, event)
        for number in range(count)
        for event in range(-(-(warm_up_ns + window_ns) // every_ns))
    )
    times = Counter()
    for offset_ns, number, event in due:
        if offset_ns >= warm_up_ns + window_ns:
            continue
        due_ns = start_ns + offset_ns
        time.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
        connection, stream = connections[number]
        payload = f"{event:020} {due_ns:020} {os.environ['PAYLOAD']}".encode()
        write(connection, payload)
        assert read(stream) == payload
        if offset_ns >= warm_up_ns:
            times[time.monotonic_ns() - due_ns] += 1
    sent = sum(times.values())
    is_wrong = os.environ.get("FAULT") == "miscounts"
    result = {
        "event": "result",
        "connections": count,
        "sent": sent + is_wrong,
        "echoed": sent,
        "wrong": 0,
        "window_ns": window_ns,
        "response_time_ns": times,
    }
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
