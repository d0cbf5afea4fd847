"""An experiment's file: accepted values, and how errors are reported."""

import pytest
from tests.unit.definitions import define, make_experiment

from autostrada.errors import NoRate, UsageError
from autostrada.experiment.experiment import parse_experiment, read_experiment

HEAD = """
title = "Small"
question = "Does it run?"
repetitions = 1
limit_s = 20
"""


def test_a_correct_file_is_read(experiment):
    read = parse_experiment(experiment, origin="mine.toml")
    assert read.workload[0].messages == 1_000
    assert (read.congestion_control, read.cores) == (None, "apart")


ANSWER = """
[[answer]]
text = "It takes {time}."

[answer.metrics.time]
metric = "ms_per_million"
of = { client = "ada-fast", workload = "batched" }
"""


def test_an_answer_has_places_for_metrics(experiment):
    [answer] = parse_experiment(experiment + ANSWER, origin="mine.toml").answer
    assert answer.metrics["time"].of.cell.client == "ada-fast"


def test_a_file_is_returned_with_its_text(experiment, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(experiment)
    read, text = read_experiment(path)
    assert (read.title, text) == ("The race", experiment)
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(UsageError, match=r"mine\.toml is not UTF-8 text"):
        read_experiment(path)


PAIRS = (
    HEAD
    + """
servers = ["ada-fast", "bash-slow"]
clients = ["reference", "ada-fast", "cobol-mid"]
quick = { repetitions = 2 }
[[workload]]
name = "one"
kind = "feed"
feed = "clock"
seconds = 20
quick = { seconds = 1 }
[[workload]]
name = "many"
kind = "feed"
feed = "clock"
seconds = 20
clients = ["reference"]
sweep = { connections = [1, 64] }
"""
)


@pytest.fixture
def pairs():
    return parse_experiment(PAIRS, origin="pairs.toml")


def test_cells_are_servers_by_clients_by_points(pairs):
    assert len(pairs.cells()) == 2 * 3 + 2 * 2
    assert list(pairs.points()) == ["one", "many connections=1", "many connections=64"]
    assert pairs.contestants == ("ada-fast", "bash-slow", "cobol-mid")
    assert not pairs.is_race


def test_a_workload_can_leave_out_servers():
    fewer = PAIRS + 'omit_servers = ["bash-slow"]\n'
    cells = parse_experiment(fewer, origin="pairs.toml").cells()
    assert len(cells) == 2 * 3 + 2


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["bash-slow"], {("bash-slow", "reference"), ("bash-slow", "ada-fast"),
                         ("bash-slow", "cobol-mid")}),
        (["cobol-mid"], {(server, client) for server in ("ada-fast", "bash-slow")
                         for client in ("reference", "cobol-mid")}),
        (["ada-fast"], {("ada-fast", "ada-fast"), ("ada-fast", "reference")}),
    ],
)  # fmt: skip
def test_cells_can_be_restricted_to_named_contestants(pairs, names, kept):
    cells = pairs.chosen_cells(names)
    assert {(cell.server, cell.client) for cell in cells} == kept


def test_a_race_accepts_clients_outside_of_its_contestants(experiment):
    race = parse_experiment(experiment, origin="race.toml")
    assert race.is_race
    clients = {cell.client for cell in race.chosen_cells(["mine-own"])}
    assert clients == {"reference", "mine-own"}


def test_a_quick_run_has_fewer_repetitions(pairs):
    quick = pairs.quick_version()
    assert quick.repetitions == 2
    assert [workload.seconds for workload in quick.workload] == [1, 20]


SECURE = (
    HEAD
    + """
servers = ["ada-fast"]
[[workload]]
name = "soak"
kind = "feed"
feed = "clock"
seconds = 20
tls = true
"""
)


def test_the_use_of_tls_is_detected():
    assert parse_experiment(SECURE, origin="mine.toml").has_tls
    plain = SECURE.replace("tls = true", "tls = false")
    assert not parse_experiment(plain, origin="mine.toml").has_tls


