"""Messages of another library's server are sent back."""

from peers.engine import load
from peers.websocket import websocket_peer


def test_a_server_that_does_not_close_is_closed_by_the_client():
    answers, close_codes = [], []

    async def push(connection):
        await connection.send("hello")
        answers.append(await connection.recv())
        await connection.wait_closed()
        close_codes.append(connection.close_code)

    workload = {"kind": "answer", "phases": {"window_s": 0.3}}
    with websocket_peer(push) as url:
        result = load(url=url, workload=workload)
    assert (answers, close_codes) == (["hello"], [1000])
    assert (result["ended"], result["answered"]) == ("complete", 1)
    assert result["failures"] == []
