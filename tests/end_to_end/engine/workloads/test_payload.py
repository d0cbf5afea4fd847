"""Payloads as the server of another library receives them."""

import base64
import re
import time

import pytest
from peers.engine import load
from peers.websocket import Echo, FragmentEcho, websocket_peer


def messages_of(payload, peer=None, **settings):
    """Send a payload in a closed loop; return the received messages in order."""
    peer = peer or Echo()
    workload = {"kind": "echo", "payload": payload, "phases": {"window_s": 0.2}}
    with websocket_peer(peer) as url:
        result = load(url=url, workload=workload, **settings)
    assert result["failures"] == []
    assert result["exchange"]["echoed"] == len(peer.messages) > 0
    return peer.messages


def test_a_text_is_sent():
    assert set(messages_of({"text": "grüezi"})) == {"grüezi"}


def test_the_default_payload_is_hello_world():
    assert set(messages_of({"text": "hello world"})) == {"hello world"}
    peer = Echo()
    with websocket_peer(peer) as url:
        load(url=url, workload={"kind": "echo", "phases": {"window_s": 0.2}})
    assert set(peer.messages) == {"hello world"}


def test_a_text_may_be_empty():
    assert set(messages_of({"text": ""})) == {""}


def test_a_text_can_be_sent_as_binary():
    assert set(messages_of({"text": "grüezi", "type": "binary"})) == {"grüezi".encode()}


def test_bytes_are_sent():
    content = bytes(range(256))
    payload = {"base64": base64.b64encode(content).decode()}
    assert set(messages_of(payload)) == {content}


def test_bytes_can_be_sent_as_text():
    payload = {"base64": base64.b64encode("grüezi".encode()).decode(), "type": "text"}
    assert set(messages_of(payload)) == {"grüezi"}


@pytest.mark.parametrize("length", [1, 125, 126, 65_536])
def test_random_bytes_have_the_given_length(length):
    messages = messages_of({"random_bytes": length})
    assert {(type(message), len(message)) for message in messages} == {(bytes, length)}


def test_random_text_consists_of_letters_and_digits():
    messages = messages_of({"random_bytes": 300, "type": "text"})
    assert all(re.fullmatch("[0-9A-Za-z]{300}", message) for message in messages)


@pytest.mark.parametrize("kind", ["text", "binary"])
def test_the_same_seed_gives_the_same_messages(kind):
    def first(seed):
        return messages_of({"random_bytes": 64, "type": kind, "seed": seed})[0]

    assert first(1) == first(1) != first(2)


def test_the_lines_of_a_file_are_sent_in_turn(tmp_path):
    lines = ["one", "zwei", "", "quatre", "çinque"]
    file = tmp_path / "lines.txt"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    messages = messages_of({"file": str(file)})
    assert len(messages) > len(lines)
    assert messages == [lines[n % len(lines)] for n in range(len(messages))]


def test_a_stamped_text_begins_with_its_number_and_time():
    before_ns = time.monotonic_ns()
    messages = messages_of({"text": "hello", "stamped": True})
    found = [re.fullmatch(r"(\d{20}) (\d{20}) hello", message) for message in messages]
    assert [int(match[1]) for match in found] == list(range(len(messages)))
    instants = [before_ns, *(int(match[2]) for match in found), time.monotonic_ns()]
    assert instants == sorted(instants)


def test_stamped_bytes_begin_with_their_number_and_time():
    payload = {"base64": base64.b64encode(b"hello").decode(), "stamped": True}
    before_ns = time.monotonic_ns()
    messages = messages_of(payload)
    assert {message[16:] for message in messages} == {b"hello"}
    numbers = [int.from_bytes(message[:8], "big") for message in messages]
    assert numbers == list(range(len(messages)))
    sent_ns = [int.from_bytes(message[8:16], "big") for message in messages]
    instants = [before_ns, *sent_ns, time.monotonic_ns()]
    assert instants == sorted(instants)


def test_numbers_count_per_connection():
    messages = messages_of({"text": "", "stamped": True}, connections=3)
    numbers = sorted(int(message[:20]) for message in messages)
    assert numbers[:4] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("payload", "fragments"),
    [
        (
            {"text": "0123456789" * 2 + "01234"},
            ["0123456789", "0123456789", "01234"],
        ),
        ({"text": "0123456789"}, ["0123456789"]),
        ({"text": "123456789ü12345"}, ["123456789", "ü12345"]),
        ({"base64": base64.b64encode(b"0123456789x").decode()}, [b"0123456789", b"x"]),
    ],
    ids=["three", "one", "in a character", "binary"],
)
def test_long_messages_are_sent_in_fragments(payload, fragments):
    messages = messages_of(payload | {"fragment_bytes": 10}, FragmentEcho())
    assert all(message == fragments for message in messages)
