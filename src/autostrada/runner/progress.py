"""Shows the progress of a run: a status line on a terminal, or plain lines."""

from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.text import Text

from autostrada.runner.forecast import Forecast
from autostrada.stats.search import SearchResult
from autostrada.store.record import Attempt, Cell, Failure, Measurement, Trial


class Progress(Protocol):
    """Receives the events of a run."""

    def announce(self, what: str) -> None:
        """Handle the start of an activity that takes a while."""

    def exclude(self, contestant: str, failure: Failure) -> None:
        """Handle the exclusion of a contestant that cannot be built."""

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """Handle the start of the trials; ``done`` attempts were finished earlier."""

    def start(self, attempt: Attempt) -> None:
        """Handle the start of a trial."""

    def finish(
        self, attempt: Attempt, trial: Trial, taken_s: float, *, is_repeated: bool
    ) -> None:
        """
        Handle the end of a trial.

        ``taken_s`` is its duration in seconds, with the wait for an idle machine.
        ``is_repeated`` says whether the attempt is tried again at once.
        """

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Handle attempts beyond the planned ones, made because intervals are wide."""

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Handle the next round of the searches."""

    def finish_search(self, cell: Cell, result: SearchResult, processes: int) -> None:
        """Handle the end of a search; its capacity is that of one of ``processes``."""

    def conclude(self, disturbed: int, repeated: int) -> None:
        """
        Handle the end of all trials.

        ``disturbed`` is the number of attempts without an undisturbed trial,
        ``repeated`` the number of trials that repeated a disturbed one.
        """

    def close(self) -> None:
        """Release the terminal."""


class Lines:
    """Prints one plain line per event, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._forecast = Forecast([])

    def announce(self, what: str) -> None:
        """Print the activity."""
        self._print(what)

    def exclude(self, contestant: str, failure: Failure) -> None:
        """Print the reason."""
        self._print(f"{contestant}: {failure.kind}: {failure.message}")

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """Print the number of trials and their expected duration."""
        self._forecast = forecast
        self._print(describe_forecast(forecast, done))

    def start(self, attempt: Attempt) -> None:
        """Print nothing: the line of the result is sufficient."""

    def finish(
        self, attempt: Attempt, trial: Trial, taken_s: float, *, is_repeated: bool
    ) -> None:
        """Print the outcome; a trial that is repeated does not count as finished."""
        self._forecast.finish(attempt, taken_s, is_repeated=is_repeated)
        text = f"{describe(attempt)}: {summarize(trial)}"
        if is_repeated:
            self._print(f"{text}; repeated")
        else:
            self._print(f"{self._forecast.finished}/{self._forecast.total} {text}")

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Print the number of additional attempts."""
        self._forecast.extend(todo)
        self._print(describe_extension(todo))

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Print nothing: the lines of the results are sufficient."""
        self._forecast.search(attempts)

    def finish_search(self, cell: Cell, result: SearchResult, processes: int) -> None:
        """Print the capacity that was found."""
        self._print(capacity(cell, result, processes))

    def conclude(self, disturbed: int, repeated: int) -> None:
        """Print the number of disturbed trials."""
        self._print(describe_disturbances(disturbed, repeated))

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class Display:
    """Shows a status line at the bottom of a terminal; prints notable events above."""

    def __init__(self, console: Console) -> None:
        self._forecast = Forecast([])
        self._console = console
        # Drawn on events only: a refresh thread would wake up during a trial.
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._live.start()

    def announce(self, what: str) -> None:
        """Show the activity."""
        self._show(what + " …")

    def exclude(self, contestant: str, failure: Failure) -> None:
        """Print a line with the reason."""
        self._console.print(
            Text(f"{contestant}: {failure.kind}: {failure.message}", style="yellow")
        )

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """Print a line with the number of trials and their expected duration."""
        self._forecast = forecast
        self._console.print(Text(describe_forecast(forecast, done)))

    def start(self, attempt: Attempt) -> None:
        """Show the running trial and the remaining time."""
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
        """Print a line if the trial failed or was disturbed."""
        self._forecast.finish(attempt, taken_s, is_repeated=is_repeated)
        if isinstance(trial.outcome, Failure) or trial.other_load.disturbance:
            line = f"{describe(attempt)}: {summarize(trial)}"
            line += "; repeated" if is_repeated else ""
            self._console.print(Text(line, style="yellow"))

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Print a line with the number of additional attempts."""
        self._forecast.extend(todo)
        self._console.print(describe_extension(todo))

    def search(self, attempts: Sequence[Attempt]) -> None:
        """Add the attempts to the forecast."""
        self._forecast.search(attempts)

    def finish_search(self, cell: Cell, result: SearchResult, processes: int) -> None:
        """Print a line with the capacity that was found."""
        self._console.print(Text(capacity(cell, result, processes)))

    def conclude(self, disturbed: int, repeated: int) -> None:
        """Print a line with the number of disturbed trials."""
        self._console.print(describe_disturbances(disturbed, repeated))

    def close(self) -> None:
        """Remove the status line."""
        self._live.stop()

    def _show(self, text: str) -> None:
        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)


