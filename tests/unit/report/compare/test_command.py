"""``autostrada compare``: its output and its exit status."""

import pytest

from autostrada.errors import UsageError
from autostrada.report.compare.command import compare_command


def status_of(store, *conditions, before="1", after="2", **changes):
    values = {"run_id": None, "markdown": False} | changes
    return compare_command(
        before, after, store=store.path, fail_if=conditions, **values
    )


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        ((), 0),
        (("ms_per_million > +50%",), 0),
        (("ms_per_million > +5%",), 1),
        (("ms_per_million > +50%", "messages_per_s < -5%"), 1),
    ],
)
def test_the_status_reports_whether_any_condition_failed(
    changed_store, capsys, conditions, status
):
    assert status_of(changed_store, *conditions) == status
    assert "Compared with A, B is faster" in capsys.readouterr().out


def test_markdown_is_printed_unchanged(changed_store, capsys):
    assert status_of(changed_store, markdown=True) == 0
    assert capsys.readouterr().out.startswith("**Compared with A, B is faster in 1 of")


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
