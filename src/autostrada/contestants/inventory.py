"""Lists contestants and experiments."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from autostrada.contestants.catalog import find_catalog
from autostrada.contestants.contestant import ROLES


def print_inventory(extra_contestants: Path | None) -> None:
    """Print tables of all contestants and experiments."""
    catalog = find_catalog(extra_contestants)
    console = Console()
    table = plain_table("contestant", "library", "programs")
    for contestant in catalog.contestants().values():
        tables = [
            *(role for role in ROLES if contestant.has(role)),
            *(
                f"published {role}"
                for role in ROLES
                if contestant.has(role, published=True)
            ),
        ]
        library = contestant.manifest.library
        table.add_row(contestant.name, library, ", ".join(tables))
    console.print(table)
    table = plain_table("experiment", "question", "contestants")
    for name in catalog.experiments():
        experiment = catalog.experiment(name).experiment
        table.add_row(name, experiment.question, str(len(experiment.contestants)))
    console.print()
    console.print(table)


def plain_table(*headings: str) -> Table:
    """Return a table without lines, which wraps what does not fit."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
