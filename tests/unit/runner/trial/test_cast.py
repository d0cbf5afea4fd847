"""Who plays in a trial: without a program, the engine."""

from pathlib import Path

from autostrada.contestants.contestant import parse_manifest
from autostrada.experiment.matrix import REFERENCE, Cell
from autostrada.runner.trial.cast import Cast, Program, cast_of, programs_of


def test_who_has_no_program_is_the_engine():
    assert (Cast().server, Cast().client) == (None, None)


def test_a_program_speaks_websocket_where_nothing_else_is_said():
    assert Program(words=["./client"], folder=Path()).protocol == "websocket"


def program(protocol):
    return Program(words=["./program"], folder=Path(), protocol=protocol)


def test_ends_of_one_protocol_meet_and_the_engine_serves_no_socket_io():
    assert Cast().can_meet
    assert Cast(server=program("socketio")).can_meet
    assert Cast(client=program("framed-tcp")).can_meet
    assert not Cast(client=program("socketio")).can_meet
    assert Cast(server=program("socketio"), client=program("socketio")).can_meet
    assert not Cast(server=program("socketio"), client=program("websocket")).can_meet


def test_a_cell_is_played_by_the_programs_of_its_contestants():
    programs = {
        REFERENCE: {},
        "ada-fast": {"server": program("websocket"), "client": program("framed-tcp")},
    }
    cast = cast_of(Cell(server="ada-fast", workload="any"), programs)
    assert cast == Cast(server=program("websocket"))
    cast = cast_of(Cell(client="ada-fast", workload="any"), programs)
    assert cast == Cast(client=program("framed-tcp"))


def test_programs_are_those_that_a_contestant_and_its_variant_have(tmp_path):
    manifest = """
    library  = "fast"
    language = "ada"
    homepage = ""
    protocol = "websocket"
    server   = { command = ["./server"], env = { SPEED = "low" }, deflate = true }
    client.command  = ["./client"]
    version.command = ["./version"]
    variant = [{ name = "fork", env = { FORK = "yes" }, programs = ["server"] }]
    """
    plain, fork = parse_manifest(manifest, folder=Path("ada-fast"))
    assert programs_of(plain, tmp_path).keys() == {"server", "client"}
    assert programs_of(fork, tmp_path) == {
        "server": Program(
            words=("./server",),
            folder=tmp_path,
            environment={"SPEED": "low", "FORK": "yes"},
            deflate=True,
        )
    }