def describe_forecast(forecast: Forecast, done: int) -> str:
    """Describe the number of trials and searches, and their expected duration."""
    text = counted(forecast.total, "trial")
    if forecast.searches:
        searches = counted(forecast.searches, "search", "searches")
        text = f"{text} and {searches}" if forecast.total else searches
    left_s = forecast.left_s()
    if left_s:
        text += f", {_roughly(forecast, left_s)}"
    return text + (f"; {done} were made earlier" if done else "")


def capacity(cell: Cell, result: SearchResult, processes: int) -> str:
    """Describe the result of a search; ``processes`` is the number of clients."""
    met, violated = result.bracket.met, result.bracket.violated
    if met is None:
        text = f"objective not met even at {violated:,}"
    elif violated is None:
        text = f"capacity at least {met:,}, where the search ends"
    else:
        text = f"capacity {met:,}, objective not met at {violated:,}"
    if processes > 1:
        text += f" for each of {processes} processes"
    if not result.is_settled:
        text += "; outcomes differ too much to narrow the bracket"
    return f"{cell}: {text}"


def counted(count: int, one: str, several: str = "") -> str:
    """Format a count with its noun; the plural is ``several``, or ``one`` and an s."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def _roughly(forecast: Forecast, duration_s: float) -> str:
    bound = "up to about" if forecast.searches else "about"
    return f"{bound} {format_duration(duration_s)}"


def describe(attempt: Attempt) -> str:
    """Describe which trial an attempt is."""
    kind = "warm-up" if attempt.is_warm_up else "repetition"
    cell = attempt.cell
    return f"{cell.contestant} {cell.workload} {kind} {attempt.repetition + 1}"


def summarize(trial: Trial) -> str:
    """Describe the outcome of a trial and its disturbance."""
    text = _format_outcome(trial.outcome)
    if trial.other_load.disturbance:
        text += f"; disturbed: {trial.other_load.disturbance}"
    return text


def describe_extension(todo: Sequence[Attempt]) -> str:
    """Describe additional attempts and their reason."""
    cells = "1 cell whose" if len(todo) == 1 else f"{len(todo)} cells whose"
    return f"another repetition of {cells} interval is too wide"


def describe_disturbances(disturbed: int, repeated: int) -> str:
    """Describe how many trials were repeated and how many stayed disturbed."""
    if not disturbed and not repeated:
        return "no trial was disturbed"
    trials = "1 trial was" if repeated == 1 else f"{repeated} trials were"
    return f"{trials} repeated, {disturbed or 'none'} stayed disturbed"


def _format_outcome(outcome: Measurement | Failure) -> str:
    if isinstance(outcome, Failure):
        return f"{outcome.kind}: {outcome.message}"
    duration_s = outcome.duration_ns / 1e9
    if outcome.achieved_share:
        offered_per_s = outcome.messages / duration_s / outcome.achieved_share
        done = f"{outcome.achieved_share:.1%} of {offered_per_s:,.0f} messages/s"
    else:
        rate_per_s = outcome.messages / duration_s
        done = f"{duration_s * 1e3:,.1f} ms, {rate_per_s:,.0f} messages/s"
    return f"{done}, {_format_server_load(outcome)}"


def _format_server_load(outcome: Measurement) -> str:
    share = outcome.server_busy_share
    return "server not observed" if share is None else f"server busy {share:.0%}"


def format_duration(duration_s: float) -> str:
    """Format a duration in seconds with its two largest units."""
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes_of_hour = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_of_hour} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
