"""User-written documents: each error is one line with its place."""

import pytest
from pydantic import Field

from autostrada.errors import UsageError
from autostrada.experiment.document import (
    Document,
    check_document,
    load_document,
    read_document,
)


class Box(Document):
    """A document to read."""

    size: int = Field(gt=0)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("size = 0", "size: input should be greater than 0"),
        ("size = 3\ncolour = 1", "unknown key 'colour'"),
        ("", "size: field required"),
    ],
)
def test_an_error_is_reported_with_its_place_and_the_remedy(text, fault):
    tables = load_document(text, origin="box.toml")
    with pytest.raises(UsageError) as caught:
        check_document(Box, tables, "box.toml", "; see the manual")
    assert str(caught.value) == f"box.toml: {fault}; see the manual"


BOXES = """
like = "a"

[[box]]
name = "a"
size = 3
quick = { size = 1, lid = true }

[[box]]
name  = "b"
like  = "a"
quick = { size = 2 }

[[box]]
title = "c"
like  = "b"
size  = 4
"""


def test_an_entry_of_a_list_has_the_keys_of_the_earlier_one_that_it_is_like():
    document = load_document(BOXES, origin="box.toml")
    assert document["like"] == "a"
    assert document["box"][1:] == [
        {"name": "b", "size": 3, "quick": {"size": 2}},
        {"name": "b", "title": "c", "size": 4, "quick": {"size": 2}},
    ]


@pytest.mark.parametrize("name", ['"b"', '"d"', "[1]"])
def test_an_entry_must_be_like_an_earlier_one(name):
    with pytest.raises(UsageError) as caught:
        load_document(BOXES.replace('like  = "a"', f"like = {name}"), origin="box.toml")
    named = name.strip('"')
    assert str(caught.value) == (
        f"box.toml: box 'b': like: no box before it is called {named!r}"
    )


def test_a_document_must_be_utf_8(tmp_path):
    path = tmp_path / "box.toml"
    path.write_bytes(b"size = '\xff'")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_document(path)
    with pytest.raises(UsageError, match="cannot read"):
        read_document(tmp_path)
