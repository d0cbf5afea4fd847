"""Servers of the user's own as both sides, each started by a command."""

import json
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from autostrada.contestants.contestant import Contestant, parse_manifest
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment
from autostrada.regress.sides import RegressSide, expect_sameness
from autostrada.workloads.echo import Echo

PORT = "{port}"
"""Stands for the number of the port in a URL and a command."""

URL = re.compile(rf"ws://(127\.0\.0\.1|localhost):{re.escape(PORT)}(/[!-~]*)?")

NAMES = "own-before", "own-after"
"""Names of the folders of both sides, and so of their contestants."""


@contextmanager
def find_servers(
    commands: Sequence[str], *, is_same: bool
) -> Iterator[tuple[RegressSide, RegressSide]]:
    """
    Make a contestant of each command, for the block.

    A command is run by a shell in the current folder. It listens on the port that
    ``{port}`` stands for, or the variable ``PORT``.

    Raises:
        UsageError: both commands are the same contrary to ``is_same``.
    """
    with tempfile.TemporaryDirectory(prefix="autostrada-regress-") as folder:
        first, second = (
            RegressSide(label=command, contestant=_server(Path(folder, name), command))
            for name, command in zip(NAMES, commands, strict=True)
        )
        expect_sameness((first, second), is_same=is_same)
        yield first, second


def _server(folder: Path, command: str) -> Contestant:
    """Return a contestant that is a server and needs no build."""
    # The program takes the place of the shell, also after assignments of variables.
    own = command.replace(PORT, "$PORT")
    script = f"cd {shlex.quote(str(Path.cwd()))} && exec env {own}"
    manifest = f"""
        library = "server"
        homepage = ""
        [server]
        command = {json.dumps(["sh", "-c", script])}
        publish = false
        [version]
        command = {json.dumps(["printf", "%s", command])}
    """
    folder.mkdir()
    (folder / "contestant.toml").write_text(manifest, encoding="utf-8")
    return parse_manifest(manifest, folder=folder)[0]


def echoes_of(
    url: str, connections: int | None, experiment: Experiment
) -> Mapping[str, Sequence[str]]:
    """
    Return the overrides with which the echoes of an experiment load a server at a URL.

    The next message answers each, and a workload's own path precedes that of the URL.

    Raises:
        UsageError: the URL is not one of this machine, without TLS and with ``{port}``,
            or the experiment has no echo without TLS and compression.
    """
    found = URL.fullmatch(url)
    if not found:
        raise UsageError(
            f"--url {url!r}: write it like ws://127.0.0.1:{PORT}/path, where {PORT} "
            f"stands for another number on each start"
        )
    own: dict[str, object] = {"path": found[2] or "/", "reply": "next"}
    echoes = {
        workload.name: tuple(
            f"{workload.name}.{key}={json.dumps(value)}"
            for key, value in {
                **{key: own[key] for key in own.keys() - workload.model_fields_set},
                **(_spread(workload, connections) if connections else {}),
            }.items()
        )
        for workload in experiment.workload
        if isinstance(workload, Echo) and not (workload.tls or workload.deflate)
    }
    if not echoes:
        raise UsageError("--url needs a workload of kind echo: the file has none")
    return echoes


def _spread(workload: Echo, connections: int) -> dict[str, object]:
    """Return the parameters of as many connections, with the rate of an open loop."""
    changed: dict[str, object] = {"connections": connections}
    if workload.every_ms:
        changed["every_ms"] = workload.every_ms * connections / workload.connections
    return changed
