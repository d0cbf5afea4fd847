"""Append-only access to a store, with one transaction per record."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import duckdb

from autostrada.errors import EngineError
from autostrada.store.file import (
    STATEMENT_ERRORS,
    OpenStore,
    open_for_writing,
    tables_of_file,
)
from autostrada.store.reader import StoreReader
from autostrada.store.record import (
    Calibration,
    CalibrationReading,
    Cell,
    ContestantVersion,
    Failure,
    Measurement,
    Observation,
    Run,
    Trial,
)
from autostrada.store.schema import RECORD

_SUPERSEDED = """(
    SELECT any_value(reason) FROM superseded_cell
    WHERE superseded_cell.server = archived.server
        AND superseded_cell.client = archived.client
        AND superseded_cell.workload = archived.workload
)"""
"""Why a trial that is taken over counts no longer."""


class StoreWriter(OpenStore):
    """
    A store opened for appending, by one process at a time.

    Data survives a ``kill -9`` as soon as the method that writes it has returned.

    Raises:
        EngineError: data cannot be written, for example because the disk is full;
            existing data stays readable.
    """

    @classmethod
    def create_or_open(cls, path: Path) -> Self:
        """Open the store at ``path``, or create it."""
        return cls(open_for_writing(path), path)

    def reader(self) -> StoreReader:
        """Return access to what has been recorded so far."""
        return StoreReader(self._connection.cursor(), self.path)

    def start_run(self, run: Run) -> int:
        """Record a run and return its number, from 1."""
        with self._transaction():
            run_id = self._next("run", "run_id")
            started_at = _utc(run.started_at)
            self._insert(
                "run", [asdict(run) | {"run_id": run_id, "started_at": started_at}]
            )
        return run_id

    def replace_published(self, run_id: int, published: str) -> None:
        """Replace the text of a run's published values and claims."""
        self._connection.execute(
            "UPDATE run SET published = ? WHERE run_id = ?", [published, run_id]
        )

    def take_over(
        self, archive: Path, run_id: int, superseded: Mapping[Cell, str]
    ) -> None:
        """
        Copy the trials of an archived run into a run, as a part of it.

        ``superseded`` are the cells whose trials count no longer, each with why. Trials
        that the archive had taken over itself keep their part.
        """
        with self._transaction():
            self._connection.execute(
                "CREATE OR REPLACE TEMP TABLE superseded_cell "
                "(server VARCHAR, client VARCHAR, workload VARCHAR, reason VARCHAR)"
            )
            rows = [asdict(cell) | {"reason": why} for cell, why in superseded.items()]
            self._insert("superseded_cell", rows)
            files = [*tables_of_file(self._connection, archive)]
            part = self._parts(archive) if "part" in dict(files) else 0
            values = {
                "trial_id": f"trial_id + {self._next('trial', 'trial_id') - 1}",
                "run_id": str(run_id),
            }
            of_trial = {"part": str(part), "superseded": _SUPERSEDED}
            for table, names in files:
                if table == "trial":
                    earlier = {
                        name: f"coalesce({name}, {value})" if name in names else value
                        for name, value in of_trial.items()
                    }
                    self._copy(archive, table, names, values | earlier)
                elif "trial_id" in names or table == "part":
                    self._copy(archive, table, names, values)
            own = {"run_id": str(run_id), "part": str(part)}
            names = ["command", "started_at", "autostrada_version", "host"]
            self._copy(archive, "run", names, own, into="part")

    def _parts(self, archive: Path) -> int:
        """Return the number of parts that an archived run has."""
        [(parts,)] = self._connection.execute(
            f"SELECT count(*) FROM read_parquet(?) WHERE {RECORD} = 'part'",
            [str(archive)],
        ).fetchall()
        return int(parts)

    def _copy(
        self,
        archive: Path,
        table: str,
        names: Sequence[str],
        values: Mapping[str, str],
        into: str = "",
    ) -> None:
        """
        Copy rows of an archive, with other values of some columns; none of no trial.

        ``values`` are expressions, of which those that are no column are added.
        """
        added = [name for name in ("run_id", "part", "superseded") if name in values]
        every = dict.fromkeys((*names, *(added if table in ("trial", "run") else ())))
        columns = ", ".join(f"{values.get(name, name)} AS {name}" for name in every)
        is_of_trial = "AND trial_id IS NOT NULL" if "trial_id" in names else ""
        self._connection.execute(
            f"INSERT INTO {into or table} BY NAME SELECT {columns} "
            f"FROM read_parquet(?) AS archived WHERE {RECORD} = ? {is_of_trial}",
            [str(archive), table],
        )

    def record_contestant(self, run_id: int, version: ContestantVersion) -> None:
        """Record the measured version of a contestant."""
        with self._transaction():
            self._insert("contestant_version", [{"run_id": run_id} | asdict(version)])

    def record_contestant_failure(
        self, run_id: int, contestant: str, failure: Failure
    ) -> None:
        """Record why a contestant takes part in no trial of a run."""
        with self._transaction():
            self._insert_failure(
                failure, run_id=run_id, contestant=contestant, trial_id=None
            )

    def record_trial(self, run_id: int, trial: Trial) -> int:
        """Record a trial with its outcome in one transaction, and return its number."""
        outcome = trial.outcome
        is_measurement = isinstance(outcome, Measurement)
        with self._transaction():
            assert not self._has_attempt(run_id, trial), f"recorded twice: {trial}"
            trial_id = self._next("trial", "trial_id")
            row = {
                "trial_id": trial_id,
                "run_id": run_id,
                "contestant": trial.cell.contestant,
                **asdict(trial.cell),
                "parameters": json.dumps(dict(trial.cell.point.parameters)),
                "repetition": trial.repetition,
                "retry": trial.retry,
                "started_at": _utc(trial.started_at),
                "taken_ns": trial.taken_ns,
                "outcome": "measurement" if is_measurement else "failure",
            }
            self._insert("trial", [row | asdict(trial.other_load)])
            self._insert_observation(trial_id, trial.observation)
            if isinstance(outcome, Measurement):
                self._insert_measurement(trial_id, outcome)
            else:
                self._insert_failure(
                    outcome,
                    run_id=run_id,
                    contestant=getattr(trial.cell, outcome.process),
                    trial_id=trial_id,
                )
        return trial_id

    def record_calibration(
        self, calibration: Calibration, readings: Sequence[CalibrationReading]
    ) -> int:
        """Record a calibration in one transaction, and return its number, from 1."""
        with self._transaction():
            calibration_id = self._next("calibration", "calibration_id")
            of_calibration = {"calibration_id": calibration_id}
            started_at = _utc(calibration.started_at)
            row = asdict(calibration) | of_calibration | {"started_at": started_at}
            self._insert("calibration", [row])
            self._insert(
                "calibration_reading",
                [of_calibration | asdict(reading) for reading in readings],
            )
        return calibration_id

    def _insert_measurement(self, trial_id: int, measurement: Measurement) -> None:
        of_trial = {"trial_id": trial_id}
        row = asdict(measurement)
        parts = {
            "process_total": row.pop("processes"),
            "end_evidence": row.pop("ends"),
            "second": row.pop("seconds"),
            "mark": row.pop("marks"),
            "slice": row.pop("slices"),
            "metric": row.pop("metrics"),
            "bucket": row.pop("buckets"),
        }
        self._insert("measurement", [of_trial | row])
        for table, rows in parts.items():
            self._insert(table, [of_trial | each for each in rows])

    def _insert_failure(self, failure: Failure, **of: object) -> None:
        row = asdict(failure)
        del row["process"]
        self._insert("failure", [of | row])

    def _insert_observation(self, trial_id: int, observation: Observation) -> None:
        tables: Mapping[str, Sequence[Any]] = {
            "process_sample": observation.process_samples,
            "socket_sample": observation.socket_samples,
            "host_sample": observation.host_samples,
            "core_sample": observation.core_samples,
            "missing_metric": observation.missing_metrics,
        }
        for table, samples in tables.items():
            self._insert(
                table, [{"trial_id": trial_id} | asdict(sample) for sample in samples]
            )

    def _insert(self, table: str, rows: Sequence[Mapping[str, object]]) -> None:
        """Insert rows in one statement; their keys are the names of columns."""
        if not rows:
            return
        columns = list(rows[0])
        # A list per column: statements with a parameter per value are slow to parse.
        self._connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) "
            f"SELECT {', '.join(['unnest(?)'] * len(columns))}",
            [[row[column] for row in rows] for column in columns],
        )

    def _has_attempt(self, run_id: int, trial: Trial) -> bool:
        key = {
            "run_id": run_id,
            **asdict(trial.cell),
            "repetition": trial.repetition,
            "retry": trial.retry,
        }
        condition = " AND ".join(f"{column} = ${column}" for column in key)
        found = self._connection.execute(f"SELECT 1 FROM trial WHERE {condition}", key)
        return bool(found.fetchall())

    def _next(self, table: str, column: str) -> int:
        [(number,)] = self._connection.execute(
            f"SELECT coalesce(max({column}), 0) + 1 FROM {table}"
        ).fetchall()
        assert isinstance(number, int)
        return number

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            with suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")
            if isinstance(error, duckdb.Error) and not isinstance(
                error, STATEMENT_ERRORS
            ):
                raise EngineError(f"cannot write to {self.path}: {error}") from error
            raise


def _utc(instant: datetime) -> datetime:
    """Convert to UTC and drop the time zone, because DuckDB's TIMESTAMP has none."""
    assert instant.tzinfo is not None, "instants must have a time zone"
    return instant.astimezone(UTC).replace(tzinfo=None)
