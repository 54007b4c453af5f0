"""Fixtures of several test files."""

from collections.abc import Iterator

import pytest
from processes import OPENENV, serving


@pytest.fixture(scope="session")
def openenv() -> Iterator[str]:
    """Yields the URL of a running server of `affine_envs.openenv`."""
    with serving(*OPENENV) as url:
        yield url
