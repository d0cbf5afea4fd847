"""
A differential flame graph as SVG: the calls of two sides, drawn as one tree.

A frame's width is the mean CPU time of both sides, so that no function of either side
is missing, and callees never exceed their caller. Red costs more on the second side,
blue less.
"""

from collections.abc import Iterator
from html import escape

from autostrada.stats.call_tree import Call

WIDTH = 1180
"""Width in pixels."""

ROW = 17
"""Height of a row in pixels."""

LETTER = 6.6
"""Width of a letter in pixels."""

NARROWEST = 0.5
"""Width of the narrowest frame that is drawn, in pixels."""

FULL_SHARE = 0.05
"""Change, as a share of the whole CPU time, that has the full colour."""


def flame_graph(root: Call) -> str:
    """Return the SVG of calls that took any time."""
    frames = [*_frames(root, 0.0, 0, WIDTH / root.mean_ns)]
    height = ROW * (1 + max(depth for _, _, depth, _ in frames))
    drawn = "\n".join(
        _drawn(call, x, height - ROW * (depth + 1), width, root)
        for call, x, depth, width in frames
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="Calls of both sides" font-family="monospace" '
        f'font-size="11">\n{drawn}\n</svg>'
    )


def _frames(
    call: Call, x: float, depth: int, scale: float
) -> Iterator[tuple[Call, float, int, float]]:
    """Yield a call and its callees, each with its place, depth and width."""
    width = call.mean_ns * scale
    if width < NARROWEST:
        return
    yield call, x, depth, width
    for callee in sorted(call.callees.values(), key=lambda each: each.name):
        yield from _frames(callee, x, depth + 1, scale)
        x += callee.mean_ns * scale


def _drawn(call: Call, x: float, y: float, width: float, root: Call) -> str:
    change_ns = call.after_ns - call.before_ns
    letters = int(width / LETTER)
    name = call.name
    if len(name) > letters:
        name = f"{name[: letters - 1]}…" if letters > 2 else ""
    title = (
        f"{call.name}: {call.before_ns:,.0f} → {call.after_ns:,.0f} ns a message "
        f"({change_ns:+,.0f} ns, {change_ns / root.before_ns:+.1%} of all)"
        if root.before_ns
        else call.name
    )
    return (
        f"<g><title>{escape(title)}</title>"
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" '
        f'fill="{_colour(change_ns / root.mean_ns)}"/>'
        f'<text x="{x + 2:.1f}" y="{y + ROW - 5}" fill="#000">{escape(name)}</text></g>'
    )


def _colour(share: float) -> str:
    """Return grey for no change, and red or blue for more or less time."""
    strength = min(1.0, abs(share) / FULL_SHARE)
    pale, full = (225, 225, 225), (235, 70, 60) if share > 0 else (70, 130, 235)
    mixed = (round(a + (b - a) * strength) for a, b in zip(pale, full, strict=True))
    return f"rgb({','.join(map(str, mixed))})"
