"""Reads the engine's JSON Schema; supports only the forms that it uses."""

from collections.abc import Iterable, Iterator
from typing import Any

Schema = dict[str, Any]
Definitions = dict[str, Schema]

PLANS = (
    "LoadPlan",
    "LoadCommand",
    "ServePlan",
    "ObservePlan",
    "Command",
    "ObserveCommand",
)
"""Definitions of the documents that the engine reads; it prints all others."""


def reference(schema: Schema) -> str | None:
    """Return the name of the definition that a schema refers to, ``None`` if none."""
    target: str | None = schema.get("$ref")
    return None if target is None else target.removeprefix("#/$defs/")


def without_null(schema: Schema) -> tuple[Schema, bool]:
    """Return a schema without the alternative ``null``, and whether it had one."""
    if "anyOf" in schema:
        others = [each for each in schema["anyOf"] if each.get("type") != "null"]
        if len(others) == 1 and len(schema["anyOf"]) == 2:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            return {**rest, **others[0]}, True
        raise ValueError(f"unsupported form of a schema: {schema}")
    if isinstance(schema.get("type"), list):
        (kind,) = [each for each in schema["type"] if each != "null"]
        return {**schema, "type": kind}, True
    return schema, False


def literals(schema: Schema) -> dict[Any, str] | None:
    """Return the allowed constants with their descriptions; ``None`` if not an enum."""
    if "const" in schema:
        return {schema["const"]: ""}
    if "enum" in schema:
        return dict.fromkeys(schema["enum"], "")
    values: dict[Any, str] = {}
    for each in schema.get("oneOf", ()):
        if "const" in each:
            values[each["const"]] = each.get("description", "")
        elif "enum" in each:
            values |= dict.fromkeys(each["enum"], "")
        else:
            return None
    return values or None


def variants(schema: Schema) -> list[str]:
    """Return the names of the alternative definitions of a union."""
    names = (reference(each) for each in schema.get("oneOf", ()))
    return [name for name in names if name is not None]


def tag(schema: Schema) -> str | None:
    """Return the key whose constant identifies a variant of a union, if any."""
    for key, each in schema.get("properties", {}).items():
        return key if isinstance(each.get("const"), str) else None
    return None


def base(name: str, definitions: Definitions) -> str | None:
    """Return the largest event all of whose keys an object has that is no event."""
    if tag(definitions[name]):
        return None
    own = definitions[name].get("properties", {}).keys() | {"event"}
    keys = {
        other: definition["properties"].keys()
        for other, definition in definitions.items()
        if tag(definition) == "event" and definition["properties"].keys() <= own
    }
    found = max(keys, key=lambda other: len(keys[other]), default=None)
    return found if found and len(keys[found]) > 1 else None


def references(schema: Any) -> Iterator[str]:
    """Yield the names of all definitions that a schema refers to, in order."""
    if isinstance(schema, list):
        for each in schema:
            yield from references(each)
    elif isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix("#/$defs/")
        for each in schema.values():
            yield from references(each)


def in_order(definitions: Definitions) -> list[str]:
    """Return all names, each after those that it refers to."""
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in ordered:
            for each in references(definitions[name]):
                visit(each)
            ordered[name] = None

    for name in definitions:
        visit(name)
    return list(ordered)


def of_plans(definitions: Definitions) -> set[str]:
    """Return the names of all definitions that are part of plans."""
    return _with_references(PLANS, definitions)


def of_lines(definitions: Definitions) -> set[str]:
    """Return the names of all definitions that are part of what the engine prints."""
    return _with_references(definitions.keys() - of_plans(definitions), definitions)


def _with_references(names: Iterable[str], definitions: Definitions) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(references(definitions[name]))
    return found
