"""Keeps the core that it runs on busy, for so many seconds and no longer."""

import sys
import time


def main() -> None:
    """Burn for as long as the one argument says."""
    until_s = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < until_s:
        pass


if __name__ == "__main__":
    main()
