"""The command ``autostrada conformance``: tests programs, and shows the results."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from autostrada.conformance.cases import (
    COMPRESSED_GROUPS,
    GROUPS,
    SHORT_GROUPS,
)
from autostrada.conformance.roles import Bench, run_role
from autostrada.conformance.subject import ContestantSubject, EngineSubject, Subject
from autostrada.conformance.suite import fetch, suite_version
from autostrada.contestants.build import Builder, Built
from autostrada.contestants.catalog import find_catalog, unknown
from autostrada.contestants.command import make_ready
from autostrada.contestants.conformance import (
    Conformance,
    case_ranges,
    read_conformance,
    write_conformance,
)
from autostrada.contestants.contestant import ROLES, Contestant, Role
from autostrada.contestants.provision import in_parallel
from autostrada.contestants.status_line import CountLine
from autostrada.engine.process import find_engine
from autostrada.errors import AutostradaError, NotInstalled, UsageError
from autostrada.experiment.matrix import REFERENCE

ALL = "all"
"""Value of the option ``--groups`` for all groups."""

WIDTH = 80
INDENT = " " * 8


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteProgram:
    """A program, and the groups in which it is to be tested."""

    contestant: Contestant | None
    """``None`` for the engine."""

    role: Role
    groups: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the contestant."""
        return self.contestant.name if self.contestant else REFERENCE

    def subject(self, builder: Builder, engine: Path) -> Subject:
        """Return what is tested; a contestant must be built."""
        if self.contestant is None:
            return EngineSubject(path=engine)
        folder = builder.folder(self.contestant)
        return ContestantSubject(contestant=self.contestant, folder=folder)

    def earlier_result(self, builder: Builder) -> Conformance | None:
        """Return the result of earlier tests with this version of the suite."""
        if self.contestant is None:
            return None
        found = read_conformance(builder, self.contestant, self.role)
        return found if found and found.suite == suite_version() else None

    def untested_groups(self, builder: Builder) -> tuple[str, ...]:
        """Return the groups of which there is no earlier result."""
        known = self.earlier_result(builder)
        tested = known.cases if known else {}
        return tuple(group for group in self.groups if group not in tested)

    def store(self, builder: Builder, found: Conformance) -> Conformance:
        """Add a result to the earlier one, and store it; return the complete one."""
        if self.contestant is None:
            return found
        earlier = self.earlier_result(builder)
        complete = earlier.updated(found) if earlier else found
        write_conformance(builder, self.contestant, self.role, complete)
        return complete


def check_conformance(
    names: Sequence[str],
    groups: str | None = None,
    role: Role | None = None,
    extra_contestants: Path | None = None,
    *,
    is_repeated: bool = False,
    jobs: int | None = None,
) -> int:
    """
    Build contestants and test their programs; return the exit status.

    ``names``, ``groups`` and ``role`` are those of ``choose_programs``. With
    ``is_repeated``, what has a result is tested again. ``jobs`` is the number of
    parallel builds and tests; ``None`` for one per core.

    A result is printed for each program, also if it is an earlier one. The status
    is 1 if a build failed, if a contestant was given by name and a requirement of it is
    not installed, if a program could not be tested, or if the engine fails a case.
    """
    catalog = find_catalog(extra_contestants)
    programs = choose_programs(catalog.contestants(), names, groups, role)
    console = Console(soft_wrap=True, highlight=False, markup=False)
    contestants = [program.contestant for program in programs if program.contestant]
    provisions = make_ready(catalog, contestants, jobs, console)
    built, missing = (
        [
            each.contestant.build_name
            for each in provisions
            if isinstance(each.outcome, kind)
        ]
        for kind in (Built, NotInstalled)
    )
    builder = Builder.of(catalog)
    untested = []
    for program in programs:
        if program.contestant and program.contestant.build_name not in built:
            continue
        known = program.earlier_result(builder)
        left = program.groups if is_repeated else program.untested_groups(builder)
        if left:
            untested.append(replace(program, groups=left))
        elif known:
            console.print(result_text(program, known))
    is_sound = test_programs(untested, builder, jobs, console) if untested else True
    if missing:
        remedy = "autostrada doctor --install"
        console.print(_wrapped(f"not installed: {', '.join(missing)} ({remedy})"))
    failed = len(provisions) - len(built) - len(missing)
    return 0 if is_sound and not failed and not (missing and names) else 1


