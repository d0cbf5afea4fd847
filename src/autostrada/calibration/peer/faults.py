"""Injects faults into the messages of one connection, independently of the engine."""

from collections.abc import Mapping
from typing import Any


class FaultInjector:
    """
    Converts the messages to send into the messages that are sent.

    The faults and their order are those of ``docs/format.md``. The implementation is
    independent of the engine's, so that both do not share the same error.
    """

    def __init__(self, faults: Mapping[str, Any]) -> None:
        self._faults = faults
        self._applied = 0
        self._swapped: list[str] = []
        self._burst: list[str] = []

    def apply(self, message: str) -> list[str]:
        """Return the messages to send in place of ``message``: none, one or several."""
        self._applied += 1
        if self._is_one_of("lose_every"):
            return []
        if self._is_one_of("corrupt_every"):
            message = message[:-1] + chr(ord(message[-1]) ^ 1)
        messages = [message, message] if self._is_one_of("repeat_every") else [message]
        if self._is_one_of("swap_every"):
            self._swapped += messages
            return []
        messages += self._swapped
        self._swapped = []
        if "burst" not in self._faults:
            return messages
        self._burst += messages
        if len(self._burst) < self._faults["burst"]:
            return []
        messages, self._burst = self._burst, []
        return messages

    def remaining(self) -> list[str]:
        """Return the messages that are still held at the end of a feed."""
        return self._burst + self._swapped

    def _is_one_of(self, fault: str) -> bool:
        return fault in self._faults and self._applied % self._faults[fault] == 0
