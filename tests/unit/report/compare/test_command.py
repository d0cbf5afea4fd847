"""``autostrada compare``: its output and its exit status."""

import pytest

from autostrada.errors import UsageError
from autostrada.report.compare.command import compare_command


def status_of(store, *conditions, before="1", after="2", **changes):
    values = {"run_id": None, "markdown": False} | changes
    return compare_command(
        before, after, store=store.path, fail_if=conditions, **values
    )


def test_an_invalid_condition_is_refused_before_any_store_is_opened(
    changed_store, tmp_path
):
    nowhere = str(tmp_path / "no.duckdb")
    with pytest.raises(UsageError, match="no metric is called 'p99'"):
        status_of(changed_store, "p99 > +5%", before=nowhere)


def test_two_contestants_are_compared_in_the_newest_run_by_default(
    changed_store, capsys
):
    names = {"before": "ada-fast", "after": "bash-slow"}
    assert status_of(changed_store, **names) == 0
    assert "A  ada-fast in run 2 of small" in capsys.readouterr().out
    assert status_of(changed_store, **names, run_id=1) == 0
    assert "A  ada-fast in run 1 of small" in capsys.readouterr().out
