"""Lists of words, and their display on a terminal."""

from autostrada.report import text


def test_a_list_ends_with_and():
    assert [text.listed(each) for each in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_a_terminal_has_no_thin_spaces():
    space = "\N{NARROW NO-BREAK SPACE}"
    assert text.without_thin_spaces(f"1,000 at 4{space}M") == "1,000 at 4 M"


def test_details_are_dim_and_below():
    lines = text.two_lines("1", "2", "bold")
    assert lines.plain == "1\n2"
    assert [str(span.style) for span in lines.spans] == ["bold", "dim"]
