"""An experiment's file: accepted values, and how errors are reported."""

import pytest

from autostrada.errors import NoRate, UsageError
from autostrada.experiment.experiment import parse_experiment, read_experiment


def fault_of(text):
    with pytest.raises(UsageError) as caught:
        parse_experiment(text, origin="mine.toml")
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert "\n" not in message
    return message


def test_a_correct_file_is_read(experiment):
    read = parse_experiment(experiment, origin="mine.toml")
    assert read.workload[0].messages == 1_000
    assert read.congestion_control is None


def test_an_experiment_is_immutable(experiment):
    read = parse_experiment(experiment, origin="mine.toml")
    with pytest.raises(ValueError, match="frozen"):
        read.repetitions = 1


@pytest.mark.parametrize("place", ["title ", "name "])
def test_an_unknown_key_is_named_wherever_it_is(experiment, place):
    assert "unknown key" in fault_of(experiment.replace(place, f"colour=1\n{place}", 1))


def test_an_unknown_key_of_a_workload_is_named_with_its_place(experiment):
    text = experiment.replace("kind ", "speed = 3\nkind ")
    assert fault_of(text) == "mine.toml: workload 'batched': unknown key 'speed'"


@pytest.mark.parametrize(
    ("line", "replacement", "key"),
    [
        ("repetitions = 5", "", "repetitions"),
        ("repetitions = 5", "repetitions = 0", "repetitions"),
        ("repetitions = 5", 'repetitions = "many"', "repetitions"),
        ("repetitions = 5", "repetitions = 1.5", "repetitions"),
        (
            "limit_s     = 60",
            "limit_s = 60\nwarm_ups = 0",
            "unknown key 'warm_ups'; omit it",
        ),
        ("limit_s     = 60", "limit_s = 0", "limit_s"),
        ('["reference", "ada-fast"]', "[]", "clients"),
        ('["reference", "ada-fast"]', '"ada-fast"', "clients"),
        ("messages         = 1_000", "messages = 0", "workload 'batched': messages"),
        ('"many"', '"several"', "workload 'batched': frames_per_write"),
        ('"push"', '"pull"', "workload 'batched': kind"),
        ('"batched"', '"two words"', "workload 'two words': name"),
        (
            "payload_text",
            "sweep = { messages = [1] }\npayload_text",
            "workload 'batched'",
        ),
        (
            "payload_text",
            "quick = { messages = 0 }\npayload_text",
            "workload 'batched': messages",
        ),
    ],
)
def test_a_missing_or_wrong_value_is_named(experiment, line, replacement, key):
    assert line in experiment
    assert f" {key}: " in fault_of(experiment.replace(line, replacement))


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


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("{time}", "{clock}"), "is either not in the text or not in metrics"),
        (("{time}", "{time"), "answer.0: text: "),
        (('"batched" }', '"other" }'), "the experiment has no cell ada-fast in other"),
        (("ms_per_million", "speed"), "no metric is called 'speed'"),
        (('"batched" }', '"batched" }\nwords = ["more", "less"]'), "words need a cell"),
    ],
)
def test_an_answer_that_no_run_could_give_is_refused(experiment, change, fault):
    assert fault in fault_of(experiment + ANSWER.replace(*change))


def test_invalid_toml_is_reported_with_its_line():
    assert "line 1" in fault_of("title = \n")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (lambda text: text.replace('"push"', '"bots"'), 'kind = "echo" with every_ms'),
        (lambda text: text + "[[published]]\n", "published values are in published/"),
    ],
)
def test_keys_of_earlier_versions_are_refused_with_their_replacement(
    experiment, text, remedy
):
    assert remedy in fault_of(text(experiment))


def test_a_workload_without_a_name_is_named_by_its_number(experiment):
    fault = fault_of(experiment.replace("name ", "title "))
    assert fault.startswith("mine.toml: workload.0.")


def test_two_workloads_with_the_same_name_are_refused(experiment):
    workload = experiment[experiment.index("[[workload]]") :]
    assert "same name" in fault_of(experiment + workload)


