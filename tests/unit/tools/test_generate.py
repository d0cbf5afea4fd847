"""
What the engine's schema does not show of the code that is generated from it.

The generated files themselves must be those that the code makes of the schema:
``tests/unit/engine/test_messages.py``.
"""

import pytest
from tools.generate.messages import type_of
from tools.generate.tables import described, with_tables

COUNT = {"type": "integer", "format": "uint64", "minimum": 0}
ANOTHER = {"properties": {}, "description": "Another."}
DEFINITIONS = {
    "LoadPlan": {
        "description": "A plan.",
        "properties": {
            "workload": {"$ref": "#/$defs/Work", "description": "What | is done."}
        },
        "required": ["workload"],
    },
    "Work": {"oneOf": [{"$ref": "#/$defs/Echo"}], "description": "What is done."},
    "Echo": {
        "description": "Send.",
        "properties": {"kind": {"type": "string", "const": "echo"}},
        "required": ["kind"],
    },
    "LoadResult": {
        "description": "A result.",
        "properties": {
            "event": {"type": "string", "const": "result"},
            "work": {"$ref": "#/$defs/Work"},
        },
        "required": ["event", "work"],
    },
    **dict.fromkeys(("ServePlan", "ObservePlan", "Command", "LoadCommand"), ANOTHER),
    "ObserveCommand": ANOTHER,
}


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        ({**COUNT, "minimum": 1}, "Annotated[int, Field(ge=1)]"),
        ({"type": "number", "exclusiveMinimum": 0}, "Annotated[float, Field(gt=0)]"),
        ({"type": ["boolean", "null"]}, "bool | None"),
    ],
)
def test_a_form_of_the_schema_is_a_type(schema, annotation):
    assert type_of(schema) == annotation


def test_an_unknown_form_is_an_error():
    with pytest.raises(ValueError, match="anyOf"):
        type_of({"anyOf": [{"type": "string"}, {"type": "integer"}]})


def test_an_object_that_no_mark_names_is_added_where_it_is_referred_to():
    begin, end = "<!-- generated: {} -->\n", "<!-- end of generated -->\n"
    result = f"{begin.format('LoadResult')}{end}"
    written = with_tables(f"{begin.format('LoadPlan')}old\n{end}{result}", DEFINITIONS)
    assert begin.format("LoadPlan, Work") in written
    assert "old" not in written
    assert "| `workload` | What \\| is done. | [`Work`](#work) | required |" in written
    assert begin.format("LoadResult") in written
    assert written.count("**`kind`: `echo`**: Send.") == 1
    assert described(written, DEFINITIONS) >= {"LoadPlan", "Work", "Echo"}
