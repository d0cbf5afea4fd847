"""The peer client with the peer server; cases of the calibration have the others."""


def test_every_message_of_a_push_counts_whatever_its_content(peer, serving):
    feed = {"kind": "clock", "messages": 20, "subscribers": 1}
    with serving({}, feed) as (_, url):
        plan = {
            "url": f"{url}/feed",
            "connections": 1,
            "workload": {"kind": "receive", "messages": 20},
            "slowness": {"rest_ms": 1},
            "tcp": {"receive_buffer_bytes": 65_536},
        }
        with peer("client", **plan) as client:
            assert client.line() == {"event": "ready"}
            result = client.line()
    assert (result["messages"], result["failures"]) == (20, [])
    assert result["sequence"]["missing"] == 0
