"""The rows as values: names that SQL and Python share."""

from dataclasses import fields

import pytest

from autostrada.store import record, schema


@pytest.mark.parametrize(
    ("value", "table"),
    [
        (record.Run, "run"),
        (record.ContestantVersion, "contestant_version"),
        (record.ProcessTotal, "process_total"),
        (record.EndEvidence, "end_evidence"),
        (record.ProcessSample, "process_sample"),
        (record.SocketSample, "socket_sample"),
        (record.HostSample, "host_sample"),
        (record.CoreSample, "core_sample"),
        (record.MissingFigure, "missing_figure"),
        (record.Second, "second"),
        (record.Measurement, "measurement"),
        (record.Failure, "failure"),
        (record.Calibration, "calibration"),
        (record.CalibrationReading, "calibration_reading"),
    ],
)
def test_a_value_has_the_columns_of_its_table_beside_what_joins_them(value, table):
    columns = {
        column.name
        for each in schema.tables()
        if each.name == table
        for column in each.columns
    }
    names = {field.name for field in fields(value)} - {"processes", "ends", "seconds"}
    assert columns - names <= {"run_id", "trial_id", "contestant", "calibration_id"}
    assert names <= columns


def test_a_trial_has_the_columns_of_its_table_and_of_how_quiet_it_was():
    [table] = [each for each in schema.tables() if each.name == "trial"]
    names = {field.name for field in (*fields(record.Trial), *fields(record.Quiet))}
    columns = {column.name for column in table.columns}
    assert columns - {"trial_id", "run_id"} == names - {"quiet", "observation"}
