"""Checks of contestants, whose failures say in words what came."""

import re

import pytest
from peers.engine import failures
from peers.program import LIMIT_S
from websockets.exceptions import ConnectionClosed


def expect_success(finished):
    """Check that a program ended with status 0."""
    assert finished.status == 0, ended_with(finished)


def expect_failure(finished):
    """Check a status that is neither success nor misuse, with a reason on stderr."""
    assert finished.status not in (0, 2), ended_with(finished)
    assert finished.lines == [], f"it failed, but printed {finished.lines[0]}"
    assert finished.stderr.strip(), "it failed without a reason on stderr"


def expect_refusal(finished, variable):
    """Check that an invalid variable caused status 2, and one line that names it."""
    assert finished.status == 2, f"{variable} was invalid, but {ended_with(finished)}"
    assert finished.lines == [], f"it failed, but printed {finished.lines[0]}"
    reason = finished.stderr.strip() or "nothing"
    assert "\n" not in reason, f"its reason has several lines: {reason}"
    is_named = re.search(rf"\b{variable}\b", reason)
    assert is_named, f"its reason does not name {variable}: {reason}"


def ended_with(finished):
    """Say how a program ended."""
    reason = finished.stderr.splitlines()[-1:]
    return " with: ".join([f"it ended with status {finished.status}", *reason])


def expect_count(count, wanted, what="messages"):
    """Check how many messages or connections were counted."""
    assert count == wanted, f"{count} {what} were counted instead of {wanted}"


def expect_close(code, protocol=None):
    """Check the status with which a connection was closed: 1000, or as a protocol."""
    is_proper = protocol.is_proper(code) if protocol else code == 1000
    status = "without a status" if code is None else f"with status {code}"
    assert is_proper, f"the connection was closed {status}"


def expect_answer(connection, wanted):
    """Check the next message of a connection."""
    try:
        answer = connection.recv(timeout=LIMIT_S)
    except ConnectionClosed as error:
        status = f"with status {error.rcvd.code}" if error.rcvd else "without a status"
        pytest.fail(f"the connection was closed {status} instead of an answer")
    except TimeoutError:
        pytest.fail(f"nothing was answered within {LIMIT_S} s")
    kinds = ["text" if isinstance(each, str) else "binary" for each in (answer, wanted)]
    assert kinds[0] == kinds[1], f"the answer to a {kinds[1]} message was {kinds[0]}"
    shown = [
        each if len(each) <= 40 else f"{len(each)} bytes" for each in (answer, wanted)
    ]
    assert answer == wanted, f"the answer was {shown[0]!r} instead of {shown[1]!r}"


def expect_compression(result):
    """Check that the engine's connections were compressed in both directions."""
    (granted,) = result["compression"]["connections"]
    assert granted.startswith("permessage-deflate")
    for direction in ("sent", "received"):
        assert result["compression"][direction]["messages"] > 0


def expect_no_failures(result):
    """Check that the engine, as the client, saw no failure."""
    found = failures(result)
    counted = ", ".join(f"{kind} {count}" for kind, count in found.items())
    assert not found, f"the engine counted failures: {counted}"
