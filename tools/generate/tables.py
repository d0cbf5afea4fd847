"""Generates the tables of the docs, one for each definition that a mark names."""

import re
from collections.abc import Collection, Iterator

from tools.generate.schema import (
    Definitions,
    Schema,
    base,
    literals,
    of_plans,
    reference,
    references,
    tag,
    variants,
    without_null,
)

BEGIN = "<!-- generated: {names} -->"
TYPES = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
    "string": "text",
}
END = "<!-- end of generated -->"
BLOCK = re.compile(rf"<!-- generated: ([\w, ]+) -->\n.*?{re.escape(END)}", re.DOTALL)


def with_tables(document: str, definitions: Definitions) -> str:
    """
    Return a document with the tables between its marks replaced.

    An object that no mark names is added to the first one that refers to it.
    """
    known = described(document, definitions)

    def block(match: re.Match[str]) -> str:
        names = match[1].split(", ")
        for name in names:
            for new in _parts_of(name, definitions):
                if new not in known:
                    known.update((new, *variants(definitions[new])))
                    names.append(new)
        tables = "\n".join("\n".join(_section(name, definitions)) for name in names)
        return f"{BEGIN.format(names=', '.join(names))}\n{tables}\n{END}"

    return BLOCK.sub(block, document)


def described(document: str, definitions: Definitions) -> set[str]:
    """Return the names of the definitions that have a table in a document."""
    names = {
        name for match in BLOCK.finditer(document) for name in match[1].split(", ")
    }
    return names | {each for name in names for each in variants(definitions[name])}


def _parts_of(name: str, definitions: Definitions) -> Iterator[str]:
    """Yield the objects, and unions of objects, that the table of a name refers to."""
    for each in (name, *variants(definitions[name])):
        for part in references(definitions[each]):
            if "properties" in definitions[part] or variants(definitions[part]):
                yield part


def _section(name: str, definitions: Definitions) -> Iterator[str]:
    definition = definitions[name]
    is_plan = name in of_plans(definitions)
    anchor = f'<a id="{name.lower()}"></a>'
    key = tag(definition)
    event = f" (`{key}` is `{definition['properties'][key]['const']}`)" if key else ""
    yield f"{anchor}**`{name}`**{event}: {definition['description']}"
    yield ""
    if "properties" in definition:
        inherited = () if is_plan else _inherited(name, definitions)
        yield from _table(definition, definitions, is_plan=is_plan, without=inherited)
        if inherited and (other := base(name, definitions)):
            yield f"All other keys are those of [`{other}`](#{other.lower()})."
            yield ""
        return
    for variant in variants(definition):
        key = tag(definitions[variant])
        value = definitions[variant]["properties"][key]["const"]
        yield f"**`{key}`: `{value}`**: {definitions[variant]['description']}"
        yield ""
        yield from _table(definitions[variant], definitions, is_plan=is_plan)


def _inherited(name: str, definitions: Definitions) -> Collection[str]:
    """Return the keys of an object that the table of another one describes."""
    other = base(name, definitions)
    return definitions[other]["properties"].keys() if other else ()


def _table(
    definition: Schema,
    definitions: Definitions,
    *,
    is_plan: bool,
    without: Collection[str] = (),
) -> Iterator[str]:
    """Yield the lines of a table, without the key that tags the object."""
    of_object = tag(definition)
    rows = [
        _row(key, schema, definition, definitions, is_plan=is_plan)
        for key, schema in definition["properties"].items()
        if key != of_object and key not in without
    ]
    if not rows:
        return
    columns = ["key", "meaning", "values", *(["default"] if is_plan else [])]
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(each.replace('|', chr(92) + '|') for each in row)} |"
    yield ""


def _row(
    key: str,
    schema: Schema,
    definition: Schema,
    definitions: Definitions,
    *,
    is_plan: bool,
) -> list[str]:
    meaning = schema.get("description", "")
    _, is_nullable = without_null(schema)
    is_required = key in definition.get("required", ())
    values = values_of(schema, definitions)
    if not is_plan:
        absent = " or null" if is_nullable and is_required else ""
        absent = " or absent" if not is_required else absent
        return [f"`{key}`", meaning, values + absent]
    if "default" in schema:
        default = _json(schema["default"])
    elif is_required:
        default = "required"
    else:
        default = "none" if is_nullable else "–"
    return [f"`{key}`", meaning, values, default]


def values_of(schema: Schema, definitions: Definitions) -> str:
    """Describe the values of a schema."""
    schema, _ = without_null(schema)
    name = reference(schema)
    if values := literals(definitions[name] if name else schema):
        return _choices(values)
    if name:
        return f"[`{name}`](#{name.lower()})"
    if schema["type"] == "array":
        return _sequence(schema["items"], definitions)
    if schema["type"] == "object":
        return f"by name: {values_of(schema['additionalProperties'], definitions)}"
    return range_of(schema) or TYPES[schema["type"]]


def _sequence(items: Schema, definitions: Definitions) -> str:
    if "prefixItems" in items:
        return "[buckets](#buckets)"
    return f"list: {values_of(items, definitions)}"


def range_of(schema: Schema) -> str:
    """Describe the range of a number; ``""`` if it has no limit to mention."""
    lowest, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    highest = schema.get("maximum")
    if lowest is not None and highest is not None:
        return f"{_number(lowest)} to {_number(highest)}"
    if above is not None:
        most = "" if highest is None else f", at most {_number(highest)}"
        return f"above {_number(above)}{most}"
    if lowest is not None:
        return f"{schema['type']}, at least {_number(lowest)}" if lowest else ""
    return ""


def _choices(values: dict[object, str]) -> str:
    return "; ".join(
        f"`{value}`: {_in_a_list(text)}" if text else f"`{value}`"
        for value, text in values.items()
    )


def _in_a_list(sentence: str) -> str:
    """Return a sentence for use within another; names keep their capitals."""
    first, _, rest = sentence.rstrip(".").partition(" ")
    is_name = first[1:] != first[1:].lower()
    return f"{first if is_name else first.lower()} {rest}".rstrip()


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.9f}".rstrip("0")


def _json(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, str):
        return f"`{value}`"
    return "empty" if not value else f"`{value}`"
