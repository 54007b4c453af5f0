"""Canonical texts that strangers wrote. Protocol §1.1 and §1.4."""

import json
import re
from collections.abc import Callable
from typing import Any

from affine_envs.canonical_json import canonical_text

GREATEST = 2**53 - 1


def parse(data: bytes) -> Any:
    """Returns the value of a canonical text; raises ValueError for any other. Protocol §1.1."""
    try:
        text = data.decode()
        value = json.loads(text)
        is_canonical = canonical_text(value) == text
    except (TypeError, RecursionError) as error:
        raise ValueError("not canonical") from error
    if not is_canonical:
        raise ValueError("not canonical")
    return value


def is_uint(value: object, most: int = GREATEST) -> bool:
    """Reports whether a value is an integer from 0 to `most`; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


Test = Callable[[Any], bool]


def fits(value: object, shape: Any) -> bool:
    """Reports whether a value has a shape: it passes a test, or is an object.

    An object's shape has a shape for each member, whose name ends with `?` if it may be absent.
    """
    if not isinstance(shape, dict):
        return bool(shape(value))
    if not isinstance(value, dict):
        return False
    shapes = {name.removesuffix("?"): each for name, each in shape.items()}
    required = shapes.keys() & shape.keys()
    is_complete = required <= value.keys() <= shapes.keys()
    return is_complete and all(fits(each, shapes[name]) for name, each in value.items())


def list_of(shape: Any, most: int = GREATEST, least: int = 0) -> Test:
    """Returns the test for a list of `least` to `most` values of a shape."""
    return lambda value: (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(fits(each, shape) for each in value)
    )


def map_of(shape: Any) -> Test:
    """Returns the test for an object whose members have a shape, and any names."""
    return lambda value: (
        isinstance(value, dict) and all(fits(each, shape) for each in value.values())
    )


def uint_to(most: int, least: int = 0) -> Test:
    """Returns the test for an integer from `least` to `most`."""
    return lambda value: is_uint(value, most) and value >= least


def matching(pattern: str) -> Test:
    """Returns the test for a text that a regular expression matches as a whole."""
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.fullmatch(value) is not None


is_hash = matching("[0-9a-f]{64}")
is_signature = matching("[0-9a-f]{128}")
is_text = matching("(?s:.*)")
