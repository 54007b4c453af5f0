"""Canonical texts that strangers wrote. Protocol §1.1 and §1.4."""

import json
import re
from typing import Any

from affine_envs.canonical_json import DEEPEST, canonical_text

GREATEST = 2**53 - 1
HASH = re.compile("[0-9a-f]{64}")
SIGNATURE = re.compile("[0-9a-f]{128}")


def parse(data: bytes) -> Any:
    """Returns the value of a canonical text; raises ValueError for any other. Protocol §1.1."""
    _check_depth(data)
    try:
        text = data.decode()
        value = json.loads(text, parse_constant=_refuse, parse_float=_refuse)
        is_canonical = canonical_text(value) == text
    except (TypeError, RecursionError) as error:
        raise ValueError("not canonical") from error
    if not is_canonical:
        raise ValueError("not canonical")
    return value


def _refuse(text: str) -> Any:
    raise ValueError(f"no integer: {text[:20]!r}")


def _check_depth(data: bytes) -> None:
    """Refuses deep nesting before the parser recurses; brackets in strings do not count."""
    depth = 0
    for part in re.finditer(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', data, re.DOTALL):
        first = part[0][:1]
        if first in b"[{":
            depth += 1
            if depth > DEEPEST:
                raise ValueError("too deep")
        elif first in b"]}":
            depth -= 1


def is_hash(value: object) -> bool:
    """Reports whether a value is a hash. Protocol §1.4."""
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def is_uint(value: object, most: int = GREATEST) -> bool:
    """Reports whether a value is an integer from 0 to `most`; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def has_members(value: object, names: set[str], optional: frozenset[str] = frozenset()) -> bool:
    """Reports whether a value is an object with exactly these members."""
    return isinstance(value, dict) and names <= value.keys() <= names | optional


def is_printable(value: object, most: int) -> bool:
    """Reports whether a value is 1 to `most` printable ASCII characters without spaces."""
    return isinstance(value, str) and re.fullmatch(f"[!-~]{{1,{most}}}", value) is not None
