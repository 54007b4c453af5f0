"""Merkle trees of lines. Protocol §1.3."""

from collections.abc import Sequence

from blake3 import blake3


def leaf(line: bytes) -> bytes:
    """Returns the leaf of a line."""
    return blake3(b"\0" + line).digest()


def node(left: bytes, right: bytes) -> bytes:
    """Returns the node above two others."""
    return blake3(b"\1" + left + right).digest()


def root_of(lines: Sequence[bytes]) -> bytes:
    """Returns the root over lines without their line feeds."""
    level = [leaf(line) for line in lines] or [blake3(b"").digest()]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [node(*pair) for pair in pairs] + level[len(level) & ~1 :]
    return level[0]


def is_included(line: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Reports whether a path of siblings leads from a line's leaf to the root."""
    if not 0 <= index < size:
        return False
    found, siblings, last = leaf(line), iter(path), size - 1
    while last:
        if index % 2 or index < last:
            sibling = next(siblings, None)
            if sibling is None:
                return False
            found = node(sibling, found) if index % 2 else node(found, sibling)
        index, last = index // 2, last // 2
    return found == root and next(siblings, None) is None
