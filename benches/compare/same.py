"""
Pairs of the same server: how often the test of conclusions finds a difference.

Both sides of a pair are the same contestant, measured in the same rounds in alternating
order. Each finding is false; with an error of at most 5 % in each direction, 40 pairs
have more than ``FINDINGS_MAX`` in 1.5 % of the cases (binomial distribution).
"""

from math import log

from rich.progress import track

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import AutostradaError
from autostrada.machine.process import on_cpus
from autostrada.stats.claim import Finding
from autostrada.stats.sequential import LOOKS, MeanLimits, decide

from .bench import BenchSetup
from .harness import echoed
from .programs import bare_folders, build, roles_of
from .table import Bar, BenchRow, Rows, Skipped

PAIRS = 40
FINDINGS_MAX = 8


def same_rows(bench: BenchSetup) -> Rows:
    """Compare a contestant's server with itself, 40 times; by default one server."""
    catalog = find_catalog()
    folders = [
        each for each in bare_folders(bench.contestants) if "server" in roles_of(each)
    ]
    for folder in folders if bench.contestants else folders[:1]:
        what = f"findings among {PAIRS} pairs of {folder.name} and itself"
        try:
            contestant = catalog.contestants()[folder.name]
            server = build(contestant, "server", bench.console.print)
            samples: list[list[float]] = [[] for _ in range(PAIRS)]
            with on_cpus(bench.host.server_cpus):
                rounds = range(LOOKS[-1])
                for number in track(
                    rounds, what, transient=True, console=bench.console
                ):
                    for pair in samples:
                        first, second = (
                            echoed(bench, server).wall_ns for _ in range(2)
                        )
                        sign = -1 if number % 2 else 1
                        pair.append(sign * log(first / second))
        except AutostradaError as error:
            yield Skipped(what=what, why=f"failed: {error}")
            continue
        yield same_row(what, samples)


def same_row(what: str, samples: list[list[float]]) -> BenchRow:
    """Count the findings that one side is not slower, or that it is."""
    decision = [decide(each, MeanLimits(least=0.0)) for each in samples]
    findings = [each.finding for each in decision if each]
    confirmed = findings.count(Finding.CONFIRMED)
    contradicted = findings.count(Finding.CONTRADICTED)
    return BenchRow(
        what=what,
        metric=confirmed + contradicted,
        bar=Bar(relation="≤", value=FINDINGS_MAX),
        details=(f"{confirmed} not faster, {contradicted} faster",),
    )
