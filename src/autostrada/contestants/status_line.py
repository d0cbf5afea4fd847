"""A line at the bottom of a terminal that shows the progress of an activity."""

from rich.console import Console
from rich.live import Live
from rich.text import Text

BAR_WIDTH = 20


class StatusLine:
    """
    A line that is replaced by the next one; elsewhere than on a terminal, none.

    It is drawn on events only: a refresh thread would wake up during a trial.
    """

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)
        if console.is_terminal:
            self._live.start()

    def show(self, text: str) -> None:
        """Show a text; what does not fit is cut off."""
        shown = Text(text, no_wrap=True, overflow="ellipsis")
        if self._live.is_started:
            self._live.update(shown, refresh=True)

    def close(self) -> None:
        """Remove the line."""
        self._live.stop()


class CountLine(StatusLine):
    """A status line with the number of finished parts of an activity."""

    def __init__(self, console: Console, total: int, verb: str) -> None:
        super().__init__(console)
        self._total = total
        self._verb = verb
        self.finished = 0

    def show_part(self, part: str = "") -> None:
        """Show how many parts are finished, and the one that is being done."""
        counted = f"{self._verb} {self.finished} of {self._total}{part and ' · '}{part}"
        self.show(f"{bar(self.finished, self._total)} {counted}")


def bar(done: float, total: float) -> str:
    """Draw how much of ``total`` is done."""
    full = min(BAR_WIDTH, int(BAR_WIDTH * done / max(1, total)))
    return "━" * full + "╌" * (BAR_WIDTH - full)
