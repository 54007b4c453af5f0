"""Hotkeys and signatures. Protocol §1.4 and §5.1."""

import re
from functools import lru_cache
from hashlib import blake2b

from affine_envs.challenge import ALPHABET, number_in
from affine_verify.shapes import matching

try:
    import ed25519_zebra
    import sr25519
except ImportError as error:
    raise ImportError("affine-verify needs: pip install 'affine-envs[verify]'") from error

HOTKEY = re.compile(f"5[{ALPHABET}]{{47}}")
PRIME = 2**255 - 19
SMALL_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER = {0, 1, PRIME - 1, SMALL_ORDER_8, PRIME - SMALL_ORDER_8}
"""The y of the points of order 1, 2, 4 and 8."""

is_signature = matching("[0-9a-f]{128}")


@lru_cache(4096)
def public_key(hotkey: str) -> bytes | None:
    """Returns the public key of a hotkey, or None for any other text. Protocol §1.4."""
    if HOTKEY.fullmatch(hotkey) is None or number_in(hotkey) >= 256**35:
        return None
    data = number_in(hotkey).to_bytes(35, "big")
    checksum = blake2b(b"SS58PRE" + data[:33], digest_size=64).digest()[:2]
    return data[1:33] if data[0] == 42 and data[33:] == checksum else None


def is_hotkey(value: object) -> bool:
    """Reports whether a value is a hotkey."""
    is_short = isinstance(value, str) and len(value) == 48  # long texts must not fill the cache
    return is_short and public_key(str(value)) is not None


def is_signed(hotkey: str, message: bytes, signature: bytes) -> bool:
    """Reports whether a hotkey's sr25519 signature of a message is valid. Protocol §1.4."""
    key = public_key(hotkey)
    try:
        return key not in (None, bytes(32)) and bool(sr25519.verify(signature, message, key))
    except Exception:  # the library raises for an invalid key or signature
        return False


def is_signed_ed25519(hotkey: str, message: bytes, signature: bytes) -> bool:
    """Reports whether RFC 8032 accepts an Ed25519 signature, with the cofactor in its equation.

    Rejects keys of small order and encodings that are not canonical, which the library accepts.
    """
    key = public_key(hotkey)
    if key is None or _canonical_y(key) in {None, *SMALL_ORDER}:
        return False
    try:
        is_canonical = _canonical_y(signature[:32]) is not None
        return is_canonical and bool(ed25519_zebra.ed_verify(signature, message, key))
    except Exception:  # the library raises for bytes that encode no point
        return False


def _canonical_y(data: bytes) -> int | None:
    """Returns the y of a point whose encoding is canonical. RFC 8032, section 5.1.3."""
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    has_no_sign = y in (1, PRIME - 1)
    return None if y >= PRIME or (sign and has_no_sign) else y
