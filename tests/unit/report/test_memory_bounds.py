"""Memory of servers before their trials were ended, from the market."""


def test_resident_memory_by_thirds_is_a_lower_bound(market, cell):
    gib = 2**30
    assert market.memory_lower_bounds == {
        cell("cobol", 2, 10): {
            "server_memory_bytes_max": (8.0 * gib,) * 5,
            # The trial was ended 5 s after the beginning of a feed of 10 s.
            "server_memory_bytes_third_1": (3.0 * gib,) * 5,
            "server_memory_bytes_third_2": (8.0 * gib,) * 5,
            "server_memory_bytes_third_3": (8.0 * gib,) * 5,
        }
    }
