"""Hotkeys and signatures. Protocol §1.4 and §5.1."""

import re
from functools import lru_cache
from hashlib import blake2b, sha512

from affine_envs.challenge import ALPHABET

try:
    import sr25519
except ImportError as error:
    raise ImportError("affine-verify needs: pip install 'affine-envs[verify]'") from error

HOTKEY = re.compile(f"5[{ALPHABET}]{{47}}")
Point = tuple[int, int, int, int]
"""Extended coordinates of RFC 8032, section 5.1.4: X, Y, Z, T."""

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
NEUTRAL: Point = (0, 1, 1, 0)


@lru_cache(4096)
def public_key(hotkey: str) -> bytes | None:
    """Returns the public key of a hotkey, or None for any other text. Protocol §1.4."""
    if HOTKEY.fullmatch(hotkey) is None:
        return None
    number = 0
    for character in hotkey:
        number = number * 58 + ALPHABET.index(character)
    if number.bit_length() > 35 * 8:
        return None
    data = number.to_bytes(35, "big")
    checksum = blake2b(b"SS58PRE" + data[:33], digest_size=64).digest()[:2]
    return data[1:33] if data[0] == 42 and data[33:] == checksum else None


def is_hotkey(value: object) -> bool:
    """Reports whether a value is a hotkey."""
    return isinstance(value, str) and public_key(value) is not None


def is_signed(hotkey: str, message: bytes, signature: bytes) -> bool:
    """Reports whether an sr25519 signature is that hotkey's. Protocol §1.4."""
    key = public_key(hotkey)
    if key is None or len(signature) != 64 or key == bytes(32):
        return False
    try:
        return bool(sr25519.verify(signature, message, key))
    except Exception:  # the library raises for what is no key or no signature
        return False


def is_call_signed(hotkey: str, message: bytes, signature: bytes) -> bool:
    """Reports whether one of the two kinds of signature of a call is right. Protocol §5.1."""
    return is_signed(hotkey, message, signature) or is_signed_ed25519(hotkey, message, signature)


def is_signed_ed25519(hotkey: str, message: bytes, signature: bytes) -> bool:
    """Reports whether RFC 8032 accepts an Ed25519 signature, with the cofactor in its equation.

    Libraries leave the cofactor out, so they refuse signatures that the protocol accepts.
    """
    key = public_key(hotkey)
    if key is None or len(signature) != 64:
        return False
    public, commitment = _decode(key), _decode(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if public is None or commitment is None or scalar >= ORDER or _is_small(public):
        return False
    challenge = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left = _times(scalar, BASE)
    right = _add(commitment, _times(challenge, public))
    return _is_same(_times(8, left), _times(8, right))


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(scalar: int, point: Point) -> Point:
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _is_same(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (
        one[1] * other[2] - other[1] * one[2]
    ) % P == 0


def _is_small(point: Point) -> bool:
    return _is_same(_times(8, point), NEUTRAL)


def _decode(data: bytes) -> Point | None:
    """Returns the point of a canonical encoding. RFC 8032, section 5.1.3."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


_BASE = _decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
assert _BASE is not None
BASE: Point = _BASE
