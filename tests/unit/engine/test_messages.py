"""The engine's schema: generated files follow it, and plans conform to it."""

import jsonschema
import pytest
from pydantic import ValidationError
from tools.generate.files import TABLES, read_definitions, stale_files
from tools.generate.tables import described

from autostrada.contestants.catalog import find_catalog
from autostrada.engine import messages
from autostrada.engine.plans import ConnectionLimits, Tls
from autostrada.experiment.experiment import read_experiment
from autostrada.workloads.report import Setup

EXPERIMENTS = sorted((find_catalog().root / "experiments").glob("*.toml"))
FILES = Tls(certificate_file="server.pem", key_file="server.key", ca_file="ca.pem")
RATE_PER_S = 1000.0


def test_no_generated_file_is_stale():
    stale = [str(path) for path in stale_files(read_definitions())]
    assert not stale, f"{stale} differ from their source: make generate"


def test_the_docs_have_a_table_of_every_object_or_name_it():
    definitions, text = read_definitions(), TABLES.read_text(encoding="utf-8")
    objects = {name for name, each in definitions.items() if "properties" in each}
    others = objects - described(text, definitions)
    missing = {name for name in others if f"`{name}`" not in text}
    assert not missing, f"give {TABLES} a mark <!-- generated: … --> for {missing}"


def validator(name):
    reference = {"$ref": f"#/$defs/{name}", "$defs": read_definitions()}
    return jsonschema.Draft202012Validator(reference)


def plans_of(point, protocol):
    """Yield the plans of both ends with the names of their definitions."""
    setup = Setup(
        protocol=point.required_protocol or protocol,
        limit_s=30,
        connection_limits=ConnectionLimits(descriptors=20_000, outgoing_ports=28_000),
        congestion_control="reno",
        tls=FILES if point.is_over_tls else None,
    )
    served = point.server(setup, 8008)
    # The engine serves no Socket.IO.
    if setup.protocol != "socketio":
        yield "LoadPlan" if served.is_load else "ServePlan", served.plan
    for index in range(point.client_processes):
        yield "LoadPlan", point.client_of(index, setup, 8008).plan


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_the_plans_of_an_experiment_conform_to_the_schema(path):
    experiment, _ = read_experiment(path)
    validators = {name: validator(name) for name in ("LoadPlan", "ServePlan")}
    for point in experiment.points().values():
        for protocol in ("websocket", "framed-tcp"):
            for name, plan in plans_of(point.at_rate(RATE_PER_S), protocol):
                validators[name].validate(plan)


def test_a_line_is_parsed_with_all_its_keys_and_no_others():
    line = {"event": "second", "second": 0, "messages": 5, "bytes": 55}
    assert messages.Second.model_validate(line).messages == 5
    for wrong in ({**line, "event": "result"}, {**line, "more": 1}, {"second": 0}):
        with pytest.raises(ValidationError):
            messages.Second.model_validate(wrong)
