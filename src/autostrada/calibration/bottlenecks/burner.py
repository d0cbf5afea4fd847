"""A program that keeps its core busy for a limited time."""

import sys
import time


def main() -> None:
    """Print an event, and keep the core busy for the seconds given as argument."""
    until_s = time.monotonic() + float(sys.argv[1])
    print('{"event":"burning"}', flush=True)
    while time.monotonic() < until_s:
        pass


if __name__ == "__main__":
    main()
