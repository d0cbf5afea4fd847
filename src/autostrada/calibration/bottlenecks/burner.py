"""Keeps the core that it runs on busy, for so many seconds and no longer."""

import sys
import time


def main() -> None:
    """Burn for as long as the one argument says, and say when it has begun."""
    until_s = time.monotonic() + float(sys.argv[1])
    print('{"event":"burning"}', flush=True)
    while time.monotonic() < until_s:
        pass


if __name__ == "__main__":
    main()
