"""A publication on a page: its conclusions, its tables beside ours, its systems."""

from collections.abc import Iterator, Mapping, Sequence

from autostrada.experiment.matrix import REFERENCE
from autostrada.experiment.publication import Publication
from autostrada.report.charts.chart import Chart
from autostrada.report.conclusion import Conclusion
from autostrada.report.pages.blocks import (
    Block,
    Bullets,
    Figure,
    Heading,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableColumn,
    TableRow,
)
from autostrada.report.published import Pair, PairTable

HOW_DECIDED = (
    "A conclusion is confirmed if all of its comparisons are within the limits of the "
    "claim, and contradicted if one is beyond them, each with an error of at most 5%. "
    "If this run did not meet a condition of the claim, the conclusion is inconclusive."
)
HOW_COMPARED = (
    "The published charts and tables in their form and units, with our values beside "
    "them. Each cell of a grid shows our value, the published one, our interval, the "
    "ratio of ours to the published one, and our bottleneck. Machines and versions "
    "differ, so ratios need not be 1; but they should be similar within a table."
)


def conclusions_section(
    evaluated: Sequence[Conclusion],
    publication: Publication,
    charts: Mapping[str, Chart],
) -> Section:
    """Return the conclusions of a publication with their findings and grounds."""
    return Section(
        title="The published conclusions",
        blocks=(
            Paragraph(text=f"{publication.title}: {publication.origin}."),
            *figures(charts, "conclusions"),
            Table(
                name="table-conclusions",
                columns=(
                    TableColumn(title="", kind="rank"),
                    TableColumn(title="published", kind="words"),
                    TableColumn(title="measured"),
                    TableColumn(title="needed"),
                    TableColumn(title="finding"),
                    TableColumn(title="why not decided", kind="words"),
                ),
                rows=tuple(
                    _conclusion(place, each) for place, each in enumerate(evaluated, 1)
                ),
            ),
            Paragraph(text=HOW_DECIDED, kind="note"),
        ),
    )


def _conclusion(place: int, conclusion: Conclusion) -> TableRow:
    parts = tuple(
        Paragraph(strong=each.finding, text=f": {each.sentence}")
        for each in conclusion.parts
    )
    grounds: list[Block] = [Paragraph(text=each) for each in conclusion.grounds]
    if len(parts) > 1:
        grounds.append(Bullets(items=parts))
    finding = conclusion.finding
    return TableRow(
        cells=(
            TableCell(text=str(place), value=place),
            conclusion.text,
            conclusion.value,
            conclusion.wanted,
            TableCell(text=finding, kind=f"finding {finding.name.lower()}"),
            conclusion.short_reason,
        ),
        details=tuple(grounds),
    )


def values_section(
    tables: Sequence[PairTable], charts: Mapping[str, Chart]
) -> Section | None:
    """Return published values beside ours; ``None`` if none was measured here."""
    tested = [table for table in tables if any(pair.is_tested for pair in table.pairs)]
    drawn = [*figures(charts, "published")]
    if not tested and not drawn:
        return None
    return Section(
        title="Published and measured values",
        blocks=(
            Paragraph(text=HOW_COMPARED),
            *drawn,
            *(block for table in tables for block in _table(table)),
        ),
    )


def _table(table: PairTable) -> Iterator[Block]:
    yield Heading(text=table.title)
    caption = ". ".join(filter(None, (table.caption, table.untested_note)))
    if table.rows_title:
        columns = [f"{table.columns_title} {each}" for each in table.columns]
        yield Table(
            name=f"published {table.title}",
            caption=caption,
            columns=(
                TableColumn(title=table.rows_title),
                *(TableColumn(title=each, kind="number") for each in columns),
            ),
            rows=tuple(
                TableRow(cells=(row.name, *map(_of_grid, row.pairs)))
                for row in table.rows
            ),
        )
        return
    best = [TableColumn(title="to the best,\npublished · ours", kind="number")]
    yield Table(
        name=f"published {table.title}",
        caption=caption,
        columns=(
            TableColumn(title="cell"),
            TableColumn(title="published", kind="number"),
            TableColumn(title="ours", kind="main"),
            TableColumn(title="ours / published", kind="number"),
            *(best if table.best_published else ()),
            TableColumn(title="bottleneck", kind="words"),
        ),
        rows=tuple(_of_list(row.name, row.pairs[0], table) for row in table.rows),
    )


def _of_list(name: str, pair: Pair, table: PairTable) -> TableRow:
    best = (table.to_best(pair),) if table.best_published else ()
    return TableRow(
        cells=(
            name,
            TableCell(text=pair.theirs or "–", detail=pair.note),
            _ours(pair, ""),
            TableCell(text=pair.ratio, detail=pair.ratio_bounds if pair.ratio else ""),
            *best,
            TableCell(text=pair.bottleneck, why=pair.evidence),
        )
    )


def _of_grid(pair: Pair) -> TableCell:
    published = f"published {pair.theirs}" if pair.theirs else ""
    ratio = f"{pair.ratio} {pair.ratio_bounds}" if pair.ratio else ""
    bottleneck = pair.bottleneck if pair.ours else ""
    beside = (f"{published} {pair.note}", ratio, bottleneck)
    return _ours(pair, "\n".join(each for each in map(str.strip, beside) if each))


def _ours(pair: Pair, beside: str) -> TableCell:
    """Return our value with its bounds, or why there is none."""
    found = pair.sampled.interval if pair.sampled else None
    bounds = " ".join(filter(None, (pair.bounds, pair.shortened))) if pair.ours else ""
    return TableCell(
        text=pair.ours or pair.absence or "–",
        detail="\n".join(filter(None, (bounds, beside))),
        kind="" if pair.ours or not pair.absence else "failed",
        value=found.median if found else None,
        low=found.low if found and found.confidence else None,
        high=found.high if found and found.confidence else None,
        why=pair.evidence,
    )


def systems_section(publication: Publication) -> Section:
    """Return which systems of the publication are measured here, and by what."""
    return Section(
        title="Systems, versions and settings of the publication",
        blocks=(
            Table(
                name="table-systems",
                columns=(
                    TableColumn(title="published", kind="words"),
                    TableColumn(title="here"),
                    TableColumn(title="contestants"),
                    TableColumn(
                        title="why this is fair, or what is missing", kind="words"
                    ),
                ),
                rows=tuple(
                    TableRow(
                        cells=(
                            TableCell(
                                text=system.name,
                                detail=", ".join(
                                    filter(None, (system.role, system.version))
                                ),
                            ),
                            TableCell(
                                text=system.state, kind=system.state.name.lower()
                            ),
                            "\n".join(
                                "engine" if name == REFERENCE else name
                                for name in system.by
                            ),
                            system.reason,
                        )
                    )
                    for system in publication.system
                ),
            ),
        ),
    )


def figures(charts: Mapping[str, Chart], prefix: str) -> Iterator[Figure]:
    """Yield the charts of a run whose names begin so."""
    for name, chart in charts.items():
        if name.startswith(prefix):
            yield Figure(name=name, chart=chart)
