"""Records of which a test gives only some fields."""

from dataclasses import fields


def blank(kind, default, **values):
    """Return a record of a kind whose other fields have the default."""
    return kind(**dict.fromkeys((each.name for each in fields(kind)), default) | values)
