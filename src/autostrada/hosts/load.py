"""Divides a load among hosts, and collects what their engines print."""

import json
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from autostrada.engine.messages import (
    HostFacts,
    LoadLine,
    LoadResult,
    LoadSecond,
    Opened,
    Ready,
)
from autostrada.errors import EngineError, UsageError
from autostrada.experiment.document import first_fault
from autostrada.hosts.cluster import Cluster, ClusterHost

POLLED_EVERY_S = 1.0

POLL_LIMIT_S = 3 * POLLED_EVERY_S
"""Time without an answer to a poll after which a host is lost."""

UNTIL_BEGIN_NS = 1_000_000_000
"""Time from the command to begin to the instant at which all engines do."""

SPARE_S = 60.0
"""Time beyond that of the plan after which an engine is given up."""

_USAGE = 2
"""Exit status of an engine that refuses its plan."""

_LINE: TypeAdapter[Ready | Opened | LoadLine] = TypeAdapter(
    Annotated[Ready | Opened | LoadLine, Field(discriminator="event")]
)


@dataclass(slots=True)
class HostLoad:
    """The part of a load that a host has."""

    lines: list[str] = field(default_factory=list)
    """What the engine printed."""

    is_ready: bool = False
    """Whether the engine has checked its plan."""

    is_opened: bool = False
    seconds: list[LoadSecond] = field(default_factory=list)
    result: LoadResult | None = None
    warnings: dict[str, None] = field(default_factory=dict)
    """What the engine logged, each text once, in this order."""

    has_ended: bool = False

    def add(self, line: str) -> None:
        """
        Add a line that the engine printed.

        Raises:
            EngineError: the engine has another version.
        """
        try:
            match _LINE.validate_json(line):
                case Ready():
                    self.is_ready = True
                case Opened():
                    self.is_opened = True
                case LoadSecond() as second:
                    self.seconds.append(second)
                case LoadResult() as result:
                    self.result = result
        except ValidationError as error:
            raise EngineError(
                f"a line is that of another version of the engine "
                f"({first_fault(error)}): install the same version on all hosts"
            ) from error
        self.lines.append(line)

    def messages(self) -> int:
        """Return the number of messages received until now."""
        return sum(second.messages for second in self.seconds)


Progress = Callable[[Mapping[ClusterHost, HostLoad]], None]
"""Called once a second."""


