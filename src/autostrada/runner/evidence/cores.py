"""What cores did between two looks at them."""


def worked_ns(*, span_ns: int, busy_ns: int, idle_ns: int, steal_ns: int) -> int:
    """
    Return how long cores worked in a span of time: all are of all cores together.

    Where an idle core has no tick, what idle and stolen time leave over is exact but
    for the ticks in which it is told. What is counted as busy is drawn at each tick:
    work that keeps time with the tick is found by every one, and counts as all there
    is. The smaller one is believed.
    """
    return max(0, min(busy_ns, span_ns - idle_ns - steal_ns))
