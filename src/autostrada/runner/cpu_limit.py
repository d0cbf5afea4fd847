"""Limits the CPU time of the servers' host when the connections of a trial are open."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autostrada.errors import ClosedEarly
from autostrada.machine.limited_cgroup import LimitedCgroup

POLL_EVERY_S = 0.02

_SOCKETS = re.compile(r"^TCP: inuse (\d+)", re.MULTILINE)


@contextmanager
def limit_when_open(
    limits: LimitedCgroup | None, pid: int, sockets: int
) -> Iterator[None]:
    """
    Limit the CPU time as soon as ``sockets`` more are open than now, by a thread.

    Before, the servers open connections as fast as the machine permits. The sockets
    counted are those of TCP in the network namespace of the process ``pid``. One of a
    hundred may lack, as other programs may have closed some of theirs.

    Raises:
        ClosedEarly: the block ended without the limit.
    """
    if limits is None or not limits.is_cpu_limit_pending:
        yield
        return
    wanted = open_sockets(pid) + sockets - sockets // 100
    is_over = threading.Event()

    def limit() -> None:
        while not is_over.wait(POLL_EVERY_S):
            if open_sockets(pid) >= wanted:
                limits.limit_cpu_time()
                return

    thread = threading.Thread(target=limit)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
    if limits.is_cpu_limit_pending:
        raise ClosedEarly(
            "never had all connections open together, so that its CPU time was not "
            "limited",
            process="server",
        )


def open_sockets(pid: int) -> int:
    """
    Return the number of TCP sockets in the namespace of a process, listeners included.

    It is 0 if the process has ended.
    """
    try:
        text = Path(f"/proc/{pid}/net/sockstat").read_text(encoding="ascii")
    except OSError:
        return 0
    found = _SOCKETS.search(text)
    return int(found[1]) if found else 0
