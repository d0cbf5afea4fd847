"""Shows the progress of a run: a bar on a terminal, or plain lines."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from autostrada.contestants.status_line import StatusLine, bar
from autostrada.runner.forecast import Forecast
from autostrada.store.reader import StoreReader
from autostrada.store.record import Attempt, Failure, Measurement, Trial

Watch = Callable[[StoreReader, int, Mapping[str, str]], None]
"""Called when nothing is measured: with results, a run's number, and how far it is."""


class Progress:
    """Prints one plain line per event, for logs, pipes and ``--verbose``."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._forecast = Forecast([])
        self._run: tuple[Callable[[], StoreReader], int] | None = None
        self.watch: Watch | None = None

    def enter(self, reader: Callable[[], StoreReader], run_id: int) -> None:
        """Handle that the store has the run; ``reader`` returns access to it."""
        self._run = reader, run_id

    def announce(self, what: str) -> None:
        """Handle the start of an activity that takes a while."""
        self.print(what)

    def step(
        self, what: str, done: int, total: int, left_s: float | None = None
    ) -> None:
        """Handle that ``done`` of ``total`` steps of an activity are finished."""

    def warn(self, what: str) -> None:
        """Handle what the user has to know, beside the results."""
        self.print(what)

    def exclude(self, contestant: str, failure: Failure) -> None:
        """Handle the exclusion of a contestant that cannot be built."""
        self.print(f"{contestant}: {failure.kind}: {failure.message}")

    def begin(self, forecast: Forecast, *, done: int) -> None:
        """Handle the start of the trials; ``done`` attempts were finished earlier."""
        self._forecast = forecast
        self.warn(describe_forecast(forecast, done))

    def start(self, attempt: Attempt) -> None:
        """Handle the start of a trial, or of several that take turns."""
        if self.watch and self._run:
            reader, run_id = self._run
            left_s = self._forecast.left_s()
            facts = {
                "finished trials": _counted_trials(self._forecast),
                "time left": format_duration(left_s) if left_s else "not known",
                "present trial": describe(attempt),
            }
            self.watch(reader(), run_id, facts)

    def finish(
        self, attempt: Attempt, trial: Trial, taken_s: float, *, is_repeated: bool
    ) -> None:
        """
        Handle the end of a trial.

        ``taken_s`` is its duration in seconds, with the wait for an idle machine.
        ``is_repeated`` says whether the attempt is tried again at once; such a trial
        does not count as finished.
        """
        self._forecast.finish(attempt, taken_s, is_repeated=is_repeated)
        text = f"{describe(attempt)}: {summarize(trial)}"
        if is_repeated:
            self.print(f"{text}; repeated")
        else:
            self.print(f"{_counted_trials(self._forecast)} {text}")

    def extend(self, todo: Sequence[Attempt]) -> None:
        """Handle the next round of a run with a budget."""
        self._forecast.extend(todo)

    def conclude(self, disturbed: int, repeated: int) -> None:
        """
        Handle the end of all trials.

        ``disturbed`` is the number of attempts without an undisturbed trial,
        ``repeated`` the number of trials that repeated a disturbed one.
        """
        self.print(describe_disturbances(disturbed, repeated))

    def close(self) -> None:
        """Release the terminal."""

    def print(self, text: str) -> None:
        """Print a line of the log."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class ProgressBar(Progress):
    """Shows a bar on a terminal, with the time left; all lines go to a log."""

    def __init__(self, terminal: Console, log: Console) -> None:
        super().__init__(log)
        self._terminal = terminal
        self._status = StatusLine(terminal)

    def announce(self, what: str) -> None:
        super().announce(what)
        self._status.show(what + " …")

    def step(
        self, what: str, done: int, total: int, left_s: float | None = None
    ) -> None:
        left = "" if left_s is None else f" · about {format_duration(left_s)} left"
        self._status.show(f"{bar(done, total)} {done}/{total}{left} · {what}")

    def warn(self, what: str) -> None:
        super().warn(what)
        self._terminal.print(Text(what))

    def start(self, attempt: Attempt) -> None:
        super().start(attempt)
        forecast = self._forecast
        left_s = forecast.left_s()
        left = "" if left_s is None else f" · about {format_duration(left_s)} left"
        shown = f"{bar(*forecast.progress)} {_counted_trials(forecast)}{left}"
        self._status.show(f"{shown} · {describe(attempt)}")

    def close(self) -> None:
        self._status.close()
        self._console.file.close()


def describe_forecast(forecast: Forecast, done: int) -> str:
    """Describe the number of trials, and their expected duration."""
    left_s = forecast.left_s()
    if forecast.is_budgeted:
        text = f"trials for {format_duration(left_s or 0.0)}"
    else:
        text = counted(forecast.total, "trial")
        text += f", about {format_duration(left_s)}" if left_s else ""
    return text + (f"; {done} were made earlier" if done else "")


def counted(count: int, noun: str) -> str:
    """Format a count with its noun, which has a regular plural."""
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def _counted_trials(forecast: Forecast) -> str:
    """Count the finished trials, of all if their number is known."""
    finished = f"{forecast.finished:,}"
    return finished if forecast.is_budgeted else f"{finished}/{forecast.total:,}"


def describe(attempt: Attempt) -> str:
    """Describe which trial an attempt is."""
    cell = attempt.cell
    return f"{cell.contestant} {cell.workload} repetition {attempt.repetition + 1}"


def summarize(trial: Trial) -> str:
    """Describe the outcome of a trial and its disturbance."""
    text = _format_outcome(trial.outcome)
    if trial.other_load.disturbance:
        text += f"; disturbed: {trial.other_load.disturbance}"
    return text


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
    share = outcome.server_utilization
    server = "server not observed" if share is None else f"server busy {share:.0%}"
    return f"{done}, {server}"


def format_duration(duration_s: float) -> str:
    """Format a duration in seconds with its two largest units."""
    minutes, seconds = divmod(round(duration_s), 60)
    hours, minutes_of_hour = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes_of_hour} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
