"""Canonical JSON: each value has exactly one text. Protocol §1.1."""

import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "str | bool | int | Sequence[Json] | Mapping[str, Json]"

GREATEST = 2**53 - 1
DEEPEST = 16

_encode = json.JSONEncoder(ensure_ascii=False).encode


def canonical_text(value: Json) -> str:
    """Returns the canonical text of a value.

    Raises TypeError for values without one, such as None and floats, and ValueError for integers
    past 2^53-1, lone surrogates, and more than 16 nested lists and dicts.
    """
    return _text(value, DEEPEST)


def _text(value: Json, depth: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if abs(value) > GREATEST:
            raise ValueError(f'"value" expected an integer within 2^53-1, got {value}')
        return str(value)
    if isinstance(value, str):
        return _string(value)
    if depth == 0:
        raise ValueError(f'"value" expected at most {DEEPEST} levels')
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        members = (f"{_string(key)}:{_text(value[key], depth - 1)}" for key in keys)
        return "{" + ",".join(members) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(_text(item, depth - 1) for item in value) + "]"
    raise TypeError(f'"value" expected what JSON has but null and fractions, got {value!r}')


def _string(text: str) -> str:
    text.encode()  # raises UnicodeEncodeError, a ValueError, for a lone surrogate
    return _encode(text)
