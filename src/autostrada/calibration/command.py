"""What ``autostrada calibrate`` does: run cases, print a line for each, store it."""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from autostrada.calibration import sentences
from autostrada.calibration.bottlenecks.cases import (
    FULL_TRIALS,
    QUICK_TRIALS,
    TRIALS,
    KnownBottleneck,
    known_bottlenecks,
)
from autostrada.calibration.bottlenecks.session import BottleneckSession
from autostrada.calibration.bottlenecks.trial import run_trial
from autostrada.calibration.fault_cases import FaultCase, fault_cases
from autostrada.calibration.rig import Rig
from autostrada.calibration.session import (
    Budget,
    Outcome,
    Session,
    Verdict,
    summarize,
)
from autostrada.engine.process import Document, engine_version, find_engine
from autostrada.errors import UsageError
from autostrada.machine.facts import facts
from autostrada.machine.host import Host, this_host
from autostrada.machine.idle import IdleWait
from autostrada.machine.process import find_setpriv, on_cpus
from autostrada.machine.version import version
from autostrada.store.file import make_writable
from autostrada.store.record import Calibration, CalibrationReading
from autostrada.store.writer import StoreWriter

REPEATS_S = 300.0
QUICK_REPEATS_S = 30.0
"""For repetitions of what was disturbed, in a full and in a quick calibration."""

STATUSES = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.DISTURBED: 3}
STYLES = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.DISTURBED: "yellow"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """What the user has asked for."""

    only: tuple[str, ...]
    """Names of cases; none means all."""

    is_quick: bool
    is_of_verdicts: bool
    """Only known bottlenecks, each as often as a verdict must be right."""

    engine: Path | None
    store: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """What a calibration runs, and how long it may take."""

    cases: Sequence[FaultCase | KnownBottleneck]
    extent: str
    trials: int
    """Of each known bottleneck."""

    repeats_s: float
    """For repetitions of what was disturbed: of fault cases, and of bottlenecks."""

    total_s: float = inf
    """For all fault cases together."""


def calibrate(choice: Choice) -> int:
    """
    Run the cases that were chosen; return the exit status.

    It is stored when all is over: what is interrupted leaves nothing.

    Raises:
        UsageError: it cannot be done as asked; nothing has been measured.
        EngineError: one of the processes fails.
    """
    known = [] if choice.is_of_verdicts else fault_cases(is_quick=choice.is_quick)
    order = Order(
        cases=choose([*known, *known_bottlenecks()], choice.only),
        extent=_extent(choice),
        trials=_trials(choice),
        repeats_s=QUICK_REPEATS_S if choice.is_quick else REPEATS_S,
    )
    engine = choice.engine or find_engine()
    _check(engine, choice.store)
    console = Console()
    outcomes = carry_out(
        order,
        engine,
        choice.store,
        begin=lambda machine: _say(console, sentences.machine_in_words(machine)),
        show=lambda outcome: _show(console, outcome),
    )
    verdict = summarize(outcomes)
    _say(console, sentences.summary(outcomes), STYLES[verdict])
    return STATUSES[verdict]


def carry_out(
    order: Order,
    engine: Path,
    store: Path,
    *,
    begin: Callable[[Document], None],
    show: Callable[[Outcome], None],
) -> list[Outcome]:
    """Run all cases and store them; tell what the machine can do, and each outcome."""
    host = this_host()
    rig = Rig(engine, host)
    with StoreWriter.create_or_open(store) as writer:
        started_at = datetime.now(UTC)
        machine = rig.machine()
        begin(machine)
        outcomes = []
        with on_cpus(host.server_cpus):
            for outcome in _outcomes(order, rig, engine, host):
                outcomes.append(outcome)
                show(outcome)
        calibration = Calibration(
            started_at=started_at,
            command=shlex.join(["autostrada", *sys.argv[1:]]),
            extent=order.extent,
            autostrada_version=version(),
            engine_version=engine_version(engine),
            host=json.dumps(facts(host)),
            machine=json.dumps(machine),
            outcome=summarize(outcomes).value,
        )
        writer.record_calibration(calibration, list(readings(outcomes)))
    return outcomes


def _outcomes(order: Order, rig: Rig, engine: Path, host: Host) -> Iterator[Outcome]:
    """Run fault cases, then trials with a known bottleneck."""
    wait_until_idle = IdleWait().wait_until_idle
    faults = [case for case in order.cases if isinstance(case, FaultCase)]
    budget = Budget(repeats_s=order.repeats_s, total_s=order.total_s)
    yield from Session(rig, wait_until_idle, budget).run(faults)
    tried = BottleneckSession(
        lambda known: run_trial(known, engine, host),
        wait_until_idle,
        Budget(repeats_s=order.repeats_s),
        trials=order.trials,
    )
    for case in order.cases:
        if isinstance(case, KnownBottleneck):
            yield tried.try_out(case)


def choose(
    known: Iterable[FaultCase | KnownBottleneck], names: tuple[str, ...]
) -> list[FaultCase | KnownBottleneck]:
    """
    Return the cases with these names, or all; a name may stand for several.

    Raises:
        UsageError: there is no such case.
    """
    known = list(known)
    unknown = set(names) - {case.name for case in known}
    if unknown:
        names_known = ", ".join(dict.fromkeys(case.name for case in known))
        raise UsageError(
            f"no case is called {', '.join(sorted(unknown))}; choose of {names_known}"
        )
    return [case for case in known if not names or case.name in names]


def readings(outcomes: Iterable[Outcome]) -> Iterator[CalibrationReading]:
    """Yield the rows of the store: one for each figure, or for the disturbance."""
    for outcome in outcomes:
        common: Mapping[str, Any] = {
            "fault_case": outcome.case.name,
            "topology": outcome.case.topology.value,
            "attempts": outcome.attempts,
            "reason": outcome.reason,
        }
        for each in outcome.comparisons:
            yield CalibrationReading(
                **common,
                outcome=(Verdict.PASS if each.is_met else Verdict.FAIL).value,
                figure=each.figure,
                seen=each.seen,
                expected=each.expected,
                tolerance=each.tolerance,
            )
        if not outcome.comparisons:
            yield CalibrationReading(**common, outcome=outcome.verdict.value)


def _check(engine: Path, store: Path) -> None:
    """Refuse what cannot be done before anything is measured."""
    find_setpriv()
    if not engine.is_file():
        raise UsageError(f"{engine} is not there; name the engine's program")
    make_writable(store)


def _trials(choice: Choice) -> int:
    """Return how often each known bottleneck is tried."""
    if choice.is_quick:
        return QUICK_TRIALS
    return FULL_TRIALS if choice.is_of_verdicts else TRIALS


def _extent(choice: Choice) -> str:
    if choice.only or choice.is_of_verdicts:
        return "some"
    return "quick" if choice.is_quick else "full"


def _show(console: Console, outcome: Outcome) -> None:
    shown = "left-out" if outcome.is_left_out else outcome.verdict
    line = Text(f"{shown:<10}", STYLES[outcome.verdict])
    line.append(sentences.outcome_in_words(outcome), "")
    console.print(line, soft_wrap=True, highlight=False)


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), soft_wrap=True, highlight=False)
