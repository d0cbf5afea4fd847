"""Commands of docs/load.md, as they are there, with servers of other projects."""

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from peers.background import LIMIT_S
from peers.engine import count
from peers.tool import tool
from peers.websocket import websocket_peer

from autostrada.machine.ports import await_listener, reserved_port
from autostrada.machine.process import Command, Process
from autostrada.runner.load import read_report

DOCUMENT = Path(__file__).parents[3] / "docs" / "load.md"
COMMANDS = re.findall(r"^\$ (.*)$", DOCUMENT.read_text(), re.MULTILINE)
AUTOSTRADA = Path(sys.executable).with_name("autostrada")
BUN = "node_modules/@oven/bun-linux-x64/bin/bun"


def documented(part):
    """Return the first command of the document that has this part."""
    return next(command for command in COMMANDS if part in command)


def called(command, url, options, folder):
    """Run a command with another address and more options; return how it ended."""
    _, verb, address, *arguments = shlex.split(command, comments=True)
    there = urlsplit(address)._replace(netloc=urlsplit(url).netloc).geturl()
    file = folder / "report.json"
    return subprocess.run(
        [AUTOSTRADA, verb, there, *arguments, *options.split(), "--json", file],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def loaded(part, url, options, folder):
    """Carry out a documented load; return its exit status and its report."""
    ended = called(documented(part), url, options, folder)
    file = folder / "report.json"
    assert file.exists(), ended.stderr
    return ended.returncode, read_report(file.read_text())


def failures(report):
    return {failure.kind: failure.count for failure in report.failures}


@pytest.mark.parametrize(
    ("kind", "part", "answered", "counted"),
    [
        ("echo", "-r 10/s/conn", 40, 40),
        ("bun", "-r 10/s/conn", 40, 40),
        ("socketio", "http://", 40, 40),
        # The server counts no first message of a connection.
        ("graphql", "/graphql", 12, 8),
        ("mqtt", "/mqtt", 12, 12),
        ("stomp", "v12.stomp", 12, 8),
    ],
)
def test_what_is_said_is_what_the_server_counts(
    kind, part, answered, counted, node, tmp_path
):
    if file := re.search(r"--message-file (\S+)", documented(part)):
        command = ["bash", "-c", documented(f"> {file[1]}")]
        subprocess.run(command, cwd=tmp_path, check=True)
    runtime = BUN if kind == "bun" else "node"
    with node.serve("load_servers", kind=kind, runtime=runtime) as server:
        status, report = loaded(part, server.url, f"-c 4 -n {answered}", tmp_path)
        assert server.report() == {"connections": 4, "messages": counted}
    assert (status, failures(report), report.connections) == (0, {}, 4)
    assert report.exchange.completed == answered


def test_a_streamed_answer_is_timed_by_its_parts(node, tmp_path):
    with node.serve("load_servers", kind="model") as server:
        status, report = loaded("/model", server.url, "-c 4 -n 12", tmp_path)
        assert server.report() == {"connections": 4, "messages": 12}
    exchange = report.exchange
    assert (status, failures(report), exchange.completed) == (0, {}, 12)
    assert report.messages == 12 * 21
    assert count(exchange.first_message_time_ns) == 12
    assert count(exchange.message_gap_ns) == 12 * 20


def test_a_server_that_ends_while_its_limit_is_searched_has_answered_before(
    node, tmp_path
):
    quick = "--step-time 300ms --settle 0s"
    with node.serve("load_servers", kind="crashes") as server:
        command = documented("find ws://localhost:8080/echo")
        ended = called(command, server.url, quick, tmp_path)
    assert ended.returncode == 1, ended.stderr
    assert "the server answered earlier loads, but not that with " in ended.stderr


def test_users_have_tokens_and_one_of_them_has_expired(certificates, tmp_path):
    received = []

    async def chat(connection):
        token = connection.request.headers["Authorization"]
        async for message in connection:
            if token == "Bearer expired":
                await connection.close(1008, "token expired")
                return
            received.append(message)
            await connection.send(message)

    (tmp_path / "users.csv").write_text("room,token\na,one\nb,two\nc,expired\n")
    options = f"-c 6 -r 10/s/conn -d 1s --warm-up 0s --ca {certificates.ca_file}"
    with websocket_peer(chat, ssl=certificates.server()) as url:
        status, report = loaded("--users users.csv", url, options, tmp_path)
    assert (status, report.connections, report.lost) == (0, 6, 2)
    assert report.messages == len(received) > 0
    [failure] = report.failures
    assert (failure.kind, failure.count) == ("close", 2)
    assert failure.example.endswith("1008: token expired")


NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log stderr;
events {{ worker_connections 256; }}
http {{
  access_log off; limit_conn_zone $server_port zone=all:1m;
  client_body_temp_path {folder}/1; proxy_temp_path {folder}/2;
  fastcgi_temp_path {folder}/3; uwsgi_temp_path {folder}/4; scgi_temp_path {folder}/5;
  server {{
    listen 127.0.0.1:{port}; limit_conn all 5; limit_conn_status 503;
    proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection upgrade; proxy_read_timeout 2s;
    location / {{ proxy_pass http://{server}; }}
  }}
}}
"""
"""A proxy with five connections, which may be idle for two seconds."""


@pytest.fixture
def proxy_url(node, tmp_path):
    program = tool("nginx-light", "nginx")
    file = tmp_path / "nginx.conf"
    arguments = [program, "-e", "stderr", "-c", str(file)]
    command = Command(arguments=arguments, folder=tmp_path)
    with node.serve("load_servers", kind="echo") as server, reserved_port() as port:
        address = urlsplit(server.url).netloc
        file.write_text(NGINX.format(folder=tmp_path, port=port, server=address))
        with Process(command) as process:
            assert await_listener(process, port, time.monotonic() + LIMIT_S)
            yield f"ws://127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("part", "options", "said"),
    [
        ("-r 10/s/conn", "-c 8 -d 1s", (0, 5, 0, {"handshake": 3})),
        ("--receive -d 2m ", "-c 4 -d 4s", (1, 4, 4, {"close": 4})),
        ("--receive -d 2m --ping", "-c 4 -d 4s --ping 200ms", (0, 4, 0, {})),
    ],
    ids=["full", "idle", "pings"],
)
def test_a_proxy_limits_connections_and_their_idle_time(
    part, options, said, proxy_url, tmp_path
):
    options += " --warm-up 0s"
    status, report = loaded(part, proxy_url, options, tmp_path)
    assert (status, report.connections, report.lost, failures(report)) == said
    assert (report.incomplete is None) == (report.lost == 0)


def test_the_connections_that_a_proxy_takes_are_found(proxy_url, tmp_path):
    quick = "--to 8 --steps 2 --repeats 1 --step-time 1s --settle 0s"
    command = documented("find ws://localhost:8080/ --vary connections")
    ended = called(command, proxy_url, quick, tmp_path)
    assert ended.returncode == 0, ended.stderr
    found = json.loads((tmp_path / "report.json").read_text())
    assert (found["met"], found["violated"]) == (5, 6)
