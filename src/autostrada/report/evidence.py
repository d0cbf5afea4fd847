"""The evidence from which the bottleneck of each cell is derived, read from a store."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields

from autostrada.experiment.matrix import Cell
from autostrada.report.query import run_query
from autostrada.stats.evidence import End, Evidence, Pacing
from autostrada.store.reader import Row, StoreReader


def read_evidence(
    reader: StoreReader, run_id: int
) -> Mapping[Cell, Sequence[Evidence]]:
    """Return the evidence of each counted measurement, by cell, in repetition order."""
    trials: dict[int, list[Row]] = defaultdict(list)
    for row in run_query(reader, "evidence", run_id):
        trials[row["trial_id"]].append(row)
    found = defaultdict(list)
    for ends in trials.values():
        client, server = sorted(ends, key=lambda row: str(row["process"]))
        cell = Cell(
            server=client["server"],
            client=client["client"],
            workload=client["workload"],
        )
        found[cell].append(
            Evidence(
                server=_end(server),
                client=_end(client),
                sender=client["sender"],
                pacing=Pacing(client["pacing"]),
                blocked_share=client["server_blocked_share"],
                achieved_share=client["achieved_share"],
                sent_share=client["sent_share"],
                engine_limit=client["engine_limit"],
                disturbance=client["disturbance"],
                faults=client["faults"],
            )
        )
    return found


def _end(row: Row) -> End:
    return End(**{field.name: row[field.name] for field in fields(End)})
