"""A cluster of four hosts for tests, and the loss of one."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from ray_hosts import CLIENT_PORT

from autostrada.machine.network import in_namespace, run

COMMAND = Path(sys.executable).with_name("autostrada")
PORT = 9001


class Cluster:
    """Four hosts, and a server that they load."""

    def __init__(self, server, hosts):
        self.server = server
        self.hosts = hosts
        self.url = f"ws://{server.address}:{PORT}/echo"
        self.address = f"ray://{hosts[0].address}:{CLIENT_PORT}"

    def command(self, *options, name="load", address=None):
        hosts = ["--hosts", address or self.address]
        return [COMMAND, name, self.url, "-c", "8", *hosts, *options]

    def run(self, *options, **more):
        return self.server.run(*self.command(*options, **more))

    @contextmanager
    def started(self, *options, rate=800, seconds=8, phase="running"):
        """Start a load; it is running when each host has received messages."""
        load = ["-r", f"{rate}/s", "-d", f"{seconds}s", "--warm-up", "0s", "--plain"]
        command = self.command("--no-save", *load, *options)
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        with self.server.start(*command, **pipes, text=True) as process:
            try:
                for line in process.stderr:
                    has_all = line.count(phase) == len(self.hosts)
                    if has_all and (phase == "opening" or " 0 messages" not in line):
                        break
                yield process
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def engines(self):
        return [
            pid
            for host in self.hosts
            for pid in host.processes()
            if "load\0--plan" in command_line(pid)
        ]


def command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@contextmanager
def agent_ended(host):
    for pid in host.processes():
        if "ray::Agent" in command_line(pid):
            os.kill(pid, signal.SIGKILL)
    yield


def set_link(host, state):
    with in_namespace(host.namespace):
        run(["ip", "link", "set", "eth0", state])


@contextmanager
def unplugged(host):
    set_link(host, "down")
    yield
    set_link(host, "up")
