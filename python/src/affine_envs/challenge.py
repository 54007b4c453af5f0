"""Challenge ids and their seeds. Protocol §1.4, §2.3 and §4."""

import re
from functools import lru_cache, reduce

from affine_envs.digest import digest

LONGEST = 44
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def challenge_id(
    *,
    genesis: str,
    netuid: int,
    env: str,
    spec_hash: str,
    validator: str,
    epoch: int,
    beacon: str,
    secret: str,
    index: int,
    contender: str = "",
) -> str:
    """Returns the id of a challenge. Does not check its parts. Only a game has a contender."""
    place = (genesis, netuid, env, spec_hash, validator, epoch, beacon, secret, index, contender)
    return id_of(digest("challenge", *place))


def id_of(hash: str) -> str:
    """Returns a hash of 64 hex digits as a challenge id."""
    number = int(hash, 16)
    digits = ""
    while number:
        number, digit = divmod(number, 58)
        digits = ALPHABET[digit] + digits
    data = bytes.fromhex(hash)
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + digits


def is_challenge_id(text: object) -> bool:
    """Reports whether a value is the base58 text of 32 bytes. Never raises."""
    return isinstance(text, str) and len(text) <= LONGEST and _is_base58(text)


@lru_cache(4096)
def _is_base58(text: str) -> bool:
    if re.fullmatch(f"[{ALPHABET}]{{32,{LONGEST}}}", text) is None:
        return False
    zeros = len(text) - len(text.lstrip("1"))
    return zeros + (number_in(text).bit_length() + 7) // 8 == 32


def number_in(text: str) -> int:
    """Returns the number that a base58 text represents."""
    return reduce(lambda number, digit: number * 58 + ALPHABET.index(digit), text, 0)


def seed_of(challenge_id: str) -> int:
    """Returns the 128-bit seed of a challenge's stream. Raises ValueError for an invalid id."""
    if not is_challenge_id(challenge_id):
        raise ValueError('"challenge_id" expected the base58 of 32 bytes')
    return int(digest("seed", challenge_id)[:32], 16)
