"""Checks that the reports of both ends of a push agree."""

from autostrada.engine.messages import ServeResult
from autostrada.errors import ClosedEarly, Disagreed, Miscounted
from autostrada.evidence.rate import DISAGREEMENT_NS_MIN, DISAGREEMENT_SHARE_MAX
from autostrada.evidence.results import duration_ns
from autostrada.workloads.report import ClientReport

CLOSING_NS_MAX = 500_000_000
"""Longest time in which a library closes a connection whose end it has received."""

ENDINGS = {
    "closed": "closed the connection",
    "reset": "broke the connection",
    "violation": "broke the protocol",
}
"""What a client did that ended a push, by the engine's word for it."""


def expect_agreement(
    client: ClientReport,
    server: ServeResult,
    *,
    messages: int,
    is_divided: bool,
    is_over_tls: bool,
) -> None:
    """
    Check that both reports agree with the plan and with each other.

    ``messages`` were planned, and more if the push was divided into slices
    (``is_divided``), which the server ends.

    Raises:
        ContestantError: they disagree.
    """
    # In slices, missing ones tell that the client closed the connection too early.
    is_planned = is_divided or server.messages == messages
    if server.ended == "complete" and not is_planned:
        raise Miscounted(
            f"asked for {server.messages:,} messages instead of "
            f"{messages:,}; it counted {client.messages:,}"
        )
    # The last slice ended with a pong, so both have all messages, if they agree.
    is_measured = is_divided and server.ended == "reset"
    is_measured &= client.messages == server.messages
    if server.ended != "complete" and not is_measured:
        raise ClosedEarly(
            f"{ENDINGS[server.ended]} when "
            f"{server.messages:,} of {messages:,} messages were sent; "
            f"it counted {client.messages:,}"
        )
    if client.messages != server.messages:
        raise Miscounted(
            f"counted {client.messages:,} messages; {server.messages:,} were sent"
        )
    if client.wrong:
        raise Miscounted(f"{client.wrong:,} messages differ from what was sent")
    # Over TLS the kernel counts other bytes than those of the frames.
    if not is_over_tls and (server.acknowledged_bytes or 0) < server.wire_bytes:
        raise Miscounted(
            f"its kernel acknowledged {server.acknowledged_bytes:,} of "
            f"{server.wire_bytes:,} bytes"
        )
    _compare_clocks(client, server, is_divided=is_divided)


def _compare_clocks(
    client: ClientReport, server: ServeResult, *, is_divided: bool
) -> None:
    """
    Check that the client and the server report the same end of the connection.

    The beginning is not compared, because a library may report an open connection late.
    In slices, what is measured ends with a pong and not with the connection, and the
    client's instant is that after the library has closed it, so the clocks may differ
    by ``CLOSING_NS_MAX``.

    Raises:
        Disagreed: the times differ by too much.
    """
    server_ns, client_ns = duration_ns(server), client.ended_ns - client.opened_ns
    early_ns = server.closed_ns - client.ended_ns
    tolerated_ns = max(DISAGREEMENT_NS_MIN, DISAGREEMENT_SHARE_MAX * server_ns)
    if (
        abs(early_ns) > (CLOSING_NS_MAX if is_divided else tolerated_ns)
        or client_ns < 0
    ):
        raise Disagreed(
            f"reports {client_ns / 1e6:,.1f} ms with an end "
            f"{abs(early_ns) / 1e6:,.1f} ms {'before' if early_ns > 0 else 'after'} "
            f"that of the engine, which measured {server_ns / 1e6:,.1f} ms"
        )
