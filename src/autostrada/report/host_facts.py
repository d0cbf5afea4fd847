"""Facts of a host, formatted by their names."""

from autostrada.report import number


def fact(value: object, key: str) -> str:
    """Format a fact of the host; its key decides about unit and notation."""
    if "_bytes" in key and isinstance(value, int | float):
        return number.size(value) + ("/s" if key.endswith("_per_s") else "")
    if key.startswith("is_"):
        return {"true": "yes", "false": "no"}.get(str(value), str(value))
    return str(value)


def fact_name(key: str) -> str:
    """Return the name of a fact without its type affixes ``is_`` and ``_bytes``."""
    return key.removesuffix("_bytes").removeprefix("is_").replace("_", " ")
