"""The contents of a slot on chain. Protocol §5.2 and §5.3."""

from contextlib import suppress
from typing import NamedTuple


class Seal(NamedTuple):
    """The head of a validator's lane."""

    epoch: int
    head: str
    address: str


class Attestation(NamedTuple):
    """The root and lanes that a validator attests. `next` commits it to the next epoch's secret."""

    epoch: int
    bitmap: bytes
    next: str
    root: str
    address: str


class Commitment(NamedTuple):
    """A miner's commitment. Protocol §5.3."""

    hotkey: str
    model: str
    revision: str
    chute: str


Slot = Seal | Attestation | Commitment | None


def read_slot(fields: tuple[bytes, ...], hotkey: str) -> Slot:
    """Returns the commitment in a hotkey's slot, or None for any other content."""
    if not all(1 <= len(field) <= 128 for field in fields):
        return None
    with suppress(UnicodeDecodeError):
        if len(fields) == 2:
            return _read_validator(fields[0], fields[1].decode())
        if len(fields) == 3 and fields[0].endswith(hotkey.encode()):
            return Commitment(hotkey, *(field.decode() for field in fields))
    return None


def _read_validator(data: bytes, address: str) -> Seal | Attestation | None:
    epoch = int.from_bytes(data[2:6], "little")
    if data[:2] == b"\x01\x01" and len(data) == 38:
        return Seal(epoch, data[6:].hex(), address)
    if data[:2] == b"\x01\x02" and len(data) == 86:
        return Attestation(epoch, data[6:22], data[22:54].hex(), data[54:].hex(), address)
    return None


def lanes_in(bitmap: bytes, voters: list[str]) -> set[str]:
    """Returns the voters whose bits are set; `voters` ascend. Protocol §5.2."""
    bits = int.from_bytes(bitmap, "little")
    return {hotkey for index, hotkey in enumerate(voters) if bits >> index & 1}
