"""Contestants compared in slices keep their errors, and are told apart."""

from math import exp, sqrt

import numpy as np
import pytest

from autostrada.stats.slice_blocks import BLOCK_GAP_NS_MAX, BLOCK_SLICES
from autostrada.stats.slices import (
    ERROR_MAX,
    compare_slices,
    critical_gap,
)

SLICE_NS = 500_000_000
TABLES = 100
ERRORS = round(TABLES * ERROR_MAX + 3 * sqrt(TABLES * ERROR_MAX * (1 - ERROR_MAX)))
"""Largest number of tables with a false finding, beyond which it is not chance."""


def drawn(random, costs, *, starts=6, between=0.02, noise=0.04, scale=1.0):
    """Draw four rounds; costs, starts, scale of the variance are by contestant."""
    costs, scale = np.asarray(costs, dtype=float), np.broadcast_to(scale, len(costs))
    starts = np.broadcast_to(starts, len(costs))
    slices = {f"c{number}": {} for number in range(len(costs))}
    for start in range(max(starts)):
        in_start = np.flatnonzero(starts > start)
        process = random.normal(0, between * np.sqrt(scale))
        order = np.concatenate([random.permutation(in_start) for _ in range(4)])
        of_block = random.normal(0, 0.2, len(order) // BLOCK_SLICES + 1)
        for turn, number in enumerate(order):
            noisy = random.normal(process[number], noise)
            value = costs[number] * exp(noisy + of_block[turn // BLOCK_SLICES])
            slices[f"c{number}"].setdefault(start, {})[turn * SLICE_NS] = float(value)
    return slices


def pairs(number):
    return np.exp(np.arange(number) // 2)


def ranks(comparison):
    return {name: each.rank for name, each in comparison.estimates.items()}


CONFIGURATIONS = {
    "all equal": {"costs": np.ones(8)},
    "pairs": {"costs": pairs(8)},
    "triples": {"costs": np.exp(np.arange(9) // 3)},
    "many pairs": {"costs": pairs(24)},
    "other numbers of starts": {"costs": pairs(8), "starts": (6, 3, 5, 6, 2, 6, 6, 4)},
    "three starts": {"costs": pairs(8), "starts": 3},
    "one varies more": {"costs": pairs(8), "scale": (3.0, *(1.0,) * 7)},
    "one of few varies more": {"costs": pairs(4), "scale": (3.0, 1.0, 1.0, 1.0)},
    "two": {"costs": np.ones(2)},
}


@pytest.mark.parametrize("drawn_as", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_equal_ones_share_a_rank_and_intervals_contain_the_truth(drawn_as):
    random = np.random.default_rng(1)
    true = [float(cost / min(drawn_as["costs"])) for cost in drawn_as["costs"]]
    split = missed = 0
    for _ in range(TABLES):
        estimates = compare_slices(drawn(random, **drawn_as)).estimates
        found = [estimates[f"c{number}"] for number in range(len(true))]
        of_cost = {(cost, each.rank) for cost, each in zip(true, found, strict=True)}
        split += len(of_cost) > len(set(true))
        missed += not all(
            each.to_best.low * (1 - 1e-9) <= cost <= each.to_best.high * (1 + 1e-9)
            for cost, each in zip(true, found, strict=True)
        )
    assert split <= ERRORS
    assert missed <= ERRORS


def test_the_worst_configuration_of_equal_ones_is_pairs():
    random = np.random.default_rng(2)
    for degrees, contestants in ((4, 3), (4, 8), (16, 32)):
        critical = critical_gap(contestants, degrees)
        for size in filter(contestants.__ge__, (2, 3, 4, 8)):
            shape = (200_000 // size, size)
            values = random.standard_normal(shape)
            variances = random.chisquare(degrees / 2, shape) / (degrees / 2)
            order = values.argsort(axis=1)
            values = np.take_along_axis(values, order, axis=1)
            variances = np.take_along_axis(variances, order, axis=1)
            errors = np.sqrt(variances[:, 1:] + variances[:, :-1])
            splits = ((np.diff(values, axis=1) / errors).max(axis=1) > critical).mean()
            error = 1 - (1 - splits) ** (contestants // size)
            assert error <= 1.1 * ERROR_MAX
            if size == 2:
                assert error >= 0.9 * ERROR_MAX


def test_tells_32_apart():
    random = np.random.default_rng(3)
    costs = np.geomspace(1, 50, 32) * np.exp(random.normal(0, 0.03, 32))
    comparison = compare_slices(drawn(random, costs))
    assert len(set(ranks(comparison).values())) >= 14
    assert comparison.start_deviation == pytest.approx(0.02, rel=0.3)
    assert comparison.slice_deviation == pytest.approx(0.04, rel=0.1)
    assert comparison.start_share == pytest.approx(0.5, abs=0.15)


def test_one_disturbed_slice_changes_nothing():
    slices = drawn(np.random.default_rng(4), pairs(8))
    before = compare_slices(slices)
    disturbed = [*slices["c2"][1]][2]
    slices["c2"][1][disturbed] *= 3
    after = compare_slices(slices)
    assert (before.disturbed, after.disturbed) == (0, 1)
    assert ranks(after) == ranks(before)
    for name, estimate in after.estimates.items():
        assert estimate.to_best.value == pytest.approx(
            before.estimates[name].to_best.value, rel=0.005
        )


def test_what_a_contestant_does_now_and_then_counts():
    slices = drawn(np.random.default_rng(5), np.ones(8))
    for start in slices["c2"].values():
        start[max(start)] *= 1.5
    comparison = compare_slices(slices)
    assert comparison.disturbed == 0
    assert comparison.estimates["c2"].to_best.value > exp(0.08)


def test_a_slow_machine_cancels():
    slices = drawn(np.random.default_rng(6), (1, 1.5, 1.6), between=0, noise=0)
    estimates = compare_slices(slices).estimates
    assert [estimate.to_best.value for estimate in estimates.values()] == pytest.approx(
        [1, 1.5, 1.6]
    )
    assert [estimate.rank for estimate in estimates.values()] == [1, 2, 3]


def test_a_contestant_in_all_groups_connects_them():
    random = np.random.default_rng(7)
    one, other = (
        drawn(random, (1, *costs), between=0.01, noise=0.01)
        for costs in ((2, 3), (4, 5))
    )
    later_ns = BLOCK_GAP_NS_MAX + 12 * SLICE_NS
    for start, found in other["c0"].items():
        one["c0"][start] |= {at + later_ns: cost for at, cost in found.items()}
    slices = one | {
        f"c{number}": {
            start: {at + later_ns: cost for at, cost in found.items()}
            for start, found in other[f"c{number - 2}"].items()
        }
        for number in (3, 4)
    }
    found = compare_slices(slices).estimates
    assert [each.to_best.value for each in found.values()] == pytest.approx(
        [1, 2, 3, 4, 5], rel=0.05
    )
    del slices["c0"]
    assert set(compare_slices(slices).estimates) == {"c1", "c2"}


def test_a_start_that_failed_is_missing():
    slices = drawn(np.random.default_rng(8), (1, 1.5, 2, 3))
    del slices["c1"][2]
    del slices["c3"][0], slices["c3"][4]
    estimates = compare_slices(slices).estimates
    assert [estimate.rank for estimate in estimates.values()] == [1, 2, 3, 4]


def test_one_start_has_a_rank_by_the_variance_of_the_others():
    random = np.random.default_rng(9)
    slices = drawn(random, (1, 2, 4, 8), starts=(6, 6, 6, 1))
    assert ranks(compare_slices(slices))["c3"] == 4
    slices = drawn(random, (1, 2, 4, 8), starts=(3, 3, 3, 1))
    found = compare_slices(slices).estimates["c3"]
    assert (found.rank, found.half_width, found.to_best.confidence) == (None, None, 0)
    assert found.to_best.value == pytest.approx(8, rel=0.2)


def test_one_that_varies_wildly_has_no_interval_and_spoils_none():
    slices = drawn(np.random.default_rng(14), (1, 2, 4, 8, 16, 32, 64, 128, 256))
    for number, by_instant in slices["c2"].items():
        for instant in by_instant:
            by_instant[instant] *= 10.0 ** (number % 3 * 100)
    found = compare_slices(slices).estimates
    assert [*found] == [name for name in slices if name != "c2"]
    assert all(each.half_width < 0.2 for each in found.values())


def test_one_contestant_gives_no_rank():
    found = compare_slices(drawn(np.random.default_rng(11), (2,)))
    assert ranks(found) == {"c0": None}
    assert compare_slices({}) is None


def test_a_chain_of_small_gaps_does_not_make_all_the_best():
    random = np.random.default_rng(17)
    slices = drawn(random, 1.03 ** np.arange(16))
    found = compare_slices(slices)
    firsts = [name for name, rank in ranks(found).items() if rank == 1]
    assert 1 < len(firsts) < 8
    assert {found.estimates[name].to_best.low for name in firsts} == {1.0}


def test_a_gap_within_the_bias_shares_the_rank():
    slices = drawn(np.random.default_rng(12), (1, 1.3, 2), between=0.001, noise=0.001)
    assert [*ranks(compare_slices(slices)).values()] == [1, 2, 3]
    assert [*ranks(compare_slices(slices, bias_max=0.3)).values()] == [1, 1, 3]


def test_the_unranked_take_part_without_rank():
    slices = drawn(np.random.default_rng(13), (0.5, 1, 2))
    found = compare_slices(slices, unranked={"c0"})
    assert ranks(found) == {"c1": 1, "c2": 2, "c0": None}
    assert found.estimates["c0"].to_best.value == pytest.approx(0.5, rel=0.1)


def test_half_width_is_that_of_the_ratio_to_the_best():
    slices = drawn(np.random.default_rng(16), (1, exp(1)))
    first, second = compare_slices(slices).estimates.values()
    assert first.half_width == second.half_width
    assert second.to_best.high == pytest.approx(
        second.to_best.value * (1 + second.half_width)
    )


def slowed(random, costs, own=0.0):
    """
    Draw slices of cores that another guest makes slower by up to a third.

    Costs are those at the usual speed, with a message that takes 0.75 on a logarithmic
    scale, and a loop that takes 0.1125. Contestants slow down the loop themselves, by
    ``own`` (standard deviation), which costs them nothing.
    """
    values, speeds = {}, {}
    for number, (name, cost) in enumerate(costs.items()):
        # Some contestants suffer more than others.
        sensitivity = 1.0 + number / len(costs)
        loop_ns = 12 * exp(random.normal(0, own))
        for start in range(4):
            process = random.normal(0, 0.005)
            for turn in range(8):
                slower = random.choice([0.0, 0.3]) * random.uniform(0.5, 1)
                apart = random.choice([0.0, 1.5])
                noisy = random.normal(process, 0.01)
                at_ns = (len(costs) * turn + number) * SLICE_NS
                of_start = values.setdefault(name, {}).setdefault(start, {})
                of_loop, of_message = slower - 0.1125, 0.1 * (apart - 0.75)
                of_start[at_ns] = cost * exp(sensitivity * of_loop + of_message + noisy)
                kinds = speeds.setdefault(name, ({}, {}))
                for kind, ns in zip(
                    kinds, (loop_ns * exp(slower), exp(apart)), strict=True
                ):
                    kind.setdefault(start, {})[at_ns] = ns
    return values, speeds


def test_the_speed_of_the_cores_is_subtracted():
    costs = {"c0": 1.0, "c1": 1.05, "c2": 1.05, "c3": 1.12}
    values, speeds = slowed(np.random.default_rng(4), costs)
    # It is not known in one slice, and of one contestant; a start lacks another one.
    values["alone"] = {0: {9 * SLICE_NS: 5.0, 30 * SLICE_NS: 5.0}}
    del speeds["c1"][0][0][SLICE_NS], values["c2"][1]
    found = compare_slices(values, speeds)
    assert found.speed.share > 0.9
    assert found.slice_deviation < 0.03
    assert ranks(found) == {"c0": 1, "c1": 2, "c2": 2, "c3": 4, "alone": 5}
    without = compare_slices(values)
    assert without.speed.share == 0
    assert without.slice_deviation > 0.08
    del without.estimates["alone"]
    assert set(ranks(without).values()) == {1}


def test_subtracting_the_speed_of_the_cores_splits_no_equal_ones():
    random = np.random.default_rng(8)
    equal = dict.fromkeys("abcdef", 1.0)
    split = 0
    for _ in range(TABLES):
        found = ranks(compare_slices(*slowed(random, equal)))
        split += len(set(found.values())) > 1
    assert split <= ERRORS


def test_contestants_that_slow_the_cores_are_not_better_for_it():
    random = np.random.default_rng(10)
    equal = dict.fromkeys("abcdefgh", 1.0)
    split = missed = 0
    for _ in range(TABLES):
        found = compare_slices(*slowed(random, equal, own=0.03))
        split += len(set(ranks(found).values())) > 1
        missed += any(each.to_best.low > 1 for each in found.estimates.values())
    assert split <= ERRORS
    assert missed <= ERRORS


def test_cores_of_constant_speed_change_nothing():
    values = drawn(np.random.default_rng(6), np.ones(4))
    constant = {
        name: [{start: dict.fromkeys(found, 4000.0) for start, found in starts.items()}]
        for name, starts in values.items()
    }
    assert compare_slices(values, constant) == compare_slices(values)


def test_speeds_may_explain_all_of_the_few_slices_of_two():
    def in_turn(*ns):
        first, second = ({0: {at: ns[at], at + 2: ns[at + 2]}} for at in (0, 1))
        return {"a": first, "b": second}

    values, loops, messages = (
        in_turn(1.0, 1.1, 1.3, 1.0),
        in_turn(12.0, 14.0, 15.0, 13.0),
        in_turn(80.0, 90.0, 70.0, 60.0),
    )
    speeds = {name: (loops[name], messages[name]) for name in values}
    assert compare_slices(values, speeds).speed.share == pytest.approx(1)
