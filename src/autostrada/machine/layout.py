"""
The memory layout of a process, and the seed of its hashes, drawn for several at once.

The kernel places the stack, libraries and mapped memory at random addresses, which
changes the speed of a program from start to start by several percent (T. Mytkowicz et
al., Producing wrong data without doing anything obviously wrong, 2009). Two programs
with the same addresses are compared more precisely, and new ones for each comparison
keep what a layout favours within its variance (C. Curtsinger, E. D. Berger, Stabilizer,
2013).
"""

import random
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

from autostrada.machine.executable import find_program

PAGE_BYTES = 4096

STACK_BYTES_MIN = 128 * 2**20
"""Limit of a stack above which the kernel maps memory further below it
(``mmap_base`` of Linux). Stacks are not larger for it."""

PAGES = 32_768
"""Number of different places of mapped memory, a page apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryLayout:
    """Addresses of mapped memory, and a seed of hashes."""

    stack_bytes_max: int
    hash_seed: int

    @classmethod
    def drawn(cls, draw: random.Random) -> Self:
        """Draw a layout."""
        return cls(
            stack_bytes_max=STACK_BYTES_MIN + draw.randrange(PAGES) * PAGE_BYTES,
            hash_seed=draw.randrange(2**32),
        )

    def command(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """
        Return the command that starts a program with this layout.

        Raises:
            UsageError: util-linux is not installed.
        """
        limit = f"--stack={self.stack_bytes_max}:"
        setarch, prlimit = find_program("setarch"), find_program("prlimit")
        return (setarch, "--addr-no-randomize", prlimit, limit, *arguments)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables from which interpreters take the seed of their hashes."""
        seed = str(self.hash_seed)
        return {"PYTHONHASHSEED": seed, "PERL_HASH_SEED": seed}


@cache
def can_have_layouts() -> bool:
    """Whether programs may be started so: some containers forbid it."""
    largest = STACK_BYTES_MIN + PAGES * PAGE_BYTES
    layout = MemoryLayout(stack_bytes_max=largest, hash_seed=0)
    tried = subprocess.run(layout.command(["true"]), capture_output=True, check=False)
    return tried.returncode == 0
