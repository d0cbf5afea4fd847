"""What there is to measure: the folders of contestants and experiments."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from autostrada.contestants.claims import refuse_unclaimed
from autostrada.contestants.contestant import Contestant, read_contestants
from autostrada.errors import UsageError
from autostrada.experiment.experiment import Experiment, read_experiment
from autostrada.experiment.publication import parse_publication, read_published


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """An experiment as its files have it."""

    name: str
    experiment: Experiment
    definition: str
    """The text of its file."""

    published: str
    """The text of what was published of it; ``""`` where nothing was."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalog:
    """The contestants and experiments of one checkout, and a user's own."""

    root: Path
    further: Path | None = None
    """A further folder of contestants."""

    def contestants(self) -> dict[str, Contestant]:
        """
        Return all contestants by name; a user's own one replaces ours of that name.

        Raises:
            UsageError: a manifest is wrong, or the further folder is not there.
        """
        found = read_contestants(self.root / "contestants")
        if self.further is not None:
            if not self.further.is_dir():
                raise UsageError(f"{self.further} is no folder of contestants")
            found |= read_contestants(self.further.resolve())
        return found

    @property
    def stocks_file(self) -> Path:
        """The records of which servers make a feed of ``stocks``."""
        return self.root / "experiments" / "data" / "stocks.csv"

    def experiments(self) -> dict[str, Path]:
        """Return the experiments' files by name."""
        return {
            path.stem: path for path in sorted(self.root.glob("experiments/*.toml"))
        }

    def experiment(self, name: str) -> Found:
        """
        Return an experiment by its name or its file.

        Raises:
            UsageError: there is none of that name, or its file is wrong.
        """
        path = self.experiments().get(name)
        if path is None and name.endswith(".toml"):
            path = Path(name)
            if not path.is_file():
                raise UsageError(f"{name} is not there")
        if path is None:
            raise unknown("experiment", name, self.experiments())
        experiment, text = read_experiment(path)
        published = read_published(path)
        parse_publication(published, experiment, origin=f"published/{path.name}")
        return Found(
            name=path.stem, experiment=experiment, definition=text, published=published
        )


def find_catalog(further: Path | None = None) -> Catalog:
    """
    Return the catalog of the checkout that this package is part of.

    Raises:
        UsageError: it is part of none.
    """
    root = Path(__file__).parents[3]
    if not (root / "experiments").is_dir():
        raise UsageError(
            "experiments/ and contestants/ are not there: run this from a checkout, "
            "after make setup"
        )
    return Catalog(root=root, further=further)


def choose(
    names: Iterable[str], contestants: dict[str, Contestant], experiment: Experiment
) -> tuple[str, ...]:
    """
    Return names that are all contestants which can play in an experiment, each once.

    Raises:
        UsageError: one does not exist, or does not claim what is asked.
    """
    chosen = tuple(dict.fromkeys(names))
    for name in chosen:
        if name not in contestants:
            raise unknown("contestant", name, contestants)
    cells = experiment.chosen_cells(chosen)
    playing = {name for cell in cells for name in (cell.server, cell.client)}
    for name in chosen:
        if name not in playing:
            raise UsageError(
                f"{name} is not in the experiment, which has "
                f"{', '.join(experiment.contestants)}: add "
                f"it to a copy of the experiment's file"
            )
    refuse_unclaimed(chosen, contestants, experiment)
    return chosen


def choose_folders(
    names: Iterable[str], contestants: dict[str, Contestant]
) -> tuple[Contestant, ...]:
    """
    Return one contestant for each folder that is named; without names, for each.

    Raises:
        UsageError: there is none of such a name.
    """
    names = list(names)
    for name in names:
        if name not in contestants:
            raise unknown("contestant", name, contestants)
    chosen = [contestants[name] for name in names] or contestants.values()
    return tuple({each.folder: each for each in chosen}.values())


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Say that there is no such name, and which ones are near."""
    known = list(known)
    near = get_close_matches(name, known, n=3, cutoff=0.4) or known
    remedy = "; one in a folder of your own: --contestants FOLDER"
    return UsageError(
        f"no {kind} {name!r}; there is {', '.join(near) or 'none at all'}"
        + (remedy if kind == "contestant" else "")
    )
