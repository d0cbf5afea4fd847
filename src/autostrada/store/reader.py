"""Read-only access to a store."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from autostrada.errors import UsageError
from autostrada.store.file import STATEMENT_ERRORS, OpenStore, open_for_reading, refusal
from autostrada.store.record import (
    SAME_MACHINE,
    Attempt,
    Calibration,
    Cell,
    ContestantVersion,
    Failure,
    Resumption,
    Run,
    StoredRun,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = Mapping[str, Any]
"""A row of a result, by column name."""

Record = TypeVar("Record", bound="DataclassInstance")


def as_record(kind: type[Record], row: Row) -> Record:
    """Return the record of a row, whose fields are columns of the same names."""
    return kind(
        **{field.name: row[field.name] for field in fields(kind) if field.name in row}
    )


class StoreReader(OpenStore):
    """A store opened for reading, by any number of processes while none writes."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the store at ``path``."""
        return cls(open_for_reading(path), path)

    def query(self, sql: str, **parameters: object) -> list[Row]:
        """
        Run a statement and return its rows; ``$name`` stands for a parameter.

        Raises:
            UsageError: the file is damaged.
        """
        try:
            answer = self._connection.execute(sql, parameters or None)
            names = [column[0] for column in answer.description or ()]
            return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
        except STATEMENT_ERRORS:
            raise
        except duckdb.Error as error:
            raise refusal(self.path, error) from error

    def runs(self) -> list[StoredRun]:
        """Return all runs, the oldest first."""
        rows = self.query("SELECT * FROM run ORDER BY run_id")
        return [
            StoredRun(run_id=row["run_id"], run=as_record(Run, _in_utc(row)))
            for row in rows
        ]

    def run(self, run_id: int | None = None) -> StoredRun:
        """
        Return one run; ``None`` stands for the newest run.

        Raises:
            UsageError: the run does not exist.
        """
        runs = {stored.run_id: stored for stored in self.runs()}
        if not runs:
            raise UsageError(f"{self.path} holds no run yet; autostrada run adds one")
        if run_id is None:
            run_id = max(runs)
        if run_id not in runs:
            known = ", ".join(str(number) for number in runs)
            raise UsageError(f"{self.path} holds no run {run_id}, only {known}")
        return runs[run_id]

    def calibrations(self) -> list[Calibration]:
        """Return all calibrations, the oldest first."""
        rows = self.query("SELECT * FROM calibration ORDER BY calibration_id")
        return [as_record(Calibration, _in_utc(row)) for row in rows]

    def contestants(self, run_id: int) -> list[ContestantVersion]:
        """Return the versions of all contestants of a run, ordered by name."""
        rows = self.query(
            "SELECT * FROM contestant_version WHERE run_id = $run_id "
            "ORDER BY contestant",
            run_id=run_id,
        )
        return [as_record(ContestantVersion, row) for row in rows]

    def contestant_failures(self, run_id: int) -> dict[str, Failure]:
        """Return the failures of contestants that take part in no trial of a run."""
        rows = self.query(
            "SELECT contestant, kind, message, stderr_tail FROM failure "
            "WHERE run_id = $run_id AND trial_id IS NULL ORDER BY contestant",
            run_id=run_id,
        )
        return {row["contestant"]: as_record(Failure, row) for row in rows}

    def median(self, run_id: int, cell: Cell, metric: str) -> float | None:
        """Return a metric's median over the trials of a cell; ``None`` without any."""
        (row,) = self.query(
            "SELECT median(value) AS median FROM metric JOIN trial USING (trial_id) "
            "WHERE run_id = $run_id AND server = $server AND client = $client "
            "AND workload = $workload AND metric = $metric",
            run_id=run_id,
            metric=metric,
            **asdict(cell),
        )
        median: float | None = row["median"]
        return median

    def value(self, run_id: int, attempt: Attempt, metric: str) -> float | None:
        """Return a metric of the counted trial of an attempt; ``None`` without any."""
        rows = self.query(
            "SELECT value FROM metric JOIN counted_trial USING (trial_id) "
            "WHERE run_id = $run_id AND server = $server AND client = $client AND "
            "workload = $workload AND repetition = $repetition AND metric = $metric",
            run_id=run_id,
            metric=metric,
            repetition=attempt.repetition,
            **asdict(attempt.cell),
        )
        return rows[0]["value"] if rows else None

    def resumption(self, experiment: str) -> Resumption | None:
        """Return the state of an experiment's newest run; ``None`` if it has no run."""
        runs = [stored for stored in self.runs() if stored.run.experiment == experiment]
        if not runs:
            return None
        stored = runs[-1]
        rows = self.query(
            "SELECT server, client, workload, repetition, "
            "max(retry) AS retries, bool_and(disturbance <> '') AS is_disturbed, "
            "sum(taken_ns)::BIGINT AS taken_ns, "
            "bool_or(superseded IS NOT NULL) AS is_superseded "
            "FROM trial WHERE run_id = $run_id GROUP BY ALL",
            run_id=stored.run_id,
        )
        counted = [row for row in rows if not row["is_superseded"]]
        return Resumption(
            stored=stored,
            digests={
                version.contestant: version.digest
                for version in self.contestants(stored.run_id)
            },
            failed=frozenset(self.contestant_failures(stored.run_id)),
            attempts=frozenset(map(_attempt, counted)),
            retries={_attempt(row): row["retries"] for row in counted},
            disturbed=frozenset(
                _attempt(row) for row in counted if row["is_disturbed"]
            ),
            taken_ns=sum(row["taken_ns"] for row in rows),
            rounds=max((row["repetition"] + 1 for row in rows), default=0),
        )

    def machines(self, run_id: int) -> dict[int | None, str]:
        """Return a description of the machine of each part of a run, in words."""
        rows = self.query("FROM part WHERE run_id = $run_id", run_id=run_id)
        hosts = {row["part"]: row["host"] for row in rows}
        hosts[None] = self.run(run_id).run.host
        return {part: _machine(json.loads(host)) for part, host in hosts.items()}

    def instants(self, run_id: int) -> set[datetime]:
        """Return the instants at which the trials of a run began."""
        rows = self.query(
            "SELECT started_at FROM trial WHERE run_id = $run_id", run_id=run_id
        )
        return {row["started_at"] for row in rows}

    def attempts(self, run_id: int) -> frozenset[Attempt]:
        """Return all attempts of a run that have an outcome."""
        rows = self.query(
            "SELECT DISTINCT server, client, workload, repetition "
            "FROM trial WHERE run_id = $run_id",
            run_id=run_id,
        )
        return frozenset(map(_attempt, rows))


def _machine(host: Mapping[str, object]) -> str:
    """Return the facts that identify a machine, in words."""
    return ", ".join(
        f"{name} {host[name]}" if name == "cores" else str(host[name])
        for name in SAME_MACHINE
        if name in host
    )


def _attempt(row: Row) -> Attempt:
    return Attempt(cell=as_record(Cell, row), repetition=row["repetition"])


def _in_utc(row: Row) -> Row:
    return {**row, "started_at": row["started_at"].replace(tzinfo=UTC)}
