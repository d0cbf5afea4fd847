"""The Autobahn test suite, downloaded unless that was done before."""

import os

import pytest

from autostrada.conformance.roles import Bench
from autostrada.conformance.subject import EngineSubject
from autostrada.conformance.suite import fetch, missing_tools
from autostrada.contestants.catalog import find_catalog
from autostrada.engine.process import find_engine


def pytest_addoption(parser):
    text = "test the engine in all groups of the Autobahn test suite"
    parser.addoption("--all-groups", action="store_true", help=text)


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    if (missing := missing_tools()) is not None:
        assert "CI" not in os.environ, missing
        pytest.skip(missing)
    return Bench(
        suite=fetch(find_catalog().root / ".build" / "conformance"),
        engine=EngineSubject(path=find_engine()),
        reports=tmp_path_factory.mktemp("reports"),
    )
