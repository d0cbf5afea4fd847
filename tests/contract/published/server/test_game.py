"""The published programs, section 3: the game server and its variants."""

import base64

import pytest
from peers.expect import expect_answer, expect_count, expect_no_failures
from peers.program import cpu_ns

pytestmark = [pytest.mark.where("work"), pytest.mark.clause("published 3.3")]

POLLING = {"transport": "polling"}
NO_PACKETS = [
    '{"event":"aGk="',
    '{"event":"aGk="} {}',
    '{"event":"hello world"}',
    '{"action":"aGk="}',
    '{"event":"aGk=","player":1}',
    '{"event":1}',
    '["event","aGk="]',
    "1",
    b"\x00\xff",
]


@pytest.mark.clause("published 3.1")
def test_each_answer_costs_the_configured_cpu_time_and_is_in_order(starter):
    work_us, numbers = 2000, [str(number) for number in range(20)]
    given = {"FEED": "hello", "MESSAGES": "1", "WORK_US": str(work_us)}
    with starter.start(**given) as server, server.connect("/echo") as connection:
        before_ns = cpu_ns(server.process.pid)
        for number in numbers:
            connection.send(number)
        for number in numbers:
            expect_answer(connection, number)
        used_ns = cpu_ns(server.process.pid) - before_ns
    assert used_ns >= len(numbers) * work_us * 1000


@pytest.fixture
def connection(pool):
    with pool["sequence json"].connect("/echo") as opened:
        yield opened


def packet(event):
    return f'{{"event":"{base64.b64encode(event).decode()}"}}'


@pytest.mark.clause("published 3.2")
@pytest.mark.where("packets")
def test_packets_are_decoded_and_answered_with_their_bytes(connection):
    connection.send('{ "event" : "aGVs\\u0062G8=" }')
    expect_answer(connection, packet(b"hello"))
    for length in [0, 1, 2, 3, 200, 70_000]:
        sent = packet(bytes(number % 251 for number in range(length)))
        connection.send(sent)
        expect_answer(connection, sent)


@pytest.mark.clause("published 3.2")
@pytest.mark.where("packets")
def test_what_is_no_packet_is_returned_unchanged(connection):
    for message in NO_PACKETS:
        connection.send(message)
        expect_answer(connection, message)


@pytest.mark.where("polling")
@pytest.mark.parametrize("content", ["text", "binary"])
def test_messages_are_returned_by_polling(pool, content):
    pool["sequence json"].exchange(content=content, session=POLLING)


@pytest.mark.where("polling")
@pytest.mark.parametrize("name", ["clock binary", "sequence json"])
def test_a_feed_is_sent_by_polling(pool, name):
    server = pool[name]
    kind, encoding = name.split()
    messages = int(server.environment["MESSAGES"])
    feed = {"kind": kind, "encoding": encoding}
    # Counted from the grant, with which the first messages, or all, may arrive.
    workload = {"kind": "receive", "feed": feed, "messages": messages}
    result = server.load("/feed", session=POLLING, workload=workload)
    expect_no_failures(result)
    expect_count(result["wrong"], 0, "wrong messages")
    expect_count(result["messages"], messages)
    assert server.result()["messages"] == messages