def test_only_over_tls_the_engine_does_not_serve_without_aes_instructions():
    host = 'server_host = { aes = "software" }\n[[workload]]'
    contestants = SECURE.replace("[[workload]]", host)
    engine = contestants.replace('["ada-fast"]', '["ada-fast", "reference"]')
    for text in (contestants, engine.replace("tls = true", "")):
        parse_experiment(text, origin="mine.toml")
    with pytest.raises(
        UsageError, match=r"omit server_host\.aes, or reference of serv"
    ):
        parse_experiment(engine, origin="mine.toml")


def test_a_quick_run_has_only_the_clients_that_it_names(experiment):
    clients = 'clients = ["reference", "ada-fast"]'
    text = experiment.replace(clients, 'clients = ["reference", "ada-fast", "ada-2"]')
    quick = text.replace("[[workload]]", '[quick]\nclients = ["ada-2"]\n\n[[workload]]')
    parsed = parse_experiment(quick, origin="race.toml")
    assert parsed.contestants == ("ada-fast", "ada-2")
    assert parsed.quick_version().contestants == ("ada-2",)
    assert parsed.quick_version().clients == ("ada-2",)


def test_contestants_are_those_of_the_workloads():
    experiment = make_experiment(
        define("feed", "first"),
        define("feed", "second", servers=["b"], clients=["y"]),
        servers=["a"],
        clients=["x"],
    )
    assert experiment.contestants == ("a", "b", "x", "y")
    _, second = experiment.workload
    only = experiment.model_copy(update={"workload": (second,)})
    assert only.contestants == ("b", "y")


def test_a_race_without_the_contestant_of_a_workloads_server_leaves_it_out(experiment):
    served = experiment[experiment.index("[[workload]]") :].replace(
        '"batched"', '"served"'
    )
    served = served.replace('"many"', '"one"') + 'servers = ["bash-slow"]\n'
    race = parse_experiment(experiment + served, origin="race.toml")
    assert {cell.workload for cell in race.chosen_cells(["ada-fast"])} == {"batched"}
    both = race.chosen_cells(["ada-fast", "bash-slow"])
    assert ("bash-slow", "ada-fast", "served") in {
        (cell.server, cell.client, cell.workload) for cell in both
    }


HOSTED = """
cores = "shared"
server_host = { memory_bytes_max = 1_000_000_000 }
servers = ["ada-fast", "bash-slow"]
[[workload]]
name = "warm"
kind = "echo"
in_flight = 1
window_s = 1
servers = ["ada-fast"]
shares_servers = true
[[workload]]
name = "light"
like = "warm"
after = "warm"
server_cpu_share_max = { of = "warm", share = 0.6 }
[[workload]]
name = "other"
kind = "echo"
offered = { share = 0.5, of = "warm" }
window_s = 1
server_cpu_share_max = { of = "warm", share = 0.5 }
server_host_share = 0.5
"""


def test_cells_precede_those_whose_load_or_host_they_decide():
    made = parse_experiment(HEAD + HOSTED, origin="hosted.toml")
    before = {
        (cell.workload, cell.server): [each.workload for each in cells]
        for cell, cells in made.preceding_cells().items()
    }
    assert before == {
        ("light", "ada-fast"): ["warm"],
        ("other", "ada-fast"): ["warm"],
        ("other", "bash-slow"): ["warm"],
    }
    other = made.points()["other"]
    with pytest.raises(NoRate, match="'warm' of the same round has no CPU time"):
        made.server_host_of(other)
    host = made.server_host_of(other.on_host(0.9))
    assert (host.cpu_share_max, host.memory_bytes_max) == (0.9, 500_000_000)


def test_a_quick_run_may_have_fewer_workloads():
    text = PAIRS.replace("{ repetitions = 2 }", '{ workloads = ["one"] }')
    quick = parse_experiment(text, origin="pairs.toml").quick_version()
    assert [each.name for each in quick.workload] == ["one"]


def test_only_separate_cores_can_be_given_to_a_contestant(experiment):
    wide = experiment + "contestant_cores = 2\n"
    assert parse_experiment(wide, origin="race.toml").workload[0].contestant_cores == 2
    shared = wide.replace("limit_s ", 'cores = "shared"\nlimit_s ', 1)
    with pytest.raises(UsageError, match="contestant_cores needs cores = 'apart'"):
        parse_experiment(shared, origin="race.toml")


