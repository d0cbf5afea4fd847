"""A suite: every experiment in turn, into one store; one that fails ends no other."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from autostrada.contestants.catalog import Catalog
from autostrada.errors import AutostradaError, UsageError
from autostrada.runner.command import Choice, run_command
from autostrada.runner.progress import in_words
from autostrada.runner.suite.outlook import Member, outlook, print_outlook

ALL = "all"
"""What is said instead of an experiment's name."""

Report = Callable[[int, Path], None]
"""Shows the run of that number, and writes its page."""


def run_all(
    choice: Choice,
    catalog: Catalog,
    report: Report,
    console: Console,
    prepare: Callable[[], None] = lambda: None,
) -> tuple[str, ...]:
    """
    Run all experiments of a catalog; return the names of those that failed.

    Raises:
        UsageError: it is asked for something that only one experiment can do; nothing
            has been run or changed.
    """
    if choice.only or choice.page or choice.overrides:
        raise UsageError(
            "--contestant, --set and --page are for one experiment: name it instead of "
            "all"
        )
    members = outlook(choice, catalog)
    print_outlook(members, console)
    failed = []
    for index, member in enumerate(members):
        left_s = sum(each.expected_s for each in members[index:])
        title = (
            f"{member.name}, {index + 1} of {len(members)}, about {in_words(left_s)} "
            f"left of all"
        )
        if not _carry_out(member, title, report, console, prepare):
            failed.append(member.name)
    return tuple(failed)


def _carry_out(
    member: Member,
    title: str,
    report: Report,
    console: Console,
    prepare: Callable[[], None],
) -> bool:
    """Run one experiment and show it; return whether that succeeded."""
    if member.refusal:
        return False
    console.print(f"\n{title}", markup=False, highlight=False, soft_wrap=True)
    assert member.choice.page
    try:
        report(run_command(member.choice, prepare), member.choice.page)
    except AutostradaError as error:
        console.print(
            f"{member.name} failed: {error}", markup=False, highlight=False, style="red"
        )
        return False
    return True
