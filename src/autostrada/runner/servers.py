"""Servers that the trials of a start use one after the other."""

from contextlib import ExitStack

from autostrada.runner.processes import TrialProcess, serving
from autostrada.runner.topology import Instance

Kind = tuple[object, ...]


class SharedServers:
    """Running servers, which were launched as each trial would launch its own."""

    def __init__(self) -> None:
        self._running: dict[Kind, tuple[TrialProcess, ExitStack]] = {}

    def take(self, instance: Instance) -> tuple[TrialProcess, bool]:
        """
        Return a server, and whether it has served another trial; see ``give_back``.

        Raises:
            AutostradaError: it does not start, or does not listen.
        """
        kind = _kind(instance)
        if kind in self._running:
            server = self._running[kind][0]
            assert server.local, "servers are on this machine"
            server.local.resume()
            return server, True
        with ExitStack() as stack:
            server = stack.enter_context(serving(instance))
            self._running[kind] = server, stack.pop_all()
        return server, False

    def give_back(self, server: TrialProcess) -> None:
        """Stop a server until the next trial takes it, as it may not be idle."""
        assert server.local, "servers are on this machine"
        server.local.stop()

    def discard(self, server: TrialProcess) -> None:
        """End a server that has failed; the next trial starts another one."""
        _, stack = self._running.pop(_kind(server.instance))
        stack.close()

    @property
    def pids(self) -> set[int]:
        """IDs of the processes."""
        servers = (server.local for server, _ in self._running.values())
        return {server.pid for server in servers if server}

    def end(self) -> None:
        """End all servers."""
        with ExitStack() as stack:
            for _, running in self._running.values():
                stack.push(running)
            self._running.clear()


def _kind(instance: Instance) -> Kind:
    launch = instance.launch
    environment = {**launch.environment, "PORT": ""}
    return (
        *launch.arguments,
        launch.folder,
        *sorted(environment.items()),
        instance.cpus,
    )
