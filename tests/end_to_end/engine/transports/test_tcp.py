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


def inspected(tcp):
    """Return the kernel's data on a client's socket with these options."""
    peer = SocketRecorder()
    workload = {"kind": "echo", "phases": {"window_s": 0.2}}
    with websocket_peer(peer) as url:
        result = load(url=url, tcp=tcp, workload=workload)
    assert result["failures"] == []
    (shown,) = peer.sockets
    return shown


def test_a_loopback_address_is_reached_without_pacing():
    assert re.search(r"\sreno\s", inspected({}))


@pytest.mark.parametrize("name", AVAILABLE.read_text().split())
def test_congestion_control_can_be_chosen(name):
    assert re.search(rf"\s{name}\s", inspected({"congestion_control": name}))


@pytest.mark.parametrize(
    ("key", "mark"), [("receive_buffer_bytes", "rb"), ("send_buffer_bytes", "tb")]
)
def test_buffers_have_the_requested_size(key, mark):
    shown = inspected({key: 40_000})
    memory = re.search(rf"skmem:\([^)]*\b{mark}(\d+)", shown)
    # The kernel doubles the size, for its own bookkeeping: socket(7).
    assert int(memory[1]) == 80_000


def exchanged(frames_per_write):
    workload = {"kind": "echo", "window": 32, "phases": {"window_s": 0.2}}
    with websocket_peer(Echo()) as url:
        tcp = {"frames_per_write": frames_per_write}
        result = load(url=url, tcp=tcp, workload=workload)
    assert result["failures"] == []
    return result


def test_one_frame_can_be_sent_per_system_call():
    result = exchanged("one")
    assert result["write_calls"] >= result["exchange"]["sent"] > 32


def test_many_frames_can_be_sent_per_system_call():
    result = exchanged("many")
    assert 0 < result["write_calls"] < result["exchange"]["sent"]


def test_bytes_are_counted_below_the_protocol():
    messages = ["x" * 1000] * 200
    with websocket_peer(pushing(messages)) as url:
        result = load(url=url, workload={"kind": "receive", "messages": 200})
    whole = 200 * (4 + 1000)
    assert whole < result["read_bytes"] < whole + 2000
    assert 0 < result["written_bytes"] < 2000
    assert result["read_calls"] > 0
