"""Programs of the system that a test needs."""

import os
import shutil

import pytest


def tool(name, package):
    """Return a program's path; skip the test if it is missing, except in CI."""
    found = shutil.which(name)
    if found is None:
        remedy = f"{name} is missing: apt install {package}"
        if os.environ.get("CI"):
            pytest.fail(remedy)
        pytest.skip(remedy)
    return found
