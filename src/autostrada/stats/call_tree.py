"""
Where the CPU time of a message goes on two sides, from samples of their call stacks.

A sample stands for an equal part of the CPU time that the measurement found: profiles
tell shares, not times. The merged tree is that of differential flame graphs (B. Gregg,
2014).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt

Stack = tuple[str, ...]
"""Names of functions, each called by the one before it."""

ERRORS_MIN = 4.0
"""Smallest change of a function, in its standard errors, that is not taken for chance:
there are many functions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """The samples of a side."""

    samples: Mapping[Stack, int]
    ns_per_message: float
    """CPU time of a message, measured without the profiler."""

    @property
    def ns_per_sample(self) -> float:
        """CPU time of a message that a sample stands for; at least one is needed."""
        return self.ns_per_message / sum(self.samples.values())


@dataclass(kw_only=True, slots=True)
class Call:
    """A function as called on one path, with what it calls."""

    name: str
    before_ns: float = 0.0
    after_ns: float = 0.0
    """CPU time of a message in it and what it calls, on both sides."""

    callees: dict[str, "Call"] = field(default_factory=dict)

    @property
    def mean_ns(self) -> float:
        """Mean of both sides, of which a call has at least what its callees have."""
        return (self.before_ns + self.after_ns) / 2


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFunction:
    """A function whose own CPU time of a message differs beyond chance."""

    name: str
    before_ns: float
    after_ns: float

    @property
    def change_ns(self) -> float:
        """What a message costs more on the second side."""
        return self.after_ns - self.before_ns


def merge_profiles(before: Profile, after: Profile) -> Call:
    """Return the root of the calls of both sides."""
    root = Call(name="all")
    for stack, ns, is_after in (*_timed(before, False), *_timed(after, True)):
        call = root
        for name in ("", *stack):
            if name:
                call = call.callees.setdefault(name, Call(name=name))
            if is_after:
                call.after_ns += ns
            else:
                call.before_ns += ns
    return root


def changed_functions(before: Profile, after: Profile) -> list[ChangedFunction]:
    """
    Return the functions that changed beyond chance, the largest change first.

    The number of samples in a function has about the variance of a Poisson
    distribution.
    """
    own = [_own(profile) for profile in (before, after)]
    units = before.ns_per_sample, after.ns_per_sample
    found = []
    for name in own[0].keys() | own[1].keys():
        counts = own[0][name], own[1][name]
        function = ChangedFunction(
            name=name, before_ns=counts[0] * units[0], after_ns=counts[1] * units[1]
        )
        error_ns = sqrt(counts[0] * units[0] ** 2 + counts[1] * units[1] ** 2)
        if abs(function.change_ns) > ERRORS_MIN * error_ns:
            found.append(function)
    return sorted(found, key=lambda each: (-abs(each.change_ns), each.name))


def _timed(profile: Profile, is_after: bool) -> Iterator[tuple[Stack, float, bool]]:
    for stack, count in profile.samples.items():
        yield stack, count * profile.ns_per_sample, is_after


def _own(profile: Profile) -> Counter[str]:
    """Return the number of samples in each function itself."""
    counts: Counter[str] = Counter()
    for stack, count in profile.samples.items():
        counts[stack[-1]] += count
    return counts
