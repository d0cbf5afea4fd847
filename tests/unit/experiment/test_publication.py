"""Published values of an experiment: parsed, and checked against its cells."""

import pytest
from tests.unit.definitions import define, make_experiment

from autostrada.errors import UsageError
from autostrada.experiment.document import parse_document
from autostrada.experiment.founded_claims import refuse_unfounded_claims
from autostrada.experiment.matrix import Cell
from autostrada.experiment.publication import (
    SystemState,
    parse_publication,
    read_published,
)
from autostrada.experiment.published_table import PublishedTable

PUBLISHED = """
title = "Their test"
origin = "their page"
[[table]]
title = "Packets"
metric = "received_per_s"
server = "ada-fast"
client = "ada-fast"
cells = [
  { workload = "json stocks=1", value = 2551 },
  { workload = "json stocks=2", note = "disconnected" },
]
"""


@pytest.fixture
def experiment():
    json = define("feed", "json", feed="stocks", sweep={"stocks": [1, 2]})
    return make_experiment(json, servers=["ada-fast"], clients=["ada-fast"])


def test_metrics_belong_to_cells(experiment):
    table = parse_publication(PUBLISHED, experiment, origin="stocks.toml").table[0]
    first, second = table.cells
    assert table.cell(first) == Cell(
        server="ada-fast", client="ada-fast", workload="json stocks=1"
    )
    assert (first.value, second.value, second.note) == (2551, None, "disconnected")


def test_a_value_is_converted_from_its_unit_to_that_of_the_metric(experiment):
    text = PUBLISHED.replace(
        "server =", 'unit = { name = "packets in 2 min", factor = 120 }\nserver ='
    ).replace("value = 2551", "value = 240, also = 120")
    table = parse_publication(text, experiment, origin="stocks.toml").table[0]
    first, second = table.cells
    assert (first.values, table.values(first)) == ((240, 120), (2, 1))
    assert table.values(second) == ()


MATRIX = """
rows = { processes = [1, 2] }
columns = { stocks = [1, 2] }
matrix = [
  [2551, "disconnected"],
  [2.5, { workload = "xml", value = 3, bound = "at_most" }],
]
"""
TITLE = """
title = "Packets"
metric = "received_per_s"
"""


def test_a_matrix_has_a_cell_for_each_row_and_column():
    table = parse_document(
        PublishedTable, f'{TITLE}workload = "json"{MATRIX}', origin="table.toml"
    )
    listed = f"""{TITLE}
    cells = [
      {{ workload = "json processes=1 stocks=1", value = 2551 }},
      {{ workload = "json processes=1 stocks=2", note = "disconnected" }},
      {{ workload = "json processes=2 stocks=1", value = 2.5 }},
      {{ workload = "xml processes=2 stocks=2", value = 3, bound = "at_most" }},
    ]"""
    same = parse_document(PublishedTable, listed, origin="table.toml")
    assert (table.cells, same.parameters) == (same.cells, ())
    assert table.parameters == ("processes", "stocks")


SYSTEM = """
[[system]]
name = "Ada"
role = "server"
state = "replaced"
by = ["ada-fast"]
reason = "It is like Algol."
"""


def test_a_system_says_by_whom_it_is_measured(experiment):
    [system] = parse_publication(
        PUBLISHED + SYSTEM, experiment, origin="stocks.toml"
    ).system
    assert (system.state, system.by) == (SystemState.REPLACED, ("ada-fast",))


CHART = """
[[chart]]
title = "Packets"
metric = "received_per_s"
over = "stocks"
over_title = "stocks"
lines = [{ name = "Ada", server = "ada-fast", client = "ada-fast", workload = "json" }]
"""


def test_a_published_chart_has_lines(experiment):
    [chart] = parse_publication(
        PUBLISHED + CHART, experiment, origin="stocks.toml"
    ).chart
    assert [line.name for line in chart.lines] == ["Ada"]


def test_a_publication_is_optional(experiment):
    assert parse_publication("", experiment, origin="stocks.toml") is None


CLAIM = """
[[claim]]
text = "Two stocks cost a tenth"
[[claim.comparisons]]
metric = "received_per_s"
of = { server = "ada-fast", client = "ada-fast", workload = "json stocks=2" }
to = { server = "ada-fast", client = "ada-fast", workload = "json stocks=1" }
at_most = 0.9
"""
CONDITION = """
[[claim.conditions]]
text = "clients have a core each"
of = { server = "ada-fast", client = "ada-fast", workload = "json stocks=1" }
bottlenecks = ["server CPU"]
"""


def test_a_claim_compares_cells(experiment):
    text = PUBLISHED + CLAIM
    [claim] = parse_publication(text, experiment, origin="stocks.toml").claim
    [required] = claim.requirements
    assert [each.workload for each in required.cells] == [
        "json stocks=2",
        "json stocks=1",
    ]
    assert (required.at_least, required.at_most) == (None, 0.9)


LISTS = """
[[claim]]
text = "All are alike"
[[claim.comparisons]]
metric = "received_per_s"
at_least = 0.9
of = { server = "ada-fast", client = "ada-fast", workload = OF }
to = { server = "ada-fast", client = "ada-fast", workload = TO }
"""


@pytest.mark.parametrize(
    ("of", "to", "paired", "pairs"),
    [
        ("12", "1", False, ["21"]),
        ("12", "12", False, ["12", "21"]),
        ("12", "21", True, ["12", "21"]),
    ],
)
def test_a_comparison_of_lists_is_one_of_each_combination(
    experiment, of, to, paired, pairs
):
    def listed(stocks):
        return str([f"json stocks={each}" for each in stocks])

    claim = LISTS.replace("OF", listed(of)).replace("TO", listed(to))
    text = f"{PUBLISHED}{claim}paired = {str(paired).lower()}"
    [read] = parse_publication(text, experiment, origin="stocks.toml").claim
    found = [each.of.workload[-1] + each.to.workload[-1] for each in read.requirements]
    assert found == pairs


