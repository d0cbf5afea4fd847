"""The newest run of each experiment, as an index needs it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from autostrada.experiment.experiment import parse_experiment
from autostrada.report.collection.summary import Summary
from autostrada.report.experiment.extract.summary import experiment_summary
from autostrada.report.experiment.results import read_results
from autostrada.report.race.race import read_race
from autostrada.report.race.summary import race_summary
from autostrada.store.reader import StoreReader
from autostrada.store.record import StoredRun


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A run in an index."""

    run_id: int
    name: str
    """The experiment's."""

    title: str
    question: str
    command: str
    started_at: datetime
    host: Mapping[str, object]
    summary: Summary

    @property
    def page(self) -> str:
        """The page's file, beside the index."""
        return f"{self.name}.html"


def read_entries(reader: StoreReader) -> tuple[Entry, ...]:
    """
    Return the newest run of each experiment, in the order of their names.

    Raises:
        UsageError: the store holds no run.
    """
    reader.run()
    newest = {stored.run.experiment: stored for stored in reader.runs()}
    return tuple(_entry(reader, newest[name]) for name in sorted(newest))


def _entry(reader: StoreReader, stored: StoredRun) -> Entry:
    run = stored.run
    experiment = parse_experiment(run.definition, origin=f"run {stored.run_id}")
    results = read_results(reader, stored.run_id)
    if experiment.is_race:
        summary = race_summary(read_race(reader, stored.run_id), results)
    else:
        summary = experiment_summary(results)
    return Entry(
        run_id=stored.run_id,
        name=run.experiment,
        title=experiment.title,
        question=experiment.question,
        command=run.command,
        started_at=run.started_at,
        host=json.loads(run.host),
        summary=summary,
    )
