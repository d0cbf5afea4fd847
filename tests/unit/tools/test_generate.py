"""Code generated from a schema: Python types, and tables of the documents."""

import pytest
from tools.generate.messages import messages, type_of
from tools.generate.schema import in_order
from tools.generate.tables import described, range_of, values_of, with_tables

COUNT = {"type": "integer", "format": "uint64", "minimum": 0}
BUCKETS = {"type": "array", "items": {"type": "array", "prefixItems": [COUNT, COUNT]}}
DEFINITIONS = {
    "LoadPlan": {
        "type": "object",
        "description": "A plan.",
        "properties": {
            "format": {"const": 7, "description": "Its format."},
            "workload": {"$ref": "#/$defs/Work", "description": "What | is done."},
            "threads": {**COUNT, "minimum": 1, "default": 2, "description": "Threads."},
        },
        "required": ["format", "workload"],
    },
    "Work": {
        "oneOf": [{"$ref": "#/$defs/Echo"}, {"$ref": "#/$defs/Idle"}],
        "description": "What is done.",
    },
    "Echo": {
        "description": "Send.",
        "properties": {
            "kind": {"type": "string", "const": "echo"},
            "pace": {"type": ["number", "null"], "exclusiveMinimum": 0},
        },
        "required": ["kind"],
    },
    "Idle": {
        "description": "Wait.",
        "properties": {"kind": {"type": "string", "const": "idle"}},
        "required": ["kind"],
    },
    "LoadResult": {
        "description": "A result.",
        "properties": {
            "event": {"type": "string", "const": "result"},
            "work": {"$ref": "#/$defs/Work"},
            "threads": {**COUNT, "minimum": 1, "default": 2},
        },
        "required": ["event", "work"],
    },
    "ServePlan": {"properties": {}, "description": "Another."},
    "ObservePlan": {"properties": {}, "description": "Another."},
    "Command": {"properties": {}, "description": "Another."},
    "LoadCommand": {"properties": {}, "description": "One more."},
    "ObserveCommand": {"properties": {}, "description": "Another."},
}


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        (COUNT, "Count"),
        ({**COUNT, "minimum": 1}, "Annotated[int, Field(ge=1)]"),
        ({"type": "integer", "format": "int64"}, "int"),
        ({"type": ["boolean", "null"]}, "bool | None"),
        (BUCKETS, "Buckets"),
        ({"type": "array", "items": {"type": "number"}}, "tuple[float, ...]"),
        ({"type": "object", "additionalProperties": COUNT}, "dict[str, Count]"),
        ({"anyOf": [{"$ref": "#/$defs/Echo"}, {"type": "null"}]}, "Echo | None"),
        ({"type": "string", "enum": ["1.2", "1.3"]}, "Literal['1.2', '1.3']"),
    ],
)
def test_a_form_of_the_schema_is_a_type(schema, annotation):
    assert type_of(schema) == annotation


def test_an_unknown_form_is_an_error():
    with pytest.raises(ValueError, match="anyOf"):
        type_of({"anyOf": [{"type": "string"}, {"type": "integer"}]})


def test_a_definition_comes_after_its_dependencies():
    assert in_order(DEFINITIONS)[:4] == ["Echo", "Idle", "Work", "LoadPlan"]


def test_models_are_distinguishable_and_have_the_defaults_of_the_schema():
    module = {}
    exec(messages(DEFINITIONS), module)
    result = module["LoadResult"](event="result", work={"kind": "idle"})
    assert (result.threads, result.work.kind) == (2, "idle")
    assert module["FORMAT"] == 7
    assert "LoadPlan" not in module
    with pytest.raises(ValueError, match="greater than 0"):
        module["Echo"](kind="echo", pace=0.0)


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 8}, "1 to 8"),
        ({"type": "integer", "minimum": 2}, "integer, at least 2"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "above 0, at most 1"),
        (
            {"type": "number", "minimum": 1e-9, "maximum": 1e9},
            "0.000000001 to 1000000000",
        ),
        (COUNT, ""),
    ],
)
def test_a_range_is_described(schema, text):
    assert range_of(schema) == text


def test_values_have_their_descriptions_and_names_keep_their_capitals():
    schema = {
        "oneOf": [
            {"const": "text", "description": "Valid UTF-8."},
            {"const": "polling", "description": "HTTP requests."},
        ]
    }
    assert values_of(schema, {}) == "`text`: valid UTF-8; `polling`: HTTP requests"


def test_a_mark_is_replaced_by_the_tables_that_it_names():
    begin, end = "<!-- generated: LoadPlan, Work -->\n", "<!-- end of generated -->\n"
    written = with_tables(f"before\n{begin}old\n{end}after\n", DEFINITIONS)
    assert written.startswith(f"before\n{begin}")
    assert written.endswith(f"{end}after\n")
    assert "| `workload` | What \\| is done. | [`Work`](#work) | required |" in written
    assert "| `threads` | Threads. | integer, at least 1 | 2 |" in written
    assert "**`kind`: `echo`**: Send." in written
    assert "old" not in written
    assert with_tables(written, DEFINITIONS) == written


def test_an_object_that_no_mark_names_is_added_where_it_is_referred_to():
    begin, end = "<!-- generated: {} -->\n", "<!-- end of generated -->\n"
    result = f"{begin.format('LoadResult')}{end}"
    written = with_tables(f"{begin.format('LoadPlan')}{end}{result}", DEFINITIONS)
    assert begin.format("LoadPlan, Work") in written
    assert begin.format("LoadResult") in written
    assert written.count("**`kind`: `echo`**: Send.") == 1
    assert described(written, DEFINITIONS) >= {"LoadPlan", "Work", "Echo", "Idle"}
