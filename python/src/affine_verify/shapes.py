"""Shapes of values from strangers. A shape is a test, or a dict of member names to shapes."""

import re
from collections.abc import Callable
from typing import Any

from affine_envs.canonical_json import GREATEST

Test = Callable[[Any], bool]


def fits(value: object, shape: Any) -> bool:
    """Reports whether a value has a shape: it passes the test, or its members have their shapes.

    The name of a member that may be absent ends with `?`. Other members are not allowed.
    """
    if not isinstance(shape, dict):
        return bool(shape(value))
    if not isinstance(value, dict):
        return False
    shapes = {name.removesuffix("?"): each for name, each in shape.items()}
    is_complete = shapes.keys() & shape.keys() <= value.keys() <= shapes.keys()
    return is_complete and all(fits(each, shapes[name]) for name, each in value.items())


def list_of(shape: Any, most: int = GREATEST, least: int = 0) -> Test:
    """Returns the test for a list of `least` to `most` values of a shape."""
    return lambda value: (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(fits(each, shape) for each in value)
    )


def map_of(shape: Any) -> Test:
    """Returns the test for an object whose members have a shape and may have any name."""
    return lambda value: isinstance(value, dict) and list_of(shape)([*value.values()])


def int_to(most: int, least: int = 0) -> Test:
    """Returns the test for an integer from `least` to `most`, which no boolean passes."""
    return lambda value: type(value) is int and least <= value <= most


def matching(pattern: str) -> Test:
    """Returns the test for a text that a regular expression matches as a whole."""
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


is_int = int_to(GREATEST, -GREATEST)
is_uint = int_to(GREATEST)
is_hash = matching("[0-9a-f]{64}")
is_text = matching("(?s:.*)")
