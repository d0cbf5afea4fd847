"""The catalog: finds the folders of contestants and the files of experiments."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from autostrada.contestants.claims import refuse_unclaimed
from autostrada.contestants.contestant import Contestant, read_contestants
from autostrada.contestants.kit import read_kits
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment, read_experiment
from autostrada.experiment.founded_claims import refuse_unfounded_claims
from autostrada.experiment.publication import parse_publication, read_published

PACKAGED = Path(__file__).parents[1] / "catalog"
"""The catalog in a wheel."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CatalogExperiment:
    """An experiment and the texts of its files."""

    name: str
    experiment: Experiment
    definition: str
    """Text of the experiment's file."""

    published: str
    """Text of the file with published values; ``""`` if there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalog:
    """The contestants and experiments of a checkout or wheel, and those of a user."""

    root: Path
    """Folder of ``contestants``, ``kits`` and ``experiments``."""

    extra_contestants: Path | None = None
    """Additional folder of contestants."""

    def contestants(self) -> dict[str, Contestant]:
        """
        Return all contestants by name; the additional folder takes precedence.

        Raises:
            UsageError: a manifest or the description of a kit is invalid, or the
                additional folder does not exist.
        """
        kits = read_kits(self.root / "kits")
        found = read_contestants(self.root / "contestants", kits)
        if self.extra_contestants is not None:
            if not self.extra_contestants.is_dir():
                raise UsageError(
                    f"{self.extra_contestants} is not a folder of contestants"
                )
            found |= read_contestants(self.extra_contestants.resolve(), kits)
        return found

    @property
    def builds(self) -> Path:
        """Folder in which contestants are built: the user's cache, for a wheel."""
        if self.root != PACKAGED:
            return self.root / ".build"
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(cache, "autostrada")

    def expect_checkout(self) -> None:
        """
        Check that it is that of a checkout, whose files may be changed.

        Raises:
            UsageError: it is that of a wheel.
        """
        if self.root == PACKAGED:
            raise UsageError("this needs a checkout of Autostrada: run it there")

    @property
    def stocks_file(self) -> Path:
        """Path of the records that servers send in the feed ``stocks``."""
        return self.root / "experiments" / "data" / "stocks.csv"

    def experiments(self) -> dict[str, Path]:
        """Return the paths of the experiments' files by name."""
        return {
            path.stem: path for path in sorted(self.root.glob("experiments/*.toml"))
        }

    def experiment(self, name: str) -> CatalogExperiment:
        """
        Return an experiment by its name or the path of its file.

        Raises:
            UsageError: the experiment does not exist, or its file is invalid.
        """
        path = self.experiments().get(name)
        if path is None and name.endswith(".toml"):
            path = Path(name)
            if not path.is_file():
                raise UsageError(f"{name} does not exist")
        if path is None:
            raise unknown("experiment", name, self.experiments())
        experiment, text = read_experiment(path)
        published = read_published(path)
        origin = f"published/{path.name}"
        publication = parse_publication(published, experiment, origin=origin)
        if publication is not None:
            refuse_unfounded_claims(publication, origin=origin)
        return CatalogExperiment(
            name=path.stem, experiment=experiment, definition=text, published=published
        )


def find_catalog(extra_contestants: Path | None = None) -> Catalog:
    """
    Return the catalog of the checkout that this package belongs to, or of the wheel.

    Raises:
        UsageError: there is neither.
    """
    root = Path(__file__).parents[3]
    if not (root / "experiments").is_dir():
        root = PACKAGED
    if not (root / "experiments").is_dir():
        raise UsageError(
            "experiments/ and contestants/ are missing: run this from a checkout, "
            "after make setup, or install the wheel"
        )
    return Catalog(root=root, extra_contestants=extra_contestants)


def choose(
    names: Iterable[str], contestants: dict[str, Contestant], experiment: Experiment
) -> tuple[str, ...]:
    """
    Check that contestants exist and can take part in an experiment.

    Returns the names without duplicates.

    Raises:
        UsageError: a contestant does not exist, is not part of the experiment, or does
            not claim a feature that a workload requires.
    """
    chosen = tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in contestants:
            raise unknown("contestant", name, contestants)
    cells = experiment.chosen_cells(chosen)
    taking_part = {name for cell in cells for name in (cell.server, cell.client)}
    for name in chosen:
        if name not in taking_part:
            raise UsageError(
                f"{name} is not in the experiment, which has "
                f"{', '.join(experiment.contestants)}: add "
                f"it to a copy of the experiment's file"
            )
    refuse_unclaimed(chosen, contestants, experiment)
    return chosen


def choose_builds(
    names: Iterable[str], contestants: dict[str, Contestant]
) -> tuple[Contestant, ...]:
    """
    Return one contestant for each build among ``names``; without names, for all.

    Raises:
        UsageError: a contestant does not exist.
    """
    names = list(names)
    for name in names:
        if name not in contestants:
            raise unknown("contestant", name, contestants)
    chosen = [contestants[name] for name in names] or contestants.values()
    return tuple({contestant.build_name: contestant for contestant in chosen}.values())


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown name, with similar names, or few known ones."""
    known = list(known)
    message = f"unknown {kind} {name!r}"
    if near := get_close_matches(name, known, n=3, cutoff=0.6):
        message += f"; did you mean {' or '.join(near)}?"
    separator = " " if near else "; "
    if kind == "contestant":
        remedy = "autostrada list shows all; for a folder of your own: --contestants"
        return UsageError(f"{message} ({remedy} FOLDER)")
    return UsageError(f"{message}{separator}available: {', '.join(known) or 'none'}")
