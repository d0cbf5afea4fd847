"""What is odd in published figures."""

from autostrada.report.race.explanation.puzzle import puzzles, question


def test_a_winner_is_odd_in_the_table_in_which_it_is_the_furthest_ahead(published):
    first = published("first", ada=10, bash=40, cobol=50)
    later = published("later", ada=10, bash=60, cobol=70)
    [winner] = puzzles([first, later])
    assert (winner.contestant, winner.kind, winner.table) == ("ada", "fast", later)
    assert winner.factor == 6.5


def test_who_is_slow_in_one_table_alone_is_odd_and_who_always_is_not(published):
    alike = {"cobol": 12, "erlang": 12, "forth": 12}
    first = published("first", ada=10, bash=11, dart=60, **alike)
    later = published("later", ada=10, bash=99, dart=70, **alike)
    [slow] = puzzles([first, later])
    assert (slow.contestant, slow.kind) == ("bash", "slow")
    assert slow.factor == 99 / 12


def test_figures_that_lie_together_are_no_puzzle(published):
    assert puzzles([published("only", ada=10, bash=15, cobol=19)]) == ()
    assert puzzles([]) == ()
    assert puzzles([published("alone", ada=10)]) == ()


def test_a_puzzle_is_a_question_with_its_factor_and_its_table(published):
    [winner] = puzzles([published("a table", ada=10, bash=50)])
    assert question(winner) == (
        "Why did ada win by a factor of 5.0 over the median of the others (a table)?"
    )