def test_a_file_is_returned_with_its_text(experiment, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(experiment)
    read, text = read_experiment(path)
    assert (read.title, text) == ("The race", experiment)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(UsageError, match=r"mine\.toml is not UTF-8 text"):
        read_experiment(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        read_experiment(tmp_path)


PAIRS = """
title = "Pairs"
question = "Who?"
repetitions = 5
limit_s = 60
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


HALF = """
[[workload]]
name = "half"
kind = "echo"
offered = { share = 0.5, of = "many connections=1" }
window_s = 1
clients = ["reference"]
"""


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
    unknown = PAIRS + 'omit_servers = ["cobol-mid"]\n'
    assert "omit_servers: 'cobol-mid' is not one of" in fault_of(unknown)
    none = PAIRS + 'omit_servers = ["ada-fast", "bash-slow"]\n'
    assert "omit_servers has all of its servers: keep one" in fault_of(none)


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


def test_contestants_push_nothing(experiment):
    text = experiment.replace("limit_s ", 'servers = ["ada-fast"]\nlimit_s ', 1)
    assert "has the engine as its only server" in fault_of(text)


SECURE = """
title = "Hold"
question = "How many?"
repetitions = 1
limit_s = 60
servers = ["ada-fast"]
[[workload]]
name = "soak"
kind = "feed"
feed = "clock"
seconds = 20
tls = true
"""


def test_the_use_of_tls_is_detected():
    assert parse_experiment(SECURE, origin="mine.toml").has_tls
    plain = SECURE.replace("tls = true", "tls = false")
    assert not parse_experiment(plain, origin="mine.toml").has_tls


def test_contestants_are_no_clients_of_feeds_over_tls():
    assert "omit clients" in fault_of(SECURE + 'clients = ["ada-fast"]')
    listed = SECURE.replace("servers", 'clients = ["ada-fast"]\nservers', 1)
    assert "omit clients" in fault_of(listed)


def test_cores_are_separate_by_default():
    assert parse_experiment(SECURE, origin="mine.toml").cores == "apart"
    shared = SECURE.replace("servers", 'cores = "shared"\nservers', 1)
    assert parse_experiment(shared, origin="mine.toml").cores == "shared"


def test_a_quick_run_has_only_the_clients_that_it_names(experiment):
    clients = 'clients = ["reference", "ada-fast"]'
    text = experiment.replace(clients, 'clients = ["reference", "ada-fast", "ada-2"]')
    quick = text.replace("[[workload]]", '[quick]\nclients = ["ada-2"]\n\n[[workload]]')
    parsed = parse_experiment(quick, origin="race.toml")
    assert parsed.contestants == ("ada-fast", "ada-2")
    assert parsed.quick_version().contestants == ("ada-2",)
    assert parsed.quick_version().clients == ("ada-2",)


def test_a_quick_run_has_no_client_that_the_experiment_does_not_have(experiment):
    quick = experiment.replace(
        "[[workload]]", '[quick]\nclients = ["ada-2"]\n\n[[workload]]'
    )
    with pytest.raises(UsageError, match=r"quick\.clients: 'ada-2' is not one of"):
        parse_experiment(quick, origin="race.toml")


LISTS = """
title       = "Lists"
question    = "Who takes part?"
repetitions = 1
limit_s     = 10
servers     = ["a"]
clients     = ["x"]

[[workload]]
name    = "first"
kind    = "feed"
feed    = "sequence"
seconds = 1

[[workload]]
name    = "second"
kind    = "feed"
feed    = "sequence"
seconds = 1
servers = ["b"]
clients = ["y"]
"""


def test_contestants_are_those_of_the_workloads():
    experiment = parse_experiment(LISTS, origin="lists.toml")
    assert experiment.contestants == ("a", "b", "x", "y")
    _, second = experiment.workload
    only = experiment.model_copy(update={"workload": (second,)})
    assert only.contestants == ("b", "y")


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("{}", "server_host: give cores, cpu_share_max, memory_bytes_max or aes"),
        ('{ aes = "hardware" }', "server_host: give cores"),
        ('{ aes = "none" }', "server_host.aes: "),
        ("{ cpu_share_max = 0.0 }", "server_host.cpu_share_max: "),
        ("{ memory_bytes_max = 3.5e9 }", ""),
        ("{ memory_bytes_max = 1024 }", "server_host.memory_bytes_max: "),
        ("{ cores = 0 }", "server_host.cores: "),
        ("{ cpus = 1 }", "unknown key 'server_host.cpus'"),
    ],
)
def test_an_invalid_host_of_the_servers_is_refused(table, fault):
    text = PAIRS.replace("limit_s = 60", f"limit_s = 60\nserver_host = {table}")
    if fault:
        assert fault in fault_of(text)
    else:
        made = parse_experiment(text, origin="mine.toml").server_host
        assert made.memory_bytes_max == 3_500_000_000


def test_an_unknown_network_is_refused():
    text = PAIRS.replace("limit_s = 60", 'limit_s = 60\nnetwork = "wire"')
    assert "network: input should be 'loopback' or 'bridge'" in fault_of(text)


def test_the_engine_does_not_serve_without_aes_instructions():
    host = 'server_host = { aes = "software" }'
    text = PAIRS.replace("limit_s = 60", f"limit_s = 60\n{host}")
    text = text.replace('clients = ["reference", "ada-fast", "cobol-mid"]', "")
    tls = text.replace("seconds = 20", "seconds = 20\ntls = true")
    parse_experiment(tls, origin="mine.toml")
    with_engine = tls.replace('["ada-fast", "bash-slow"]', '["ada-fast", "reference"]')
    assert "omit server_host.aes, or reference of servers" in fault_of(with_engine)
    parse_experiment(with_engine.replace("tls = true", ""), origin="mine.toml")


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


def test_a_load_is_a_share_of_the_rate_of_another_workload():
    text = PAIRS + HALF
    assert parse_experiment(text, origin="pairs.toml").points()["half"].rate_source
    wrong = text.replace('of = "many connections=1"', 'of = "many"')
    assert "workload 'half': offered.of: 'many' is not the name" in fault_of(wrong)


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
HEAD = 'title = "Hosted"\nquestion = "Who?"\nrepetitions = 1\nlimit_s = 60\n'


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


@pytest.mark.parametrize(
    ("part", "by", "fault"),
    [
        ('after = "warm"', 'after = "cold"', "after: 'cold' is not the name"),
        ('after = "warm"', 'after = "other"', "that shares servers with it"),
        ('{ of = "warm", share = 0.6 }', '{ of = "cold", share = 1 }', "'cold' is not"),
        (
            '{ of = "warm", share = 0.5 }',
            '{ of = "light", share = 1 }',
            "'light' needs a host of its own",
        ),
        ("server_host = {", "quick = {} #", "need a table server_host"),
    ],
)
def test_what_precedes_a_workload_has_to_fit(part, by, fault):
    assert part in HOSTED
    assert fault in fault_of(HEAD + HOSTED.replace(part, by))


def test_a_quick_run_may_have_fewer_workloads():
    text = PAIRS.replace("{ repetitions = 2 }", '{ workloads = ["one"] }')
    quick = parse_experiment(text, origin="pairs.toml").quick_version()
    assert [each.name for each in quick.workload] == ["one"]
    wrong = PAIRS.replace("{ repetitions = 2 }", '{ workloads = ["two"] }')
    assert "quick.workloads: 'two' is not the name" in fault_of(wrong)


def test_shared_cores_cannot_be_given_to_a_contestant(experiment):
    wide = experiment + "contestant_cores = 2\n"
    assert parse_experiment(wide, origin="race.toml").workload[0].contestant_cores == 2
    shared = wide.replace("limit_s ", 'cores = "shared"\nlimit_s ', 1)
    assert "contestant_cores needs cores = 'apart'" in fault_of(shared)
