"""The limit of CPU time begins when the connections of a trial are open."""

import subprocess
import sys

from tests.unit.obstacle import needs

from autostrada.machine.network import new_bridge

SCRIPT = """
import os, socket, threading
from autostrada.errors import ClosedEarly
from autostrada.runner.cpu_limit import limit_when_open

class Limits:
    def __init__(self):
        self.limited = threading.Event()

    @property
    def is_cpu_limit_pending(self):
        return not self.limited.is_set()

    def limit_cpu_time(self):
        self.limited.set()

limits = Limits()
listener = socket.create_server(("127.0.0.1", 0))
held = []

def connect(number):
    for _ in range(number):
        held.append(socket.create_connection(listener.getsockname()))
        held.append(listener.accept()[0])

with limit_when_open(limits, os.getpid(), 2 * 20):
    connect(19)
    assert not limits.limited.wait(0.2)
    connect(1)
    assert limits.limited.wait(30)
with limit_when_open(None, os.getpid(), 1):
    pass
try:
    with limit_when_open(Limits(), os.getpid(), 1):
        pass
except ClosedEarly:
    print("limited")
"""


@needs(new_bridge)
def test_cpu_time_is_limited_when_all_connections_are_open():
    # A network of its own, so that no other process opens a connection there.
    command = 'ip link set lo up && exec "$0" -c "$1"'
    arguments = ["unshare", "--net", "sh", "-c", command, sys.executable, SCRIPT]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ended.stdout == "limited\n", ended.stderr
