"""Canonical JSON: each value has exactly one text. Protocol §1.1."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "str | bool | int | Sequence[Json] | Mapping[str, Json]"

GREATEST = 2**53 - 1
DEEPEST = 16

_sorted = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_unsorted = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def canonical_text(value: Json) -> str:
    """Returns the canonical text of a value.

    Raises TypeError for values without one, such as None and floats, and ValueError for integers
    past 2^53-1, lone surrogates, and more than 16 nested lists and dicts.
    """
    _check(value, DEEPEST)
    text = _sorted.encode(value)
    if not text.isascii():
        # Python orders keys by characters, RFC 8785 by units of UTF-16.
        text = _unsorted.encode(_in_order(value))
        text.encode()  # raises UnicodeEncodeError, a ValueError, for a lone surrogate
    return text


def _check(value: Json, depth: int) -> None:
    """Raises an error for a value without a canonical text."""
    if isinstance(value, int):  # a bool is an int
        if abs(value) > GREATEST:
            raise ValueError(f'"value" expected an integer within 2^53-1, got {value}')
        return
    if not isinstance(value, dict | list | tuple):
        if isinstance(value, str):
            return
        raise TypeError(f'"value" expected a JSON value without null and fractions, got {value!r}')
    if depth == 0:
        raise ValueError(f'"value" expected at most {DEEPEST} levels')
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError('"value" expected keys that are strings')
        value = tuple(value.values())
    for item in value:
        if not isinstance(item, str):
            _check(item, depth - 1)


def _in_order(value: Json) -> Json:
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return {key: _in_order(value[key]) for key in keys}
    return [_in_order(item) for item in value] if isinstance(value, list | tuple) else value
