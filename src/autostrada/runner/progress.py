"""What a run is doing and what is left: on a terminal, or in plain lines."""

from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from autostrada.runner.forecast import Forecast
from autostrada.stats.search import Found
from autostrada.store.record import Attempt, Cell, Failure, Measurement, Trial


class Progress(Protocol):
    """Shows what happens."""

    def announce(self, what: str) -> None:
        """Something begins that takes a while."""

    def exclude(self, contestant: str, failure: Failure) -> None:
        """A contestant takes no part."""

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """The trials begin that a forecast knows; ``done`` were made earlier."""

    def start(self, attempt: Attempt) -> None:
        """A trial begins."""

    def finish(
        self, attempt: Attempt, trial: Trial, taken_s: float, *, is_repeated: bool
    ) -> None:
        """A trial is over; ``is_repeated`` says whether it is tried again at once."""

    def extend(self, todo: Sequence[Attempt]) -> None:
        """More attempts are made than were planned: intervals are too wide."""

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Searches try their next values."""

    def find(self, cell: Cell, found: Found, processes: int) -> None:
        """A search is over; what it has found is of each of so many processes."""

    def conclude(self, disturbed: int, repeated: int) -> None:
        """All trials are over; ``disturbed`` attempts have none that was not."""

    def close(self) -> None:
        """Nothing more is to come."""


class Lines:
    """One plain line for each thing that happens: for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._forecast = Forecast([])

    def announce(self, what: str) -> None:
        """Print it."""
        self._print(what)

    def exclude(self, contestant: str, failure: Failure) -> None:
        """Print why."""
        self._print(f"{contestant}: {failure.kind}: {failure.message}")

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """Print how many there are, and how long they take."""
        self._forecast = forecast
        self._print(outlook(forecast, done))

    def start(self, attempt: Attempt) -> None:
        """Print nothing: its result will say it all."""

    def finish(
        self, attempt: Attempt, trial: Trial, taken_s: float, *, is_repeated: bool
    ) -> None:
        """Print what came of it; one that is repeated is not counted yet."""
        self._forecast.finish(attempt, taken_s, is_repeated=is_repeated)
        words = f"{describe(attempt)}: {summarize(trial)}"
        if is_repeated:
            self._print(f"{words}; repeated")
        else:
            self._print(f"{self._forecast.finished}/{self._forecast.total} {words}")

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Print how many there are more."""
        self._forecast.extend(todo)
        self._print(further(todo))

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Print nothing: the results will say it all."""
        self._forecast.search(attempts)

    def find(self, cell: Cell, found: Found, processes: int) -> None:
        """Print what was found."""
        self._print(capacity(cell, found, processes))

    def conclude(self, disturbed: int, repeated: int) -> None:
        """Print how quiet the machine was."""
        self._print(quietness(disturbed, repeated))

    def close(self) -> None:
        """Print nothing more."""

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class Display:
    """One line at the bottom of a terminal that says where the run is."""

    def __init__(self, console: Console) -> None:
        self._forecast = Forecast([])
        self._console = console
        # It is drawn when something happens, not by a thread that wakes up meanwhile.
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def announce(self, what: str) -> None:
        """Show it."""
        self._show(what + " …")

    def exclude(self, contestant: str, failure: Failure) -> None:
        """Leave a line that says why."""
        self._console.print(
            Text(f"{contestant}: {failure.kind}: {failure.message}", style="yellow")
        )

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """Leave a line that says how many there are, and how long they take."""
        self._forecast = forecast
        self._console.print(Text(outlook(forecast, done)))

    def start(self, attempt: Attempt) -> None:
        """Show what is being measured and what is left."""
        forecast = self._forecast
        left_s = forecast.left_s()
        left = "" if left_s is None else f" · {_roughly(forecast, left_s)} left"
        width = 20
        full = width * forecast.finished // max(1, forecast.total)
        bar = "━" * full + "╌" * (width - full)
        counted = f"{forecast.finished}/{forecast.total}"
        self._show(f"{bar} {counted}{left} · {describe(attempt)}")

    def finish(
        self, attempt: Attempt, trial: Trial, taken_s: float, *, is_repeated: bool
    ) -> None:
        """Leave a line where it failed or was disturbed."""
        self._forecast.finish(attempt, taken_s, is_repeated=is_repeated)
        if isinstance(trial.outcome, Failure) or trial.quiet.disturbance:
            line = f"{describe(attempt)}: {summarize(trial)}"
            line += "; repeated" if is_repeated else ""
            self._console.print(Text(line, style="yellow"))

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Leave a line that says how many there are more."""
        self._forecast.extend(todo)
        self._console.print(further(todo))

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Count them."""
        self._forecast.search(attempts)

    def find(self, cell: Cell, found: Found, processes: int) -> None:
        """Leave a line on what was found."""
        self._console.print(Text(capacity(cell, found, processes)))

    def conclude(self, disturbed: int, repeated: int) -> None:
        """Leave a line on how quiet the machine was."""
        self._console.print(quietness(disturbed, repeated))

    def close(self) -> None:
        """Take the line away."""
        self._live.stop()

    def _show(self, text: str) -> None:
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)