def test_sizes_of_a_host_may_be_in_powers_of_ten():
    table = "limit_s = 20\nserver_host = { memory_bytes_max = 3.5e9 }"
    made = parse_experiment(PAIRS.replace("limit_s = 20", table), origin="mine.toml")
    assert made.server_host.memory_bytes_max == 3_500_000_000


HALF = """
[[workload]]
name = "half"
kind = "echo"
offered = { share = 0.5, of = "many connections=1" }
window_s = 1
clients = ["reference"]
"""
REPETITIONS, MESSAGES = "repetitions = 5", "messages         = 1_000"
WORKLOAD, PAYLOAD, CELL = "[[workload]]", "payload_text", '"batched" }'
HOST, QUICK = "server_host = { cores = 1 }", "quick = { repetitions = 2 }"
FAULTS = {
    "race": [
        ("title ", "colour = 1\ntitle "),
        ("name ", "colour = 1\nname "),
        (REPETITIONS, ""),
        (REPETITIONS, "repetitions ="),
        (REPETITIONS, "repetitions = 0"),
        (REPETITIONS, f"{REPETITIONS}\nwarm_ups = 0"),
        (REPETITIONS, f'{REPETITIONS}\nnetwork = "wire"'),
        (REPETITIONS, f'{REPETITIONS}\nservers = ["ada-fast", "reference"]'),
        ("limit_s     = 60", "limit_s = 0"),
        ('["reference", "ada-fast"]', "[]"),
        (MESSAGES, "messages = 0"),
        ('"many"', '"several"'),
        ('"push"', '"pull"'),
        ('"push"', '"bots"'),
        ('"batched"', '"two words"'),
        ("name ", "title "),
        (PAYLOAD, f"sweep = {{ messages = [1] }}\n{PAYLOAD}"),
        (PAYLOAD, f"quick = {{ messages = 0 }}\n{PAYLOAD}"),
        (WORKLOAD, f'[quick]\nclients = ["ada-2"]\n\n{WORKLOAD}'),
        ("[[answer]]", '[[workload]]\nname = "batched"\nlike = "batched"\n[[answer]]'),
        ("[[answer]]", "[[published]]\n[[answer]]"),
        ("{time}", "{clock}"),
        ("{time}", "{time"),
        (CELL, '"other" }'),
        ("ms_per_million", "speed"),
        (CELL, f'{CELL}\nwords = ["more", "less"]'),
    ],
    "pairs": [
        *(
            (HOST, f"server_host = {{ {host} }}")
            for host in (
                "",
                'aes = "hardware"',
                'aes = "none"',
                "cpu_share_max = 0.0",
                "memory_bytes_max = 1024",
                "cores = 0",
                "cpus = 1",
            )
        ),
        (QUICK, 'quick = { workloads = ["two"] }'),
        ('of = "many connections=1"', 'of = "many"'),
        ("sweep", 'omit_servers = ["cobol-mid"]\nsweep'),
        ("quick = { seconds = 1 }", 'omit_servers = ["ada-fast", "bash-slow"]'),
    ],
    "secure": [
        ("tls = true", 'tls = true\nclients = ["ada-fast"]'),
        ("servers", 'clients = ["ada-fast"]\nservers'),
    ],
    "hosted": [
        ('after = "warm"', 'after = "cold"'),
        ('after = "warm"', 'after = "other"'),
        ('{ of = "warm", share = 0.6 }', '{ of = "cold", share = 1 }'),
        ('{ of = "warm", share = 0.5 }', '{ of = "light", share = 1 }'),
        ("server_host = {", "quick = {} #"),
    ],
}
"""By experiment: what it has, and what is wrong in its place."""


def test_a_fault_is_one_line_with_its_place(experiment, snapshot):
    hosted = PAIRS.replace("limit_s = 20", f"limit_s = 20\n{HOST}")
    texts = {
        "race": experiment + ANSWER,
        "pairs": hosted + HALF,
        "secure": SECURE,
        "hosted": HEAD + HOSTED,
    }
    messages = []
    for name, text in texts.items():
        parse_experiment(text, origin=name)
        for right, wrong in FAULTS[name]:
            assert right in text
            with pytest.raises(UsageError) as caught:
                parse_experiment(text.replace(right, wrong, 1), origin=name)
            messages.append(f"{caught.value}\n")
    snapshot("faults-of-experiments.txt", "".join(messages))
