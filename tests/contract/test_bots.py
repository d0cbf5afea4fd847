"""The contract, section 6, for every client and variant that claims it."""

import os
import re
import signal
import threading
import time

from peers.engine import serving as serving_engine

EVERY_NS = 20_000_000
WINDOW_NS = 300_000_000
LIMIT_S = 60
TERMINATION_S = 5.0
STAMPED = re.compile(r"([0-9]{20}) ([0-9]{20}) (.*)", re.DOTALL)


def environment(url, **further):
    given = {"WORKLOAD": "bots", "URL": url, "EVERY_MS": "20", "WINDOW_S": "0.3"}
    return given | further


def planned(connections, *, window_ns=WINDOW_NS):
    """Return how many events are due before an instant, of all connections."""
    offsets = [k * EVERY_NS // connections for k in range(connections)]
    return sum(-(-(window_ns - offset) // EVERY_NS) for offset in offsets)


def check(finished, *, connections, echoed, wrong=0, sent=None):
    """Hold what a client has said against clause 6.7."""
    assert (finished.status, finished.stderr) == (0, "")
    (line,) = finished.lines
    result = finished.result
    counts = result.pop("response_time_ns")
    assert result == {
        "event": "result",
        "connections": connections,
        "sent": planned(connections) if sent is None else sent,
        "echoed": echoed,
        "wrong": wrong,
        "window_ns": WINDOW_NS,
    }
    assert sum(counts.values()) == echoed
    assert all(len(latency_ns.rstrip("0")) <= 3 for latency_ns in counts)
    assert line.startswith('{"event":"result","connections":')
    return [int(ns) for ns, count in counts.items() for _ in range(count)]


def test_it_sends_when_it_is_due_and_measures_from_then(bots_player, dialect):
    with serving_engine(**dialect.engine()) as engine:
        url = dialect.address(engine.url, "/echo")
        finished = bots_player.run(**environment(url, CONNECTIONS="16"))
    check(finished, connections=16, echoed=planned(16))


class Recorder:
    """Keeps what each connection has sent, and when it came."""

    def __init__(self, echo_server, answer):
        self.by_connection = {}
        self._answer = answer
        self.server = echo_server(self._take)

    def _take(self, connection, message):
        received = self.by_connection.setdefault(id(connection), [])
        received.append((time.monotonic_ns(), message))
        self._answer(connection, message)


def echo(connection, message):
    connection.send(message)


def test_events_are_stamped_spread_and_due_by_their_number(bots_player, echo_server):
    recorder = Recorder(echo_server, echo)
    given = environment(recorder.server.url, CONNECTIONS="3", PAYLOAD="grüezi 👋")
    finished = bots_player.run(**given)
    check(finished, connections=3, echoed=planned(3))
    assert recorder.server.wait_for_close_codes(3) == [1000] * 3
    first_due = []
    for received in recorder.by_connection.values():
        for number, (received_ns, message) in enumerate(received):
            event, due_ns, payload = STAMPED.fullmatch(message).groups()
            assert (int(event), payload) == (number, "grüezi 👋")
            if number == 0:
                first_due.append(int(due_ns))
            assert int(due_ns) == first_due[-1] + number * EVERY_NS
            assert int(due_ns) <= received_ns
    start_ns = min(first_due)
    offsets = [due_ns - start_ns for due_ns in sorted(first_due)]
    assert offsets == [k * EVERY_NS // 3 for k in range(3)]


def test_it_sends_on_when_it_is_not_answered(bots_player, echo_server):
    recorder = Recorder(echo_server, lambda connection, message: None)
    given = environment(recorder.server.url, CONNECTIONS="2", DRAIN_S="0.1")
    check(bots_player.run(**given), connections=2, echoed=0)
    assert recorder.server.wait_for_close_codes(2) == [1000] * 2
    assert sum(map(len, recorder.by_connection.values())) == planned(2)


def test_what_is_due_in_the_warm_up_is_sent_and_not_counted(bots_player, echo_server):
    recorder = Recorder(echo_server, echo)
    given = environment(recorder.server.url, WARM_UP_S="0.1")
    check(bots_player.run(**given), connections=1, sent=15, echoed=15)
    assert len(recorder.server.received) == 20


def test_a_stall_is_part_of_the_response_times(bots_player, echo_server):
    stalls_s = [0.2]

    def answer(connection, message):
        if stalls_s:
            time.sleep(stalls_s.pop())
        connection.send(message)

    recorder = Recorder(echo_server, answer)
    finished = bots_player.run(**environment(recorder.server.url))
    latencies_ns = check(finished, connections=1, echoed=planned(1))
    # The first waits for as long as the stall, the second an interval less, …
    for event in range(5):
        assert sum(ns >= 200e6 - event * EVERY_NS for ns in latencies_ns) > event


def test_answers_that_are_wrong_repeated_or_lost_are_told(
    bots_player, echo_server, dialect
):
    def answer(connection, message):
        match int(message[:20]) % 5:
            case 0:
                connection.send(message)
                connection.send(message)  # Wrong: it has been answered.
            case 1:
                connection.send(message.upper())
            case 2:
                connection.send(message.encode())
            case 3:
                pass
            case 4:
                connection.send(message)

    recorder = Recorder(echo_server, answer)
    finished = bots_player.run(**environment(recorder.server.url, DRAIN_S="2"))
    # Where there are no types, three are as right as the text.
    right = 0 if dialect.has_types else 3
    check(finished, connections=1, echoed=6 + right, wrong=9 - right)


def expect_failure(finished):
    assert finished.status not in (0, 2)
    assert finished.lines == []
    assert finished.stderr.splitlines()[-1]


def test_a_server_that_ends_it_is_a_status_with_a_reason(bots_player, raw_server, end):
    def serve(peer):
        peer.upgrade()
        peer.read_text()
        end(peer)

    server = raw_server(serve)
    finished = bots_player.run(**environment(server.url, WINDOW_S="60"))
    server.served.exception()
    expect_failure(finished)


def test_a_connection_that_is_refused_is_a_status_with_a_reason(
    bots_player, unused_url
):
    expect_failure(bots_player.run(**environment(unused_url)))


def test_a_wrong_environment_is_status_2_and_names_the_variable(bots_player):
    url = "ws://127.0.0.1:1/echo"
    cases = [
        ("EVERY_MS", environment(url, EVERY_MS="0")),
        ("EVERY_MS", environment(url, EVERY_MS="soon")),
        ("WINDOW_S", environment(url, WINDOW_S="0")),
        ("DRAIN_S", environment(url, DRAIN_S="-1")),
    ]
    finished = bots_player.run_all(given for _, given in cases)
    for (variable, _), ended in zip(cases, finished, strict=True):
        assert (ended.status, ended.lines) == (2, [])
        assert variable in ended.stderr.splitlines()[-1]


def test_it_ends_when_it_is_asked_to(bots_player, echo_server):
    is_playing = threading.Event()

    def answer(connection, message):
        connection.send(message)
        is_playing.set()

    server = echo_server(answer)
    with bots_player.start(**environment(server.url, WINDOW_S="60")) as process:
        assert is_playing.wait(LIMIT_S)
        os.kill(process.pid, signal.SIGTERM)
        process.wait(time.monotonic() + TERMINATION_S)
        assert not process.has_group()
