"""The page of a library in a site: its ranks, cells, settings, and a badge."""

from collections.abc import Iterator, Sequence
from html import escape

from autostrada.report.library import Library, language_name, libraries
from autostrada.report.pages.blocks import (
    Block,
    Facts,
    Page,
    Paragraph,
    Section,
    Verbatim,
)
from autostrada.report.pages.cell_table import cell_table
from autostrada.report.pages.ranking_blocks import library_blocks
from autostrada.report.pages.site_cells import SITE_FOOTER, RankedCell, file_name
from autostrada.report.pages.trend_page import trend_blocks
from autostrada.report.trend import trends_of
from autostrada.store.record import ContestantVersion

OBJECT = (
    "If a figure is wrong, or the library is not used as it should be: open an issue "
    "with the command of the row and what it prints on your machine. The program that "
    "was measured is in the folder contestants/{name} of the repository."
)
BADGE_EDGE_PX = 14
BADGE_LETTER_PX = 6.6


def library_page(name: str, cells: Sequence[RankedCell]) -> Page:
    """
    Return the page of a contestant: its ranks, cells, settings and versions.

    ``cells`` are those of the newest run first.
    """
    ranked = (
        Paragraph(text=f"{place}: {standing}.", kind="further")
        for place, standing in _newest_ranks(cells).items()
    )
    newest = cells[0].run.results
    versions = [each for each in newest.versions if each.contestant == name]
    version = versions[0] if versions else None
    return Page(
        title=f"{name} · Autostrada",
        overline="Autostrada · library",
        heading=name,
        at="",
        meta=tuple(filter(None, _about(version))) if version else (),
        sections=(
            Section(title="", blocks=tuple(ranked)),
            Section(
                title="All cells", blocks=(cell_table(cells, "../", f"cells-{name}"),)
            ),
            *_over_runs(name, cells),
            Section(
                title="Settings and conformance", blocks=tuple(_known(name, cells))
            ),
            Section(title="How to object", blocks=tuple(_objection(name, cells))),
        ),
        footer=SITE_FOOTER,
        home="../index.html",
    )


def _about(version: ContestantVersion) -> tuple[str | None, ...]:
    return version.library, version.version, language_name(version.language)


def _over_runs(name: str, cells: Sequence[RankedCell]) -> Iterator[Section]:
    """Yield how it changed, in each workload that several runs have measured."""
    runs = {cell.run.name: cell.run.results for cell in cells}
    trends = [each for each in trends_of(runs.values(), name) if len(each.points) > 1]
    if not trends:
        return
    processors = {str(each.host.get("cpu_model", "")) for each in runs.values()}
    machines = Paragraph(text=f"Measured on {', '.join(sorted(processors))}.")
    blocks = trend_blocks(name, trends)
    several = (machines,) if len(processors) > 1 else ()
    yield Section(title="Over runs", blocks=(*several, *blocks))


def _newest_ranks(cells: Sequence[RankedCell]) -> dict[str, str]:
    """Return its ranks in slices by workload, each of the newest run that has it."""
    found: dict[str, str] = {}
    for cell in cells:
        if cell.rank and cell.ranking and cell.ranking.slices:
            title = cell.run.results.experiment.title
            place = f"{title}, {cell.standing.outcome.cell.workload}"
            rank = f"rank {cell.rank} as a {cell.role}, {cell.standing.text}"
            found.setdefault(place, rank)
    return found


def _known(name: str, cells: Sequence[RankedCell]) -> Iterator[Block]:
    """Yield what the newest run of each role knows of a library."""
    known: dict[str, Library] = {}
    for cell in cells:
        results = cell.run.results
        for each in libraries([cell.standing.outcome.cell], results.versions):
            if each.version.contestant == name:
                known.setdefault(each.role, each)
    for library in known.values():
        yield from library_blocks(library)
    for library in [*known.values()][:1]:
        version = library.version
        facts = {"toolchain": version.toolchain or "", "homepage": version.homepage}
        yield Facts(items=tuple((key, text) for key, text in facts.items() if text))


def _objection(name: str, cells: Sequence[RankedCell]) -> Iterator[Block]:
    yield Paragraph(text=OBJECT.format(name=name))
    if any(cell.rank for cell in cells):
        file = file_name(name)
        yield Paragraph(
            text="This badge has the first rank above; shields.io reads the same from "
            f"badges/{file}.json of this site. In Markdown, with the address of the "
            f"site in the place of SITE:"
        )
        yield Verbatim(
            text=f"[![{name}](SITE/badges/{file}.svg)](SITE/libraries/{file}.html)"
        )


def badge(cell: RankedCell) -> tuple[str, str]:
    """Return the label and the message of a badge."""
    workload = cell.standing.outcome.cell.workload
    return f"Autostrada, {workload}", f"{cell.rank}, {cell.standing.text}"


def badge_svg(label: str, message: str) -> str:
    """Return a badge as an SVG file."""
    left, right = (
        BADGE_EDGE_PX + round(BADGE_LETTER_PX * len(text)) for text in (label, message)
    )
    label, message = escape(label), escape(message)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" '
        f'role="img" aria-label="{label}: {message}" font-size="11" '
        f'font-family="Verdana, DejaVu Sans, sans-serif" text-anchor="middle">\n'
        f'<rect width="{left}" height="20" fill="#444c56"/>\n'
        f'<rect x="{left}" width="{right}" height="20" fill="#0b5fbd"/>\n'
        f'<text x="{left / 2}" y="14" fill="#fff">{label}</text>\n'
        f'<text x="{left + right / 2}" y="14" fill="#fff">{message}</text>\n</svg>\n'
    )
