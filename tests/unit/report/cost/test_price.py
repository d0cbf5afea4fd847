"""What users cost with one contestant, against numbers computed in the head."""

from dataclasses import replace

import pytest

from autostrada.experiment.matrix import Cell
from autostrada.report.compare.side import Samples
from autostrada.report.cost.price import price
from autostrada.stats.efficiency import Prices

PRICES = Prices(core_hour=0.04, gib_hour=0.005)
SAMPLES = Samples(
    cell=Cell(client="ada-fast", workload="batched"),
    messages=(1_000,),
    ns_per_message=(300.0, 310.0, 320.0),
    cpu_ns_per_message=(100.0, 200.0, 900.0),
    peak_resident_bytes=(2**20, 12 * 2**20, 13 * 2**20),
    disturbed=0,
    server_busy_share=0.1,
)


def test_a_contestant_is_priced_by_its_medians():
    # 200 ns a message, and 12 MiB.
    found = price(SAMPLES, PRICES, 1)
    assert found.contestant == "ada-fast"
    assert found.usage.messages_per_cpu_s == pytest.approx(5e6)
    assert found.cost.cores == pytest.approx(0.2)
    assert found.cost.memory_gib == pytest.approx(12_000_000 / 1024)
    assert found.cost.a_month == pytest.approx((0.008 + 58.59375) * 730)


def test_more_messages_cost_more_cores_and_no_memory():
    once, often = price(SAMPLES, PRICES, 1).cost, price(SAMPLES, PRICES, 10).cost
    assert often.cores == pytest.approx(10 * once.cores)
    assert often.memory_gib == once.memory_gib


@pytest.mark.parametrize("figure", ["cpu_ns_per_message", "peak_resident_bytes"])
def test_what_is_not_known_has_no_price(figure):
    silent = replace(SAMPLES, **{figure: (None, None, None)})
    assert price(silent, PRICES, 1) is None
