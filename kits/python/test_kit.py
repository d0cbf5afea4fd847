"""The variables, and the result of a client."""

import io
import math
import os
import subprocess
import sys
import threading

import pytest
from autostrada_kit import CLOSE, REPLY, ServerSettings, call_on_threads
from autostrada_kit.client import Client, ClientSettings
from autostrada_kit.variables import SettingsError

URL = "ws://127.0.0.1:8008/5"


def test_a_client_has_its_settings():
    settings = ClientSettings.read({"URL": URL})
    assert settings == ClientSettings(url=URL)
    assert settings.messages == math.inf
    given = {"MESSAGES": "5", "CONNECTIONS": "2", "VERB": "reply"}
    settings = ClientSettings.read({"URL": URL, "COMPRESSION": "deflate", **given})
    assert (settings.messages, settings.connections) == (5, 2)
    assert settings.is_replying
    assert settings.deflate


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("URL", "http://host/"),
        ("URL", "ws://"),
        ("MESSAGES", "0"),
        ("MESSAGES", "1e6"),
        ("CONNECTIONS", "many"),
        ("VERB", "echo"),
        ("COMPRESSION", "gzip"),
    ],
)
def test_a_wrong_value_is_named(variable, value):
    with pytest.raises(SettingsError, match=f"{variable} must be .*{value!r}"):
        ClientSettings.read({"URL": URL, variable: value})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "PORT is missing"),
        ({"PORT": "65536"}, "PORT must be at most 65535"),
        ({"PORT": "1", "TLS_CERT": "missing", "TLS_KEY": "missing"}, "TLS_CERT"),
    ],
)
def test_a_wrong_variable_of_a_server_is_named(given, reason):
    with pytest.raises(SettingsError, match=reason):
        ServerSettings.read(given)


def run(code, **environment):
    paths = {"PYTHONPATH": os.path.dirname(__file__)}
    return subprocess.run(
        [sys.executable, "-c", f"from autostrada_kit import *\n{code}"],
        env=paths | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_wrong_environment_is_status_2_and_one_line():
    ended = run("Client.from_environment()", URL=URL, VERB="shout")
    assert ended.returncode == 2
    assert ended.stderr == "VERB must be count or reply, not 'shout'\n"


def test_a_failure_is_one_line():
    code = "Client.from_environment().fail(OSError('\\nrefused\\n<html>'))"
    ended = run(code, URL=URL)
    assert (ended.returncode, ended.stderr) == (
        1,
        f"cannot receive from {URL}: refused\n",
    )


class Bench:
    """A client with a manual clock."""

    def __init__(self, **settings):
        self.now_ns = 100
        self.output = io.StringIO()
        self.client = Client(
            ClientSettings(url=URL, **settings),
            clock=lambda: self.now_ns,
            output=self.output,
        )

    def result(self):
        self.client.finish()
        return self.output.getvalue()


def test_a_counting_client_closes_after_its_last_message():
    bench = Bench(messages=2, connections=2)
    first, second = bench.client.opened(), bench.client.opened()
    actions = []
    for now_ns in (101, 102, 103):
        bench.now_ns = now_ns
        actions.append(first())
    assert actions == [0, CLOSE, 0]
    assert [second(), second()] == [0, CLOSE]
    bench.now_ns = 500
    assert bench.result() == (
        '{"event":"result","connections":2,"messages":4,"opened_ns":100,'
        '"received_ns":103}\n'
    )


def test_without_its_last_message_the_result_has_the_present():
    bench = Bench(is_replying=True)
    assert bench.client.opened()() == REPLY
    bench.now_ns = 500
    assert '"messages":1,"opened_ns":100,"received_ns":500}' in bench.result()


def test_each_connection_has_a_thread():
    barrier, client = threading.Barrier(3, timeout=60), Bench(connections=3).client
    call_on_threads(lambda _: barrier.wait(), client)
    with pytest.raises(ZeroDivisionError):
        call_on_threads(lambda _: 1 / 0, client)
