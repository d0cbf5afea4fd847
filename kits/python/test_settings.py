"""Tests of reading the environment."""

import pytest
from autostrada_kit import choose
from autostrada_kit.settings import Settings, SettingsError


def test_reads_the_environment():
    environment = {"URL": "ws://127.0.0.1:8008/5", "MESSAGES": "5"}
    assert Settings.read(environment) == Settings(
        url="ws://127.0.0.1:8008/5", messages=5, connections=1, lines="json"
    )
    environment |= {"CONNECTIONS": "3", "LINES": "autoroute"}
    assert Settings.read(environment) == Settings(
        url="ws://127.0.0.1:8008/5", messages=5, connections=3, lines="autoroute"
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("URL", None),
        ("URL", ""),
        ("URL", "127.0.0.1:8008"),
        ("URL", "http://127.0.0.1:8008/5"),
        ("URL", "ws://"),
        ("URL", "ws://127.0.0.1:eight/"),
        ("MESSAGES", None),
        ("MESSAGES", ""),
        ("MESSAGES", "0"),
        ("MESSAGES", "-1"),
        ("MESSAGES", "1_000"),
        ("MESSAGES", "1e6"),
        ("MESSAGES", "٣"),
        ("MESSAGES", "9" * 16),
        ("CONNECTIONS", "0"),
        ("CONNECTIONS", "two"),
        ("LINES", "JSON"),
        ("LINES", ""),
    ],
)
def test_names_the_variable_that_is_missing_or_ill_formed(variable, value):
    environment = {"URL": "ws://127.0.0.1:8008/5", "MESSAGES": "5"}
    if value is None:
        del environment[variable]
    else:
        environment[variable] = value
    with pytest.raises(SettingsError, match=f"^{variable} ") as error:
        Settings.read(environment)
    assert "\n" not in str(error.value)


def test_chooses_a_variant_by_its_variable(monkeypatch, capsys):
    monkeypatch.delenv("CLIENT", raising=False)
    assert choose("CLIENT", "asyncio", "threading") == "asyncio"
    monkeypatch.setenv("CLIENT", "threading")
    assert choose("CLIENT", "asyncio", "threading") == "threading"
    monkeypatch.setenv("CLIENT", "trio")
    with pytest.raises(SystemExit) as stop:
        choose("CLIENT", "asyncio", "threading")
    assert stop.value.code == 2
    assert (
        capsys.readouterr().err == "CLIENT must be asyncio or threading, not 'trio'\n"
    )
