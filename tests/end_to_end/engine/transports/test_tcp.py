"""Options of the engine's sockets, as the kernel reports them; system calls."""

import re
import subprocess
from pathlib import Path

import pytest
from peers.engine import load
from peers.websocket import Echo, pushing, websocket_peer

AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


class SocketRecorder(Echo):
    """Queries the kernel for the sockets of its clients."""

    def __init__(self):
        super().__init__()
        self.sockets = []

    async def __call__(self, connection):
        (peer, port), (host, own) = connection.remote_address, connection.local_address
        socket = f"src {peer}:{port} and dst {host}:{own}"
        arguments = ["ss", "--tcp", "--info", "--memory", "--no-header"]
        shown = subprocess.run(
            [*arguments, socket], capture_output=True, text=True, check=True
        )
        self.sockets.append(shown.stdout)
        await super().__call__(connection)


@pytest.mark.parametrize(
    ("tcp", "shown"),
    [
        # A loopback address is reached without pacing.
        ({}, r"\sreno\s"),
        *(
            ({"congestion_control": name}, rf"\s{name}\s")
            for name in AVAILABLE.read_text().split()
        ),
        # The kernel doubles the size, for its own bookkeeping: socket(7).
        ({"receive_buffer_bytes": 40_000}, r"skmem:\([^)]*\brb80000\b"),
        ({"send_buffer_bytes": 40_000}, r"skmem:\([^)]*\btb80000\b"),
    ],
)
def test_a_socket_has_the_planned_options(tcp, shown):
    peer = SocketRecorder()
    workload = {"kind": "echo", "phases": {"window_s": 0.2}}
    with websocket_peer(peer) as url:
        result = load(url=url, tcp=tcp, workload=workload)
    assert result["failures"] == []
    (socket,) = peer.sockets
    assert re.search(shown, socket)


@pytest.mark.parametrize("frames_per_write", ["one", "many"])
def test_one_frame_or_many_can_be_sent_per_system_call(frames_per_write):
    workload = {"kind": "echo", "window": 32, "phases": {"window_s": 0.2}}
    with websocket_peer(Echo()) as url:
        tcp = {"frames_per_write": frames_per_write}
        result = load(url=url, tcp=tcp, workload=workload)
    assert result["failures"] == []
    sent = result["exchange"]["sent"]
    assert sent > 32
    assert (result["write_calls"] >= sent) == (frames_per_write == "one")


def test_bytes_are_counted_below_the_protocol():
    messages = ["x" * 1000] * 200
    with websocket_peer(pushing(messages)) as url:
        result = load(url=url, workload={"kind": "receive", "messages": 200})
    whole = 200 * (4 + 1000)
    assert whole < result["read_bytes"] < whole + 2000
    assert 0 < result["written_bytes"] < 2000
    assert result["read_calls"] > 0
