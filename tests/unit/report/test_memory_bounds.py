"""What servers had in memory before their trials were ended, from the market."""


def test_what_was_resident_by_each_third_is_the_least_that_it_was(market, cell):
    gib = 2**30
    assert market.memory_lower_bounds == {
        cell("cobol", 2, 10): {
            "server_memory_bytes_max": (8.0 * gib,) * 5,
            # It was ended 5 s after the beginning of a feed of 10 s.
            "server_memory_bytes_third_1": (3.0 * gib,) * 5,
            "server_memory_bytes_third_2": (8.0 * gib,) * 5,
            "server_memory_bytes_third_3": (8.0 * gib,) * 5,
        }
    }
