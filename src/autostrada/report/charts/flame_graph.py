"""
A differential flame graph: the calls of two sides as one tree of frames.

A frame's width is the mean CPU time of both sides, so that no function of either side
is missing, and callees never exceed their caller.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from autostrada.stats.call_tree import Call

WIDTH_MIN = 0.0004
"""Width of the narrowest frame, as a share of the whole: half a pixel of a page."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """A call on one path."""

    name: str
    x: float
    width: float
    """Place and width, as shares of the whole."""

    depth: int
    """Number of callers."""

    change_share: float
    """What it costs more on the second side, as a share of the whole mean time."""

    title: str
    """The times of both sides."""


def flame_frames(root: Call) -> tuple[Frame, ...]:
    """Return the frames of calls that took any time, each before its callees."""
    return tuple(_frames(root, root, 0.0, 0))


def _frames(call: Call, root: Call, x: float, depth: int) -> Iterator[Frame]:
    width = call.mean_ns / root.mean_ns
    if width < WIDTH_MIN:
        return
    change_ns = call.after_ns - call.before_ns
    title = (
        f"{call.name}: {call.before_ns:,.0f} → {call.after_ns:,.0f} ns a message "
        f"({change_ns:+,.0f} ns, {change_ns / root.before_ns:+.1%} of all)"
        if root.before_ns
        else call.name
    )
    yield Frame(
        name=call.name,
        x=x,
        width=width,
        depth=depth,
        change_share=change_ns / root.mean_ns,
        title=title,
    )
    for callee in sorted(call.callees.values(), key=lambda each: each.name):
        yield from _frames(callee, root, x, depth + 1)
        x += callee.mean_ns / root.mean_ns
