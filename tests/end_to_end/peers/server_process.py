"""Servers of contestants: started once with each environment, for several cases."""

import json
import os
import signal
import socket
import struct
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from peers.engine import load
from peers.expect import expect_no_failures
from peers.program import LIMIT_S, finish, start
from peers.protocols import PROTOCOLS

from autostrada.machine.ports import await_listener, reserved_port

TERMINATION_S = 5.0
"""Longest time from SIGTERM to the end of a program: contract, clause 2.4."""

BUFFER_BYTES = 4096


class ServerProcess:
    """A started server; reading its address waits until it listens."""

    def __init__(self, starter, environment, tls):
        self.environment = environment
        self.tls = tls
        self.protocol = starter.protocol
        self.stack = ExitStack()
        self.port = self.stack.enter_context(reserved_port())
        given = {"PORT": str(self.port)} | environment
        self.process = self.stack.enter_context(starter.run(given))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    @property
    def url(self):
        """Address of the server; waits until it listens."""
        listens = await_listener(self.process, self.port, time.monotonic() + LIMIT_S)
        assert listens, finish(self.process).stderr
        return f"{'wss' if self.tls else 'ws'}://{self.host}:{self.port}"

    @property
    def host(self):
        return self.environment.get("HOST", "127.0.0.1")

    def connect(self, path, *, compression=None, is_narrow=False):
        """Connect to a path once the server listens; return a context manager."""
        return self.protocol.connect(
            self.protocol.address(self.url, path),
            compression=compression,
            tls=self.tls.client() if self.tls else None,
            encoding=self.environment.get("ENCODING"),
            is_narrow=is_narrow,
        )

    @contextmanager
    def joined_without_reading(self, path):
        """Join a path with a small buffer; yield the socket; reset the connection."""
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            assert self.url  # Waits until the server listens.
            peer.connect((self.host, self.port))
            self.protocol.join_by_hand(peer, path)
            yield peer
            linger = struct.pack("ii", 1, 0)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    def load(self, path, *, session=None, **plan):
        """Let the engine load a path; return its result."""
        if self.tls:
            plan["tls"] = {"ca_file": str(self.tls.ca_file)}
        return load(
            **self.protocol.load_plan(self.url, path, **(session or {})), **plan
        )

    def exchange(self, *, content="text", **plan):
        """Let the engine exchange echoes, and check them; return its result."""
        payload = {"random_bytes": 1000, "type": content, "stamped": True}
        workload = {"kind": "echo", "window": 4, "payload": payload}
        workload["phases"] = {"window_s": 0.2}
        result = self.load("/echo", connections=8, workload=workload, **plan)
        expect_no_failures(result)
        assert result["exchange"]["echoed"] == result["exchange"]["sent"] > 0
        return result

    def result(self):
        """Return the server's next result; skip the seconds before it."""
        while True:
            line = json.loads(self.process.read_line(time.monotonic() + LIMIT_S))
            if line["event"] == "result":
                return line
            assert line["event"] == "second"

    def terminate(self):
        """Send SIGTERM; check that all processes end; return the unread output."""
        os.kill(self.process.pid, signal.SIGTERM)
        self.process.wait(time.monotonic() + TERMINATION_S)
        assert not self.process.has_group()
        assert processes_of(self.process.pid) == []
        return finish(self.process)


def processes_of(session):
    """Return the processes of a session: a server's, and all that it started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[3]) == session:
                found.append(int(entry.name))
    return found


class Starter:
    """A contestant whose server is built and can be started."""

    def __init__(self, subject, built):
        self.subject = subject
        self.built = built
        self.protocol = PROTOCOLS[subject.protocol]

    def run(self, environment):
        """Return the started program."""
        contestant, published = self.subject.contestant, self.subject.published
        return start(contestant, self.built, "server", environment, published=published)

    def start(self, tls=None, **environment):
        """Start the server, with the certificate and the key of ``tls`` if given."""
        if tls:
            environment["TLS_CERT"] = str(tls.certificate_file)
            environment["TLS_KEY"] = str(tls.key_file)
        return ServerProcess(self, environment, tls)


class ServerPool:
    """The servers of one contestant by name, each started on first use."""

    def __init__(self, start_named):
        self._start_named = start_named
        self._servers = {}
        self.used = set()

    def __getitem__(self, name):
        self.used.add(name)
        if name not in self._servers:
            self._servers[name] = self._start_named(name)
        return self._servers[name]

    def take(self, name):
        """Return a server that no other case uses from then on."""
        server = self[name]
        del self._servers[name]
        return server

    def discard(self):
        """End the servers that a failed test used, even during a feed."""
        for name in self.used & self._servers.keys():
            with self._servers.pop(name):
                pass

    def close(self):
        # Terminate all servers before waiting for the first.
        for server in self._servers.values():
            with suppress(ProcessLookupError):
                os.kill(server.process.pid, signal.SIGTERM)
        for server in self._servers.values():
            with server:
                pass
