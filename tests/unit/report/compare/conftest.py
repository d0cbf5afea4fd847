"""Stores with one run or two, and the comparison of two."""

from dataclasses import replace

import pytest
from tests.unit.report.compare.archive import CRASH, FEW, RUN, SILENT, STEADY, Archive
from tests.unit.report.records import end, push, version


@pytest.fixture(scope="session")
def changed_store(tmp_path_factory):
    """
    In run 2, ada-fast is slower when batched and bash-slow faster; run 1 is steady.
    """
    archive = Archive(tmp_path_factory.mktemp("changed") / "small.duckdb")
    archive.add(STEADY)
    changed = {("batched", "ada-fast"): 240, ("batched", "bash-slow"): 3600}
    gone = {("batched", "ada-fast+turbo"): [CRASH] * 5}
    archive.add(STEADY | changed | gone)
    return archive


@pytest.fixture(scope="session")
def changed(changed_store):
    """The comparison of the two runs of ``changed_store``."""
    return changed_store.compare()


@pytest.fixture(scope="session")
def differing(tmp_path_factory):
    """The comparison of two runs that differ in all that a comparison warns of."""
    archive = Archive(tmp_path_factory.mktemp("differing") / "small.duckdb")
    gone, slower, faster = (
        ("batched", "ada-fast+turbo"),
        ("alone", "ada-fast+turbo"),
        ("alone", "ada-fast"),
    )
    more = {gone: 150, slower: 150, faster: 2000}
    archive.add(FEW | more, versions=[version("cobol"), version("dart")])
    definition = RUN.definition.replace("limit_s = 60", "limit_s = 30")
    noisy = [push(ns, messages=250) for ns in (100, 200, 300)]
    ends = [end("client", 0.25, is_engine=False), end("server", 0.97, is_engine=True)]
    archive.add(
        {
            ("batched", "reference"): 30,
            ("batched", "ada-fast"): [*noisy, CRASH, CRASH],
            gone: [CRASH],
            ("batched", "bash-slow"): 4000,
            slower: 180,
            faster: 1800,
            ("alone", "bash-slow"): [replace(each, ends=ends) for each in SILENT],
        },
        run=replace(
            RUN,
            autostrada_version="0.2.0",
            host='{"cpu_model": "<b>Abacus</b> | *10* `x`", "load_before": 3}',
            plan='{"contestants": ["ada-fast", "ada-fast+turbo", "bash-slow"], '
            '"repetitions": 3, "warm_ups": 1}',  # of an earlier version
            definition="# Another.\nwarm_ups = 1\n"
            + definition.replace("200000", "100000"),
        ),
        versions=[
            version("reference", version="0.2.0"),
            version("ada-fast", version="2.0"),
            version("bash-slow", toolchain="8"),
            version("cobol", version=None),
            version("dart", digest="1"),
        ],
        disturbance="others used 40% of core 1",
    )
    return archive.compare()


@pytest.fixture
def archive(tmp_path):
    """An empty store."""
    return Archive(tmp_path / "small.duckdb")


@pytest.fixture(scope="session")
def few_once(tmp_path_factory):
    """The content of a store with one run of few cells, in bytes."""
    archive = Archive(tmp_path_factory.mktemp("few") / "small.duckdb")
    archive.add(FEW)
    return archive.path.read_bytes()


@pytest.fixture
def begun(archive, few_once):
    """A store whose run 1 has few cells."""
    archive.path.write_bytes(few_once)
    return archive
