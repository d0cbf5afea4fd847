"""The page of the loads of two names, which are overlaid, in a real browser."""

import pytest
from command_line import autostrada

NAMES = ("one", "<i>other")
PHONE = 390
DESKTOP = 1280


@pytest.fixture(scope="module")
def page_url(engine_url, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    load = ("load", engine_url, "-d", "2s", "--warm-up", "0s", "-r", "200/s", "--name")
    compare = ("compare", "--loads", *NAMES, "--page", folder / "changes.html")
    for arguments in (*((*load, name) for name in NAMES), compare):
        ended = autostrada(*arguments, XDG_STATE_HOME=str(folder))
        assert ended.returncode == 0, ended.stderr
    return (folder / "changes.html").as_uri()


def test_each_chart_names_both_sides(opened):
    page = opened.whole(DESKTOP)
    assert page.locator("h1").text_content() == "<i>other compared with one"
    assert page.locator(".chart svg").count() == page.locator(".legend").count() == 3
    for legend in page.locator(".legend").all():
        labels = legend.locator("li").all_text_contents()
        assert tuple(label.strip() for label in labels) == NAMES


def test_nothing_but_the_table_is_wider_than_the_screen(opened):
    assert opened.overflowing(PHONE) == []
