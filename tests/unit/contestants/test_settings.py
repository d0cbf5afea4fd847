"""The settings of libraries that the manifests of the repository state."""

import pytest

from autostrada.contestants.catalog import find_catalog

CONTESTANTS = find_catalog().contestants()
PROGRAMS = {
    f"{name}.{role}": program
    for name, contestant in CONTESTANTS.items()
    if contestant.variant is None
    for role in ("server", "client")
    if (program := contestant.program(role)) is not None
}
SERVERS = {name: each for name, each in PROGRAMS.items() if name.endswith(".server")}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_states_its_read_buffer_and_back_pressure(name):
    server = SERVERS[name]
    needed = {"backpressure", "read_buffer"}
    if server.deflate:
        needed.add("compression")
    assert needed <= set(server.settings)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_states_its_settings_in_the_form_of_the_contract(name):
    program = PROGRAMS[name]
    stated = program.settings
    assert "…" not in "".join(stated.values()), "replace the template's marks"
    assert program.deflate or "compression" not in stated
    nodelay = stated.get("nodelay", "on").removesuffix(" (set)")
    assert nodelay in ("on", "off")
    for setting, value in stated.items():
        assert "(set)" not in value.removesuffix(" (set)"), setting