def plan_of(engine: Path, options: Sequence[str]) -> dict[str, Any]:
    """
    Return the plan that options of ``load`` describe.

    Raises:
        UsageError: the engine refuses an option.
    """
    ended = subprocess.run(
        [engine, "load", *options, "--print-plan"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise UsageError(ended.stderr.strip().removeprefix("autostrada-engine: "))
    plan: dict[str, Any] = json.loads(ended.stdout)
    return plan


class DividedLoad:
    """A load that hosts divide: each has an engine with a part of it."""

    def __init__(
        self, cluster: Cluster, plan: Mapping[str, Any], progress: Progress
    ) -> None:
        self._cluster = cluster
        self._plan = plan
        self._progress = progress
        self._parts = {host: HostLoad() for host in cluster.hosts}
        self._hosts = list(cluster.hosts)
        phases = plan["workload"].get("phases", {"limit_s": plan.get("limit_s", 60)})
        self._warm_up_ns = int(phases.get("warm_up_s", 0) * 1e9)
        self._limit_s = sum(phases.values()) + SPARE_S
        self._interrupted_status: int | None = None

    def text(self) -> str:
        """
        Carry out the load; return the lines of all engines, each with its ``host``.

        A line ``host`` follows for each. A host that is lost has the lines that were
        read of it, and the others finish. SIGINT and SIGTERM end the load, and leave
        what was measured until then.

        Raises:
            UsageError: an engine refuses its plan, or a file of it cannot be read.
            EngineError: all hosts are lost.
        """
        before, begins, after = {}, {}, {}
        ends_s = time.monotonic() + self._limit_s
        try:
            self._start()
            self._poll_while(lambda part: not part.is_opened, ends_s)
            before = self._cluster.clocks(self._hosts)
            at_ns = time.monotonic_ns() + UNTIL_BEGIN_NS
            begins = {
                host: at_ns + monotonic.offset_ns
                for host, (monotonic, _) in before.items()
            }
            self._cluster.ask(list(begins), "begin", lambda host: (begins[host],))
            self._poll_while(lambda _: True, ends_s)
            after = self._cluster.clocks(self._hosts)
        except (KeyboardInterrupt, SystemExit) as error:
            number = SIGTERM if isinstance(error, SystemExit) else SIGINT
            self._interrupted_status = 128 + number
            self._cluster.ask(self._hosts, "stop")
            self._poll_while(lambda _: True, time.monotonic() + SPARE_S)
        finally:
            self._cluster.ask(self._hosts, "stop")
        if not any(part.result for part in self._parts.values()):
            losses = [
                f"{host.name}: {host.lost}, {part.messages():,} messages until then"
                for host, part in self._parts.items()
            ]
            raise EngineError(f"all hosts are lost; {'; '.join(losses)}")
        latest_ns = min((each[1].offset_ns for each in before.values()), default=0)
        lines = []
        for host, part in self._parts.items():
            facts: dict[str, str | int | None] = {
                # A host that is lost after it has ended took nothing along.
                "lost": None if part.result else host.lost,
                "interrupted_status": self._interrupted_status,
            }
            if host in before:
                monotonic, real_time = before[host]
                facts["clock_error_ns"] = monotonic.error_ns
                facts["real_time_ahead_ns"] = real_time.offset_ns - latest_ns
            if host in after:
                drift_ns = after[host][0].offset_ns - before[host][0].offset_ns
                facts["clock_drift_ns"] = abs(drift_ns)
            if part.result and host in begins:
                begun_ns = part.result.window_start_ns - self._warm_up_ns
                facts["begun_late_ns"] = begun_ns - begins[host]
            known = HostFacts.model_validate(facts).model_dump(exclude_none=True)
            documents = [json.loads(line) for line in part.lines]
            documents.append({"event": "host", **known})
            lines += [{**document, "host": host.name} for document in documents]
        return "".join(json.dumps(line) + "\n" for line in lines)

    def _start(self) -> None:
        files: dict[str, bytes] = {}
        plan = with_files(self._plan, files)
        plan["awaits_start"] = True
        parts = {host: index for index, host in enumerate(self._hosts)}

        def arguments(host: ClusterHost) -> tuple[str, Mapping[str, bytes]]:
            plan["part"] = {"index": parts[host], "of": len(parts)}
            return json.dumps(plan), files

        self._cluster.ask(self._hosts, "start", arguments)

    def _poll_while(
        self, is_awaited: Callable[[HostLoad], bool], ends_s: float
    ) -> None:
        """Poll once a second while more is awaited of a host; then those are lost."""
        while True:
            polled_s = time.monotonic()
            active = [host for host in self._hosts if not self._parts[host].has_ended]
            answers = self._cluster.ask(active, "poll", limit_s=POLL_LIMIT_S)
            for host, answer in answers.items():
                self._add(host, answer)
            self._progress(self._parts)
            awaited = [
                host
                for host in active
                if host.lost is None
                and not self._parts[host].has_ended
                and is_awaited(self._parts[host])
            ]
            if not awaited:
                return
            if polled_s > ends_s:
                for host in awaited:
                    host.lost = "its engine did not end in time"
                return
            time.sleep(max(0.0, polled_s + POLLED_EVERY_S - time.monotonic()))

    def _add(self, host: ClusterHost, answer: Mapping[str, Any]) -> None:
        part, status = self._parts[host], answer["status"]
        for line in answer["lines"]:
            part.add(line)
        part.has_ended = status is not None
        log = [line.partition(": ")[2].strip() for line in answer["log"]]
        part.warnings |= dict.fromkeys(filter(None, log))
        if part.has_ended and not part.result:
            cause = log[-1] if log else f"its engine ended with status {status}"
            part.warnings.pop(cause, None)
            if status == _USAGE:
                raise UsageError(f"{host.name}: {cause}")
            host.lost = cause


def with_files(plan: Mapping[str, Any], files: dict[str, bytes]) -> dict[str, Any]:
    """Return a plan with names instead of the paths of files, which are added."""
    named: dict[str, Any] = {}
    for key, value in plan.items():
        named[key] = value
        if isinstance(value, dict):
            named[key] = with_files(value, files)
        elif isinstance(value, str) and (key == "file" or key.endswith("_file")):
            named[key] = str(uuid.uuid4())
            try:
                files[named[key]] = Path(value).read_bytes()
            except OSError as error:
                raise UsageError(f"{value}: {error.strerror}") from error
    return named
