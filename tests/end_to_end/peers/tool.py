"""Programs of the system that a test needs."""

import os
import shutil

import pytest


def tool(package, *names):
    """
    Return the path of the first of these programs that is installed.

    If there is none, the test is skipped, except in CI.
    """
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        remedy = f"{names[0]} is missing: apt install {package}"
        if os.environ.get("CI"):
            pytest.fail(remedy)
        pytest.skip(remedy)
    return found
