"""Records of which a test gives only some fields."""

from dataclasses import fields

from autostrada.store.record import ProcessSample


def blank(kind, default, **values):
    """Return a record of a kind whose other fields have the default."""
    return kind(**dict.fromkeys((each.name for each in fields(kind)), default) | values)


def process_sample(name, at_ns, default=None, **values):
    """Return a sample of a process whose other fields have the default."""
    known = {"process": name, "since_start_ns": round(at_ns)} | values
    return blank(ProcessSample, default, **known)
