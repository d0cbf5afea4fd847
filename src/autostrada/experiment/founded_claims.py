"""Claims are true of the published values from which they are drawn."""

from itertools import product

from autostrada.errors import UsageError
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import Claim, Publication
from autostrada.stats.claim import Finding, within


def refuse_unfounded_claims(publication: Publication, *, origin: str) -> None:
    """
    Check that each claim is true of the published values that it is drawn from.

    A comparison is skipped if one of its metrics was not published, or as a bound. If
    a cell has two published values, one of them must agree with the claim.

    Raises:
        UsageError: a claim contradicts its tables, or they contradict each other.
    """
    for claim in publication.claim:
        published = _published_values(publication, claim, origin=origin)
        refused = []
        for requirement in claim.requirements:
            known = [
                published.get((requirement.metric, cell), ())
                for cell in requirement.cells
            ]
            values = [of / to[0] if to else of for of, *to in product(*known)]
            if values and all(
                within(value, value, requirement.limits) is Finding.CONTRADICTED
                for value in values
            ):
                refused.append(
                    f"{origin}: {claim.text}: the published {requirement.metric} of "
                    f"{' and '.join(map(str, requirement.cells))} contradicts it: "
                    f"{values[0]:g}"
                )
        if refused and (not claim.either or len(refused) == len(claim.requirements)):
            raise UsageError(refused[0])


def _published_values(
    publication: Publication, claim: Claim, *, origin: str
) -> dict[tuple[str, Cell], tuple[float, ...]]:
    """Return the values of a claim's tables, in the metric's unit, by metric, cell."""
    found: dict[tuple[str, Cell], tuple[float, ...]] = {}
    used = {
        (requirement.metric, cell)
        for requirement in claim.requirements
        for cell in requirement.cells
    }
    for table in publication.table:
        if claim.tables and table.title not in claim.tables:
            continue
        for published in table.cells:
            key = (table.metric, table.cell(published))
            values = table.values(published)
            if not values or published.bound or key not in used:
                continue
            if set(found.setdefault(key, values)) != set(values):
                raise UsageError(
                    f"{origin}: {claim.text}: two tables differ in {key[0]} of "
                    f"{key[1]}: name the claim's tables"
                )
    return found
