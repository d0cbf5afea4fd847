"""The models of the engine's documents: up to date, and as strict as the engine."""

import json

import jsonschema
import pytest
from pydantic import ValidationError
from tools.generate.files import TABLES, read_definitions, stale_files
from tools.generate.tables import described

from autostrada.engine import messages

SECONDS = messages.Phases(window_s=1)
PLANS = {
    "LoadPlan": messages.LoadPlan(
        url="ws://127.0.0.1:1/echo",
        connections=10,
        compression=messages.CompressionPlan(level=1),
        workload=messages.EchoWorkload(phases=SECONDS),
    ),
    "ServePlan": messages.ServePlan(
        workload=messages.PushWorkload(),
        feed=messages.FeedPlan(kind="stocks", stocks=10, messages=5),
        faults=messages.FaultPlan(lose_every=10),
    ),
    "ObservePlan": messages.ObservePlan(processes={"server": 1}),
    "Command": messages.Command(observe={"server": 1}),
}


def test_no_generated_file_is_stale():
    stale = [str(path) for path in stale_files(read_definitions())]
    assert not stale, f"{stale} differ from their source: make generate"


def test_the_docs_have_a_table_of_every_object():
    definitions = read_definitions()
    objects = {name for name, each in definitions.items() if "properties" in each}
    missing = objects - described(TABLES.read_text(encoding="utf-8"), definitions)
    assert not missing, f"give {TABLES} a mark <!-- generated: … --> for {missing}"


def validator(name):
    reference = {"$ref": f"#/$defs/{name}", "$defs": read_definitions()}
    return jsonschema.Draft202012Validator(reference)


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_of_the_orchestrator_conforms_to_the_schema(name):
    document = json.loads(PLANS[name].model_dump_json(exclude_none=True))
    validator(name).validate(document)
    assert PLANS[name].model_validate_json(json.dumps(document)) == PLANS[name]


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"colour": 1}, "colour"),
        ({"connections": "10"}, "connections"),
        ({"format": 0}, "format"),
        ({"workload": {"kind": "sing"}}, "workload"),
    ],
)
def test_a_document_that_the_schema_rejects_is_rejected_by_the_model(keys, fault):
    document = json.loads(PLANS["LoadPlan"].model_dump_json(exclude_none=True)) | keys
    assert not validator("LoadPlan").is_valid(document)
    with pytest.raises(ValidationError, match=fault):
        messages.LoadPlan.model_validate(document)


def test_a_line_is_parsed_with_all_its_keys_and_no_others():
    line = {"event": "second", "second": 0, "messages": 5, "bytes": 55}
    assert messages.Second.model_validate(line).messages == 5
    for wrong in ({**line, "event": "result"}, {**line, "more": 1}, {"second": 0}):
        with pytest.raises(ValidationError):
            messages.Second.model_validate(wrong)
