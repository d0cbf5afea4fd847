"""
Kills measured processes when the orchestrator is killed, even if they are stopped.

The guardian is one shell per orchestrator. It reads from a pipe what it has to kill,
and does so at the end of the pipe. Only the orchestrator holds the writing end, which
the kernel closes however the orchestrator ends.
"""

import atexit
import os
import subprocess
import threading
from contextlib import suppress

_SCRIPT = """\
trap '' HUP INT TERM
while read -r verb target; do
  case $verb in
    add) set -- "$@" "$target" ;;
    remove)
      for known do
        shift
        [ "$known" = "$target" ] || set -- "$@" "$known"
      done ;;
  esac
done
for target do
  case $target in
    /*) echo 1 >"$target/cgroup.kill" ;;
    *) kill -s KILL -- "-$target" ;;
  esac
done
"""


class Guardian:
    """
    A shell that kills its targets when this process ends; it starts with the first one.

    A target is the folder of a cgroup (version 2) or the ID of a process group. Its
    own session keeps Ctrl-C from the shell.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._targets: set[str] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    @property
    def pids(self) -> frozenset[int]:
        """ID of the shell; empty before it is started."""
        return frozenset({self._shell.pid} if self._shell else ())

    def add(self, target: str) -> None:
        """
        Kill a target when this process ends; start the shell if it does not run.

        Raises:
            OSError: the shell cannot be started.
        """
        with self._lock:
            self._targets.add(target)
            if self._shell and self._shell.poll() is None:
                self._write("add", target)
                return
            self._close()
            self._shell = subprocess.Popen(
                ["sh", "-c", _SCRIPT],
                bufsize=0,
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            for known in self._targets:
                self._write("add", known)

    def remove(self, target: str) -> None:
        """Forget a target, which has ended: its ID may be used again."""
        with self._lock:
            if target in self._targets:
                self._targets.remove(target)
                self._write("remove", target)

    def close(self) -> None:
        """Kill all targets, and wait for the end of the shell."""
        with self._lock:
            self._targets.clear()
            self._close()

    def begin_after_fork(self) -> None:
        """Close the copy of the pipe in a child, which has no targets."""
        if self._shell and self._shell.stdin:
            self._shell.stdin.close()
            self._shell.poll()
        self._lock = threading.Lock()
        self._targets = set()
        self._shell = None

    def _close(self) -> None:
        if self._shell and self._shell.stdin:
            self._shell.stdin.close()
            self._shell.wait()
        self._shell = None

    def _write(self, verb: str, target: str) -> None:
        # The pipe is broken if the shell was killed; the next ``add`` starts another.
        with suppress(BrokenPipeError):
            if self._shell and self._shell.stdin:
                self._shell.stdin.write(os.fsencode(f"{verb} {target}\n"))


GUARDIAN = Guardian()
"""The guardian of this process."""

atexit.register(GUARDIAN.close)
os.register_at_fork(after_in_child=GUARDIAN.begin_after_fork)
