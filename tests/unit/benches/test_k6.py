"""The output of k6's scripts."""

import pytest

from autostrada.errors import EngineError
from compare.k6 import events, parse_event


def test_an_event_is_parsed():
    assert parse_event('{"event": "begin"}\n') == {"event": "begin"}


@pytest.mark.parametrize("line", ["TypeError: no\n", "[1]", '{"event": "other"}'])
def test_any_other_output_of_k6_is_a_failure_and_shown(line):
    with pytest.raises(EngineError, match="k6 says"):
        list(events(['{"event": "begin"}\n', line]))
