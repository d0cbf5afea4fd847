"""Words of both ends of a feed, made up."""

from autostrada.experiment.workload import Feed
from autostrada.runner.engine import Second
from autostrada.runner.trial.feed.delivery import Delivery
from autostrada.runner.trial.feed.words import (
    Delivered,
    EngineClient,
    EngineNumbers,
    Handed,
    Numbers,
)

S = 1_000_000_000
OPENED_NS = 50 * S
NUMBERS = Numbers(in_order=20, gaps=0, missing=0, repeats=0, disorders=0, strays=0)


def feed(**more):
    settings = {"name": "feed", "kind": "feed", "feed": "sequence", "seconds": 2.0}
    return Feed(**settings | more)


def handed(messages):
    return Handed(messages=messages, payload_bytes=messages, seconds=())


def second(number, messages, closed=0):
    return Second(
        event="second", second=number, messages=messages, bytes=messages, closed=closed
    )


def delivered(messages, **more):
    values = {
        "connections": 1,
        "messages": messages,
        "payload_bytes": messages,
        "wrong": 0,
        "opened_ns": OPENED_NS,
        "ready_ns": OPENED_NS,
        "ended_ns": OPENED_NS + 2 * S,
        "seconds": (),
        "numbers": NUMBERS,
    }
    return Delivered(**values | more)


def engine_client(window_s=2.0, **more):
    values = {
        "event": "result",
        "connections": 1,
        "messages": 20,
        "bytes": 20,
        "opened_ns": OPENED_NS,
        "received_ns": OPENED_NS + 2 * S,
        "sequence": EngineNumbers(
            in_order=20, gaps=0, missing=0, duplicates=0, reordered=0, unexpected=0
        ),
        "delivery_time_ns": None,
        "connect_response_time_ns": (),
        "regularity": None,
        "busy_shares": (0.1,),
        "window_start_ns": OPENED_NS,
        "window_ns": round(window_s * S),
        "ended": "closed",
        "generator_limited": None,
    }
    return EngineClient(**values | more)


def delivery(*clients, sent=20, **workload):
    servers = [sent] if isinstance(sent, int) else sent
    return Delivery(
        workload=feed(processes=len(clients), **workload),
        handed=[handed(each) for each in servers],
        delivered=clients,
    )
