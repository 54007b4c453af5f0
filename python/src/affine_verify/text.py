"""Canonical texts that strangers wrote. Protocol §1.1."""

import json
from typing import Any

from affine_envs.canonical_json import canonical_text
from affine_verify.shapes import fits


class FaultError(ValueError):
    """Data of a stranger breaks a rule. The message is the code of the fault."""


def require(condition: object, code: str) -> None:
    """Raises a FaultError unless the condition is true."""
    if not condition:
        raise FaultError(code)


def parse(data: bytes, shape: Any, code: str) -> Any:
    """Returns the value of a canonical text with a shape. Raises a FaultError for other data."""
    try:
        text = data.decode()
        value = json.loads(text)
        is_canonical = canonical_text(value) == text
    except (TypeError, ValueError, RecursionError):
        raise FaultError(code) from None
    require(is_canonical and fits(value, shape), code)
    return value
