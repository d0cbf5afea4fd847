"""Clients of a server that writes many frames a system call, and one."""

from dataclasses import replace

from autostrada.report.race.explanation.calls import calls


def test_what_a_system_call_a_frame_takes_from_the_fast_is_seen(ranking, nothing):
    many = ranking("many", {"ada": 10, "bash": 100, "cobol": 100}, frames="many")
    one = ranking("one", {"ada": 200, "bash": 100, "cobol": 250}, limited=("ada",))
    trace = replace(nothing, messages_per_call=1.0)
    found = calls(many, one, {("one", "ada"): trace})
    assert found.effects == {"ada": 0.875, "bash": 2.25, "cobol": 1.0}
    said = " ".join(found.measured)
    assert "In many the slowest client takes 10.0× as long as the fastest" in said
    assert "In one (at most 1.00 frames a system call) the slowest client takes" in said
    assert "the limit for 1 of 3" in said
    assert "ada, the fastest in many, is 10.0× as fast as the median" in said


def test_it_needs_both_workloads_and_two_clients_in_both(ranking):
    many = ranking("many", {"ada": 10, "bash": 100}, frames="many")
    assert calls(many, None, {}).lacks
    assert calls(None, None, {}).lacks
    assert calls(many, ranking("one", {"ada": 10, "dart": 7}), {}).lacks
