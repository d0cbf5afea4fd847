"""
Pairs of the same server: how often the test of conclusions finds a difference.

Both sides of a pair, A and B, are the same contestant, measured one after the other in
each round. Each finding is false; with an error of at most 5 % in each direction, 40
pairs have more than ``FINDINGS_MAX`` in 1.5 % of the cases (binomial distribution).
"""

import random
from collections.abc import Sequence
from math import log

from rich.progress import track

from autostrada.contestants.catalog import find_catalog
from autostrada.errors import AutostradaError
from autostrada.machine.process import on_cpus
from autostrada.stats.claim import ClaimLimits, Finding
from autostrada.stats.sequential import LOOKS, decide

from .bench import BenchSetup
from .harness import echoed
from .programs import bare_folders, build, roles_of
from .table import Bar, BenchRow, Rows, Skipped

PAIRS = 40
FINDINGS_MAX = 8

Samples = Sequence[Sequence[float]]
"""The logarithm of A's time by B's, by pair and round."""


def same_rows(bench: BenchSetup) -> Rows:
    """Compare a contestant's server with itself, 40 times; by default one server."""
    catalog = find_catalog()
    folders = [
        each for each in bare_folders(bench.contestants) if "server" in roles_of(each)
    ]
    for folder in folders if bench.contestants else folders[:1]:
        what = f"findings among {PAIRS} pairs of {folder.name} and itself"
        a_first = orders(bench.seed)
        samples: list[list[float]] = [[] for _ in a_first]
        try:
            contestant = catalog.contestants()[folder.name]
            server = build(contestant, "server", bench.console.print)
            rounds = range(LOOKS[-1])
            with on_cpus(bench.host.server_cpus):
                for number in track(
                    rounds, what, transient=True, console=bench.console
                ):
                    for pair, is_a_first in zip(samples, a_first, strict=True):
                        first = echoed(bench, server).wall_ns
                        second = echoed(bench, server).wall_ns
                        sign = 1 if is_a_first[number] else -1
                        pair.append(sign * log(first / second))
        except AutostradaError as error:
            yield Skipped(what=what, why=f"failed: {error}")
            continue
        yield same_row(f"{what}, seed {bench.seed}", samples, a_first)


def orders(
    seed: int, pairs: int = PAIRS, rounds: int = LOOKS[-1]
) -> list[tuple[bool, ...]]:
    """
    Draw for each pair whether A is measured first, in each round.

    In a block of two pairs and two rounds, each pair and each round has one order once
    and the other one once; which one is first is random.
    """
    draw = random.Random(seed)
    found: list[tuple[bool, ...]] = []
    for _ in range(pairs // 2):
        blocks = [draw.random() < 0.5 for _ in range(rounds // 2)]
        one = tuple(order for block in blocks for order in (block, not block))
        found += [one, tuple(not order for order in one)]
    return found


def same_row(
    what: str, samples: Samples, a_first: Sequence[Sequence[bool]]
) -> BenchRow:
    """Count the findings that A is not faster, or that it is, and test the signs."""
    decision = [decide(each, ClaimLimits(least=0.0)) for each in samples]
    findings = [each.finding for each in decision if each]
    confirmed = findings.count(Finding.CONFIRMED)
    contradicted = findings.count(Finding.CONTRADICTED)
    every = [
        (sample, sample if is_a_first else -sample)
        for pair in zip(samples, a_first, strict=True)
        for sample, is_a_first in zip(*pair, strict=True)
    ]
    by_side, by_order = zip(*every, strict=True)
    return BenchRow(
        what=what,
        metric=confirmed + contradicted,
        bar=Bar(relation="≤", value=FINDINGS_MAX),
        details=(
            f"{confirmed} not faster, {contradicted} faster",
            f"A slower than B in {sign_test(by_side)}",
            f"the first slower than the second in {sign_test(by_order)}",
        ),
    )


def sign_test(samples: Sequence[float]) -> str:
    """Count the positive samples; the exact two-sided test leaves out zeros."""
    from scipy.stats import binomtest

    positive = sum(sample > 0 for sample in samples)
    different = sum(sample != 0 for sample in samples)
    p = binomtest(positive, different).pvalue if different else 1.0
    return f"{positive} of {different} comparisons: sign test, p = {p:.3f}"