FAULTY_TABLES = [
    "",
    MATRIX + "cells = [{ workload = 'a' }]\n",
    "rows = { a = [1] }\ncells = [{ workload = 'a' }]\n",
    MATRIX.replace("rows", "seconds = 1 #"),
    MATRIX.replace("[2551, ", "["),
    MATRIX.replace("[1, 2] }\nc", "[1] }\nc"),
    MATRIX.replace("2551", "{ size = 1 }"),
    MATRIX.replace("2551", "[1]"),
    MATRIX.replace("rows = {", "rows = { a = [1],"),
]
FAULTY_PUBLICATIONS = [
    PUBLISHED.replace("[[table]]", 'stand_ins = ["Ada"]\n[[table]]'),
    PUBLISHED.replace("stocks=2", "stocks=3"),
    PUBLISHED + SYSTEM.replace("ada-fast", "algol"),
    PUBLISHED + SYSTEM.replace('reason = "It is like Algol."', ""),
    PUBLISHED + SYSTEM.replace("replaced", "not available"),
    PUBLISHED + SYSTEM.replace("replaced", "guessed"),
    PUBLISHED + CHART.replace('workload = "json"', 'workload = "xml"'),
    PUBLISHED + CHART.replace('"stocks"\n', '"bots"\n'),
    PUBLISHED + '[[claim]]\ntext = "so"',
    PUBLISHED + CLAIM.replace("at_most = 0.9", ""),
    PUBLISHED + CLAIM.replace("stocks=2", "stocks=3"),
    PUBLISHED + CLAIM.replace("[[claim.c", 'tables = ["Price"]\n[[claim.c'),
    PUBLISHED
    + CLAIM.replace('"json stocks=2"', '["json stocks=1", "json stocks=2"]')
    + "paired = true",
    PUBLISHED + CLAIM + '[[claim.conditions]]\ntext = "it rains"',
    PUBLISHED + CLAIM + CONDITION.replace("stocks=1", "stocks=9"),
]


def test_a_fault_is_one_line_with_its_place(experiment, snapshot):
    messages = []
    for table in FAULTY_TABLES:
        text = f'{TITLE}workload = "json"\n{table}'
        with pytest.raises(UsageError) as caught:
            parse_document(PublishedTable, text, origin="table")
        messages.append(f"{caught.value}\n")
    for text in FAULTY_PUBLICATIONS:
        with pytest.raises(UsageError) as caught:
            parse_publication(text, experiment, origin="publication")
        messages.append(f"{caught.value}\n")
    snapshot("faults-of-publications.txt", "".join(messages))


def further_table(title, stocks, value, more=""):
    """Return a table with one metric."""
    return f"""
[[table]]
title = "{title}"
metric = "received_per_s"
server = "ada-fast"
client = "ada-fast"
cells = [{{ workload = "json stocks={stocks}", value = {value}{more} }}]
"""


@pytest.fixture
def refuse(experiment):
    """Return a function that refuses further texts whose claims are unfounded."""

    def parse_and_refuse(*further):
        text = PUBLISHED + "".join(further)
        publication = parse_publication(text, experiment, origin="stocks.toml")
        refuse_unfounded_claims(publication, origin="stocks.toml")

    return parse_and_refuse


def test_a_claim_is_true_of_the_metrics_it_was_published_with(refuse):
    two = further_table("Two", 2, 2500)
    refuse(two, CLAIM.replace("0.9", "0.99"))
    fault = "tenth: the published received_per_s of ada-fast in json stocks=2 and ada"
    with pytest.raises(UsageError, match=fault):
        refuse(two, CLAIM)


def test_a_claim_names_its_tables_if_two_differ(refuse):
    tables = further_table("Later", 1, 10) + further_table("Two", 2, 9)
    of_later = CLAIM.replace("[[claim.c", 'tables = ["Later", "Two"]\n[[claim.c')
    refuse(tables, of_later)
    refuse(tables, of_later.replace("Later", "Packets"))
    with pytest.raises(UsageError, match="two tables differ in received_per_s of ada"):
        refuse(tables, CLAIM)


def test_a_metric_published_as_a_bound_contradicts_no_claim(refuse):
    refuse(further_table("Two", 2, 2500, ', bound = "at_most"'), CLAIM)


def test_one_of_two_published_values_agrees_with_a_claim(refuse):
    refuse(further_table("Two", 2, 2500, ", also = 1500"), CLAIM)
    with pytest.raises(UsageError, match="contradicts it"):
        refuse(further_table("Two", 2, 2500, ", also = 2600"), CLAIM)


def test_published_values_are_compared_with_claims_in_the_unit_of_the_metric(refuse):
    in_ten_seconds = further_table("Two", 2, 25_000).replace(
        "server", 'unit = { name = "messages in 10 s", factor = 10 }\nserver', 1
    )
    refuse(in_ten_seconds, CLAIM.replace("0.9", "0.99"))
    with pytest.raises(UsageError, match="contradicts it"):
        refuse(in_ten_seconds, CLAIM)


def test_the_publication_is_beside_the_experiment(tmp_path):
    file = tmp_path / "stocks.toml"
    assert read_published(file) == ""
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "stocks.toml").write_text(PUBLISHED)
    assert read_published(file) == PUBLISHED
