"""The evidence from which the bottleneck of each cell is derived, read from a store."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from autostrada.experiment.matrix import Cell
from autostrada.report.query import run_query
from autostrada.stats.evidence import End, Evidence, Pacing
from autostrada.store.reader import Row, StoreReader, as_record


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
        both = {"server": as_record(End, server), "client": as_record(End, client)}
        evidence = {**client, **both, "pacing": Pacing(client["pacing"])}
        found[as_record(Cell, client)].append(as_record(Evidence, evidence))
    return found
