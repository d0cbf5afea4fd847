"""The command ``autostrada calibrate``: runs cases, prints and stores outcomes."""

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
from autostrada.calibration.bottlenecks import (
    FULL_TRIALS,
    QUICK_TRIALS,
    TRIALS,
    KnownBottleneck,
    known_bottlenecks,
)
from autostrada.calibration.fault_cases import FaultCase, fault_cases
from autostrada.calibration.rig import Rig
from autostrada.calibration.session import (
    Budget,
    FaultOutcome,
    FaultVerdict,
    Session,
    summarize,
)
from autostrada.engine.process import Document, engine_version, find_engine
from autostrada.errors import UsageError
from autostrada.machine.executable import find_program
from autostrada.machine.facts import facts
from autostrada.machine.host import this_host
from autostrada.machine.idle import IdleWait
from autostrada.machine.orphans import adopt_orphans
from autostrada.machine.process import on_cpus
from autostrada.machine.version import version
from autostrada.store.file import make_writable
from autostrada.store.record import Calibration, CalibrationReading
from autostrada.store.writer import StoreWriter

REPEATS_S = 300.0
QUICK_REPEATS_S = 30.0
"""Time for repetitions of disturbed cases, in a full and in a quick calibration."""

STATUSES = {FaultVerdict.PASS: 0, FaultVerdict.FAIL: 1, FaultVerdict.DISTURBED: 3}
STYLES = {
    FaultVerdict.PASS: "green",
    FaultVerdict.FAIL: "red",
    FaultVerdict.DISTURBED: "yellow",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationPlan:
    """The cases of a calibration, and its time limits."""

    cases: Sequence[FaultCase | KnownBottleneck]
    extent: str
    """Extent as stored: ``full``, ``quick`` or ``some``."""

    trials: int
    """Number of trials of each known bottleneck."""

    repeats_s: float
    """Time for repetitions, separately for fault cases and for known bottlenecks."""

    total_s: float = inf
    """Time after which no fault case begins."""


def calibrate(
    only: Sequence[str],
    engine: Path | None,
    store: Path,
    *,
    is_quick: bool,
    is_of_verdicts: bool,
) -> int:
    """
    Run the cases with these names, or all; return the exit status.

    ``engine`` is ``None`` for the installed one. With ``is_of_verdicts`` only known
    bottlenecks are run, with ``FULL_TRIALS`` trials each.

    The status is 0 if all passed, 1 if one failed, and 3 if one stayed disturbed. The
    calibration is stored at the end; an interruption stores nothing.

    Raises:
        UsageError: the arguments are invalid; nothing has been measured.
        EngineError: a process fails.
    """
    trials = FULL_TRIALS if is_of_verdicts else TRIALS
    extent = "quick" if is_quick else "full"
    plan = CalibrationPlan(
        cases=choose(
            [
                *([] if is_of_verdicts else fault_cases(is_quick=is_quick)),
                *known_bottlenecks(),
            ],
            only,
        ),
        extent="some" if only or is_of_verdicts else extent,
        trials=QUICK_TRIALS if is_quick else trials,
        repeats_s=QUICK_REPEATS_S if is_quick else REPEATS_S,
    )
    engine = engine or find_engine()
    find_program("setpriv")
    if not engine.is_file():
        raise UsageError(f"{engine} does not exist; give the path of the engine")
    make_writable(store)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    outcomes = carry_out(
        plan,
        engine,
        store,
        begin=lambda machine: console.print(sentences.describe_machine(machine)),
        show=lambda outcome: _show(console, outcome),
    )
    verdict = summarize(outcomes)
    console.print(sentences.summary(outcomes), style=STYLES[verdict])
    return STATUSES[verdict]


def carry_out(
    plan: CalibrationPlan,
    engine: Path,
    store: Path,
    *,
    begin: Callable[[Document], None],
    show: Callable[[FaultOutcome], None],
) -> list[FaultOutcome]:
    """
    Run all cases, store and return their outcomes.

    ``begin`` is called with the engine's report on the machine, ``show`` with each
    outcome as soon as it is known.

    Raises:
        EngineError: a process fails.
    """
    adopt_orphans()
    host = this_host()
    rig = Rig(engine, host)
    with StoreWriter.create_or_open(store) as writer:
        started_at = datetime.now(UTC)
        machine = rig.machine()
        begin(machine)
        outcomes = []
        with on_cpus(host.observer_cpus):
            for outcome in _outcomes(plan, rig):
                outcomes.append(outcome)
                show(outcome)
        calibration = Calibration(
            started_at=started_at,
            command=shlex.join(["autostrada", *sys.argv[1:]]),
            extent=plan.extent,
            autostrada_version=version(),
            engine_version=engine_version(engine),
            host=json.dumps(facts(host)),
            machine=json.dumps(machine),
            outcome=summarize(outcomes).value,
        )
        writer.record_calibration(calibration, list(readings(outcomes)))
    return outcomes


def _outcomes(plan: CalibrationPlan, rig: Rig) -> Iterator[FaultOutcome]:
    """Run the fault cases, then the known bottlenecks."""
    wait_until_idle = IdleWait().wait_until_idle
    for kind, trials in ((FaultCase, 1), (KnownBottleneck, plan.trials)):
        cases = [case for case in plan.cases if isinstance(case, kind)]
        budget = Budget(repeats_s=plan.repeats_s, total_s=plan.total_s)
        session = Session(rig, wait_until_idle, budget, trials=trials)
        yield from session.run(cases)


def choose(
    known: Iterable[FaultCase | KnownBottleneck], names: Sequence[str]
) -> list[FaultCase | KnownBottleneck]:
    """
    Return the cases with these names, or all; several cases may share a name.

    Raises:
        UsageError: a case does not exist.
    """
    known = list(known)
    unknown = set(names) - {case.name for case in known}
    if unknown:
        names_known = ", ".join(dict.fromkeys(case.name for case in known))
        raise UsageError(
            f"no case is called {', '.join(sorted(unknown))}; choose from {names_known}"
        )
    return [case for case in known if not names or case.name in names]


def readings(outcomes: Iterable[FaultOutcome]) -> Iterator[CalibrationReading]:
    """Yield the rows of the store: one per metric, or one for a disturbed case."""
    for outcome in outcomes:
        common: Mapping[str, Any] = {
            "fault_case": outcome.case.name,
            "topology": outcome.case.topology.value,
            "attempts": outcome.attempts,
            "reason": outcome.reason,
        }
        for comparison in outcome.comparisons:
            yield CalibrationReading(
                **common,
                outcome=(
                    FaultVerdict.PASS if comparison.is_met else FaultVerdict.FAIL
                ).value,
                metric=comparison.metric,
                seen=comparison.seen,
                expected=comparison.expected,
                tolerance=comparison.tolerance,
            )
        if not outcome.comparisons:
            yield CalibrationReading(**common, outcome=outcome.verdict.value)


def _show(console: Console, outcome: FaultOutcome) -> None:
    shown = "left-out" if outcome.is_left_out else outcome.verdict
    line = Text(f"{shown:<10}", STYLES[outcome.verdict])
    line.append(sentences.describe_outcome(outcome), "")
    console.print(line)
