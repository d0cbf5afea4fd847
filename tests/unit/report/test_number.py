"""Formats of numbers; the thin space is written _ here."""

import pytest

from autostrada.report import number


def written(text):
    return text.replace(number.THIN_SPACE, "_")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.00"),
        (0.00041234, "0.00041"),
        (0.0834, "0.083"),
        (0.834, "0.83"),
        (2.8349, "2.83"),
        (20.44, "20.4"),
        (212.3, "212"),
        (5133.4, "5,133"),
        (1_234_567, "1,234,567"),
    ],
)
def test_a_number_has_about_three_significant_digits(value, text):
    assert written(number.plain(value)) == text


def test_bounds_have_the_decimals_of_their_metric():
    assert number.between(99.4, 101.2, like=100) == "99–101"
    assert number.between(9.96, 10.04, like=10) == "10.0–10.0"


def test_a_ratio_ends_with_a_times_sign():
    assert number.times(1.954) == "1.95×"
    assert number.times(0.00154) == "0.0015×"
    assert number.times(0) == "0×"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0002074, "0.0002074"), (512_224.0, "512,224"), (1814.1672, "1,814.1672")],
)
def test_an_exact_number_has_all_its_digits(value, text):
    assert written(number.exact(value)) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.9375, "93.7%"), (0.96875, "96.8%"), (0.95, "95%"), (0.875, "87.5%")],
)
def test_a_confidence_is_never_rounded_up(share, text):
    assert written(number.confidence(share)) == text


def test_a_share_is_written_in_percent():
    assert written(number.percent(0.234)) == "23%"


@pytest.mark.parametrize(
    ("per_s", "text"),
    [
        (4_716_981, "4.72_M"),
        (212_345, "212_k"),
        (1000, "1.00_k"),
        (3e9, "3.00_G"),
        (12, "12.0"),
    ],
)
def test_a_rate_has_a_unit_with_few_digits(per_s, text):
    assert written(number.rate(per_s)) == text


@pytest.mark.parametrize(
    ("bytes_", "text"),
    [(12, "12_bytes"), (2048, "2.00_KiB"), (10.5 * 2**20, "10.5_MiB")],
)
def test_a_size_has_a_binary_unit(bytes_, text):
    assert written(number.size(bytes_)) == text


def test_one_item_is_singular():
    assert number.count(1, "run") == "1 run"
    assert written(number.count(1000, "run")) == "1,000 runs"
