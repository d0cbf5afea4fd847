"""Faults injected into the messages of one connection, written independently."""

from collections.abc import Mapping
from typing import Any


class FaultInjector:
    """
    Takes messages as they should be sent, and gives them as they are sent.

    The faults and their order are those of ``docs/format.md``, written anew: what the
    engine misunderstands is not misunderstood twice.
    """

    def __init__(self, faults: Mapping[str, Any]) -> None:
        self._faults = faults
        self._taken = 0
        self._swapped: list[str] = []
        self._burst: list[str] = []

    def take(self, message: str) -> list[str]:
        """Return what is sent when a message is to be sent: none, one or several."""
        self._taken += 1
        if self._is_one_of("lose_every"):
            return []
        if self._is_one_of("corrupt_every"):
            message = message[:-1] + chr(ord(message[-1]) ^ 1)
        given = [message, message] if self._is_one_of("repeat_every") else [message]
        if self._is_one_of("swap_every"):
            self._swapped += given
            return []
        given += self._swapped
        self._swapped = []
        if "burst" not in self._faults:
            return given
        self._burst += given
        if len(self._burst) < self._faults["burst"]:
            return []
        given, self._burst = self._burst, []
        return given

    def rest(self) -> list[str]:
        """Return what still waits, at the end of a feed."""
        return self._burst + self._swapped

    def _is_one_of(self, fault: str) -> bool:
        return fault in self._faults and self._taken % self._faults[fault] == 0
