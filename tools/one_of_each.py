"""Prints a contestant of each installed language: those that ``make test`` verifies."""

import sys
from itertools import groupby

from autostrada.contestants.catalog import Catalog, find_catalog
from autostrada.contestants.contestant import Contestant
from autostrada.contestants.requirement import check
from autostrada.errors import NotInstalled

EXPERIMENT = "race"
"""The contestants of its quick run come first: ``make race`` has built them."""


def one_of_each(catalog: Catalog) -> list[str]:
    """
    Return the name of a contestant of each language.

    Those with a server and a client come first, then those of the race's quick run.
    """
    experiment = catalog.experiment(EXPERIMENT).experiment
    quick = experiment.quick_version().contestants

    def rank(each: Contestant) -> tuple[str, bool, bool, str]:
        has_both = each.has("server") and each.has("client")
        language = each.manifest.language
        return language, not has_both, each.name not in quick, each.name

    all_contestants = catalog.contestants().values()
    ranked = sorted((each for each in all_contestants if not each.variant), key=rank)
    of_languages = groupby(ranked, key=lambda each: each.manifest.language)
    chosen = [first_installed(list(contestants)) for _, contestants in of_languages]
    return [each.name for each in chosen if each is not None]


def first_installed(contestants: list[Contestant]) -> Contestant | None:
    """Return the first contestant whose requirements are installed, if there is one."""
    for each in contestants:
        try:
            check(each.manifest.requires, each.folder)
        except NotInstalled as error:
            print(f"left out: {each.name}: {error}", file=sys.stderr)
        else:
            return each
    return None


if __name__ == "__main__":
    print(*one_of_each(find_catalog()))
