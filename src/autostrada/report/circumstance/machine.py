"""Where the ends of a run were not kept apart on the machine."""

from collections.abc import Mapping


def machine_note(host: Mapping[str, object]) -> str:
    """Say where the ends were not kept apart on the machine; empty where they were."""
    if host.get("is_shared_core") == "true":
        return "Server and client shared a core: each figure is of both of them."
    if host.get("is_pinned") == "false":
        return (
            "This system let nobody choose cores: the ends may have disturbed others."
        )
    return ""