def outlook(forecast: Forecast, done: int) -> str:
    """Say how many trials there are, and how long they take, as far as it is known."""
    words = counted(forecast.total, "trial")
    if forecast.searches:
        searches = counted(forecast.searches, "search", "searches")
        words = f"{words} and {searches}" if forecast.total else searches
    left_s = forecast.left_s()
    if left_s:
        words += f", {_roughly(forecast, left_s)}"
    return words + (f"; {done} were made earlier" if done else "")


def capacity(cell: Cell, found: Found, processes: int) -> str:
    """Say what a search has found of each of so many processes, in a few words."""
    met, violated = found.bracket.met, found.bracket.violated
    if met is None:
        words = f"objective not met even at {violated:,}"
    elif violated is None:
        words = f"capacity at least {met:,}, where the search ends"
    else:
        words = f"capacity {met:,}, objective not met at {violated:,}"
    if processes > 1:
        words += f" of each of {processes} processes"
    if not found.is_settled:
        words += "; outcomes differ too much to come closer"
    return f"{cell}: {words}"


def counted(count: int, one: str, several: str = "") -> str:
    """Write how many there are of something."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _roughly(forecast: Forecast, duration_s: float) -> str:
    bound = "up to about" if forecast.searches else "about"
    return f"{bound} {in_words(duration_s)}"


def describe(attempt: Attempt) -> str:
    """Return which trial it is, in a few words."""
    kind = "warm-up" if attempt.is_warm_up else "repetition"
    cell = attempt.cell
    return f"{cell.contestant} {cell.workload} {kind} {attempt.repetition + 1}"


def summarize(trial: Trial) -> str:
    """Return what came of a trial, in a few words, and what disturbed it."""
    words = _outcome_in_words(trial.outcome)
    if trial.quiet.disturbance:
        words += f"; disturbed: {trial.quiet.disturbance}"
    return words


def further(todo: Sequence[Attempt]) -> str:
    """Say that more is tried than was planned, and why."""
    cells = "1 cell whose" if len(todo) == 1 else f"{len(todo)} cells whose"
    return f"another repetition of {cells} interval is too wide"


def quietness(disturbed: int, repeated: int) -> str:
    """Say how many trials the machine disturbed."""
    if not disturbed and not repeated:
        return "no trial was disturbed"
    trials = "1 trial was" if repeated == 1 else f"{repeated} trials were"
    return f"{trials} repeated, {disturbed or 'none'} stayed disturbed"


def _outcome_in_words(outcome: Measurement | Failure) -> str:
    if isinstance(outcome, Failure):
        return f"{outcome.kind}: {outcome.message}"
    duration_s = outcome.duration_ns / 1e9
    if outcome.achieved_share:
        offered_per_s = outcome.messages / duration_s / outcome.achieved_share
        done = f"{outcome.achieved_share:.1%} of {offered_per_s:,.0f} messages/s"
    else:
        rate_per_s = outcome.messages / duration_s
        done = f"{duration_s * 1e3:,.1f} ms, {rate_per_s:,.0f} messages/s"
    return f"{done}, {_server_in_words(outcome)}"


def _server_in_words(outcome: Measurement) -> str:
    share = outcome.server_busy_share
    return "server not seen" if share is None else f"server busy {share:.0%}"


def in_words(duration_s: float) -> str:
    """Return a duration as one would say it."""
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes_of_hour = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_of_hour} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
