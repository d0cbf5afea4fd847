"""The contestants that ``make test`` verifies: one of each language."""

from tools.one_of_each import one_of_each

from autostrada.contestants.catalog import find_catalog


def test_each_installed_language_has_one_contestant(capsys):
    catalog = find_catalog()
    contestants = catalog.contestants()
    languages = [contestants[name].manifest.language for name in one_of_each(catalog)]
    assert len(languages) == len(set(languages)) > 0
    left_out = {
        contestants[line.split()[2].rstrip(":")].manifest.language
        for line in capsys.readouterr().err.splitlines()
    }
    known = {each.manifest.language for each in contestants.values()}
    assert set(languages) | left_out == known
