"""Where a page is written, and what is said where it cannot be."""

import shutil

import pytest

from autostrada.errors import UsageError
from autostrada.report.page import write_page


def test_without_a_path_it_lies_beside_the_store(race_path, tmp_path):
    copy = tmp_path / "copy.duckdb"
    shutil.copy(race_path, copy)
    assert write_page(copy) == tmp_path / "copy.html"
    assert (tmp_path / "copy.html").is_file()


def test_a_page_that_cannot_be_written_says_so(race_path, tmp_path):
    with pytest.raises(UsageError, match="No such file or directory; name another"):
        write_page(race_path, tmp_path / "missing" / "page.html")
