"""The page of a profile: a differential flame graph of two sides."""

from collections.abc import Sequence
from pathlib import Path

from autostrada.report.charts.flame_graph import flame_frames
from autostrada.report.number import plain
from autostrada.report.pages.blocks import (
    Bullets,
    Facts,
    Flame,
    Page,
    Paragraph,
    Section,
)
from autostrada.report.pages.document import write_html
from autostrada.stats.call_tree import Call

LEGEND = (
    "Width: mean of both sides. Red costs more in B, blue less. A frame's tooltip has "
    "its times."
)


def write_flame_page(
    labels: Sequence[str], workload: str, root: Call, lines: Sequence[str], path: Path
) -> None:
    """
    Write where the CPU time of a message goes on both sides, with findings as lines.

    Raises:
        UsageError: the file cannot be written.
    """
    times = [
        f"{plain(each / 1000)} µs a message" for each in (root.before_ns, root.after_ns)
    ]
    sides = [
        (f"{letter}: {label}", time)
        for letter, label, time in zip("AB", labels, times, strict=True)
    ]
    graph = (Paragraph(text=LEGEND, kind="note"), Flame(frames=flame_frames(root)))
    page = Page(
        title=f"{labels[1]} against {labels[0]}: {workload}",
        overline="Autostrada · profile",
        heading=f"Where the CPU time of a message goes: {workload}",
        at="",
        meta=(),
        sections=(
            Section(
                title="",
                blocks=(
                    Facts(items=tuple(sides)),
                    Bullets(items=tuple(Paragraph(text=line) for line in lines)),
                ),
            ),
            Section(title="Calls", blocks=graph),
        ),
        footer="Created by Autostrada. The page loads nothing from the network.",
    )
    write_html(page, path, "choose another path for --profile")
