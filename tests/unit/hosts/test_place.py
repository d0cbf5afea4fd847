"""Where the clients of an experiment may be."""

import pytest

from autostrada.errors import UsageError
from autostrada.hosts.place import Place, parse_place


@pytest.mark.parametrize(
    ("text", "clients"),
    [
        ("clients=others", ("others",)),
        ("server=here,clients=a+b", ("a", "b")),
        ("clients=a,server=here", ("a",)),
    ],
)
def test_a_place_names_the_hosts_of_the_clients(text, clients):
    assert parse_place(text, "auto", "here") == Place("auto", clients)


@pytest.mark.parametrize(
    "text", ["", "others", "server=here", "clients=", "clients=a+", "clients=a,x=b"]
)
def test_anything_else_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match="is not such as clients=others or server=he"):
        parse_place(text, "auto", "here")


def test_servers_are_on_this_machine():
    with pytest.raises(
        UsageError, match="this machine, which is here: run it on there"
    ):
        parse_place("server=there,clients=others", "auto", "here")
