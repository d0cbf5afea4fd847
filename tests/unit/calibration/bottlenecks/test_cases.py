"""The known limits: one for each that a verdict can find, and plans that say so."""

import json

from autostrada.calibration.bottlenecks.cases import known_limits
from autostrada.calibration.fault_cases import Arrangement
from autostrada.stats.verdict import Limit


def test_each_limit_that_can_be_known_is_tried_once():
    limits = [known.limit for known in known_limits()]
    assert sorted(limits) == sorted(set(Limit) - {Limit.UNCLEAR})


def test_names_are_words_for_a_command_line():
    names = {known.limit: known.name for known in known_limits()}
    assert names[Limit.SERVER_CPU] == "verdict-server-cpu"
    assert names[Limit.RECEIVE_WINDOW] == "verdict-receivers-window"


def test_the_twin_is_what_is_measured_and_the_engine_the_referee():
    for known in known_limits():
        if known.arrangement is Arrangement.TWIN_SERVER:
            assert known.referee == "client"
        if known.arrangement is Arrangement.TWIN_CLIENT:
            assert known.referee == "server"


def test_what_its_ends_are_given_is_json():
    for known in known_limits():
        assert json.dumps([dict(known.server), dict(known.client)])
        assert "workload" in known.client