def choose_programs(
    contestants: Mapping[str, Contestant],
    names: Sequence[str],
    groups: str | None,
    role: Role | None,
) -> list[SuiteProgram]:
    """
    Return the programs to test, with those of the chosen groups that apply to them.

    Without ``names``, they are those of all contestants, but not of the engine.
    ``groups`` are separated by commas, or ``all``; ``None`` for the default. ``role``
    is ``None`` for both.

    Raises:
        UsageError: a contestant or group does not exist, a contestant has no program
            that the suite can test, or no group applies to the programs.
    """
    wanted = parse_groups(groups)
    _refuse_untestable(names, contestants)
    programs = []
    for name in dict.fromkeys(names or contestants):
        contestant = None if name == REFERENCE else contestants[name]
        for own in ROLES if contestant is None else roles_of(contestant):
            chosen = groups_of(contestant, own, wanted)
            if chosen and role in (None, own):
                program = SuiteProgram(contestant=contestant, role=own, groups=chosen)
                programs.append(program)
    if not programs and role:
        raise UsageError(f"no {role} to test: choose others, or omit --role")
    if not programs:
        raise UsageError(
            f"groups {' and '.join(COMPRESSED_GROUPS)} apply only to programs whose "
            f"manifest claims deflate: choose others with --groups"
        )
    return programs


def _refuse_untestable(
    names: Sequence[str], contestants: Mapping[str, Contestant]
) -> None:
    for name in names:
        if name == REFERENCE:
            continue
        if name not in contestants:
            raise unknown("contestant", name, contestants)
        if not roles_of(contestants[name]):
            raise UsageError(
                f"{name} has no program that the suite can test: it tests servers, and "
                f"clients with the verb reply, of the protocol websocket"
            )


def parse_groups(text: str | None) -> tuple[str, ...] | None:
    """
    Return the groups in the value of an option; ``None`` without a value.

    Raises:
        UsageError: a group does not exist.
    """
    if text is None:
        return None
    if text == ALL:
        return GROUPS
    groups = tuple(each.strip() for each in text.split(","))
    for group in groups:
        if group not in GROUPS:
            raise UsageError(
                f"unknown group {group!r}: choose of {', '.join(GROUPS)}, or {ALL}"
            )
    return groups


def roles_of(contestant: Contestant) -> tuple[Role, ...]:
    """Return the roles in which the suite can test a contestant."""
    if contestant.protocol != "websocket":
        return ()
    client = contestant.manifest.client
    replies = client is not None and client.reply
    return tuple(
        role for role in ROLES if contestant.has(role) and (role == "server" or replies)
    )


def groups_of(
    contestant: Contestant | None, role: Role, groups: Sequence[str] | None
) -> tuple[str, ...]:
    """
    Return those of ``groups``, or of the default groups, that apply to a program.

    Without a contestant, it is the engine.
    """
    if contestant is None:
        return tuple(groups or GROUPS)
    program = contestant.program(role)
    compresses = program is not None and program.deflate
    return tuple(
        group
        for group in groups or SHORT_GROUPS
        if compresses or group not in COMPRESSED_GROUPS
    )


def result_text(program: SuiteProgram, found: Conformance) -> str:
    """Return the result of a program, in lines of at most 80 columns."""
    counts = [f"{number} {kind}" for kind, number in found.counts().items() if number]
    word = "failed" if found.failed else "ok"
    text = f"{word:8}{program.name} {program.role}: {', '.join(counts)}"
    if found.failed:
        text += f": {case_ranges(found.failed)}"
    return _wrapped(text)


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        subsequent_indent=INDENT,
        break_on_hyphens=False,
        break_long_words=False,
    )


def test_programs(
    programs: Sequence[SuiteProgram],
    builder: Builder,
    jobs: int | None,
    console: Console,
) -> bool:
    """
    Test programs, and print the results.

    Returns whether all were tested, and the engine fails no case.
    """
    folder = builder.builds / "conformance"
    console.print(f"testing {len(programs)} programs; reports: {folder / 'reports'}")
    engine = find_engine()
    bench = Bench(
        suite=fetch(folder),
        engine=EngineSubject(path=engine),
        reports=folder / "reports",
    )
    is_sound = True
    with closing(CountLine(console, len(programs), "tested")) as status:
        for program, found in _results(programs, builder, bench, jobs, status):
            if isinstance(found, AutostradaError):
                is_sound = False
                text = _wrapped(f"{'error':8}{program.name} {program.role}: {found}")
            else:
                complete = program.store(builder, found)
                text = result_text(program, complete)
                if complete.failed and program.contestant is None:
                    is_sound = False
            status.finished += 1
            console.print(text)
    return is_sound


def _results(
    programs: Sequence[SuiteProgram],
    builder: Builder,
    bench: Bench,
    jobs: int | None,
    status: CountLine,
) -> Iterator[tuple[SuiteProgram, Conformance | AutostradaError]]:
    """Yield each program and its result, or why it has none, when it is tested."""

    def run(
        program: SuiteProgram,
    ) -> tuple[SuiteProgram, Conformance | AutostradaError]:
        subject = program.subject(builder, bench.engine.path)

        def announce(case: str) -> None:
            status.show_part(f"{program.name} {program.role} {case}")

        try:
            return program, run_role(
                bench, subject, program.role, program.groups, announce
            )
        except AutostradaError as error:
            return program, error

    yield from in_parallel(run, programs, jobs)
