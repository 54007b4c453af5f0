"""Packing: the cut of the box, the reward of a packing, and the scripted player.

Protocol §3.8.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from numpy.random import Generator

WIDTH, HEIGHT = 60, 40
PLACINGS = 500

Piece = tuple[int, int]
"""Width and height."""
Placement = tuple[int, int, int, int]
"""x, y, width and height."""


def cut_box(random: Generator) -> tuple[Placement, ...]:
    """Cuts the box. Returns the rectangles, shuffled and not yet turned."""
    k = (8, 12, 16, 24, 32)[random.integers(0, 5)]
    cuts: list[Placement] = [(0, 0, WIDTH, HEIGHT)]
    while len(cuts) < k:
        u, v = int(random.integers(0, WIDTH)), int(random.integers(0, HEIGHT))
        at = next(i for i, r in enumerate(cuts) if _has_square(r, u, v))
        if max(cuts[at][2:]) < 6:
            at = max(range(len(cuts)), key=lambda i: (cuts[i][2] * cuts[i][3], -i))
        cuts[at], *more = _parts(cuts[at], len(cuts) + 4 <= k, random)
        cuts.extend(more)
    for i in range(k - 1, 0, -1):
        j = random.integers(0, i + 1)
        cuts[i], cuts[j] = cuts[j], cuts[i]
    return tuple(cuts)


def _has_square(rectangle: Placement, u: int, v: int) -> bool:
    x, y, w, h = rectangle
    return u in range(x, x + w) and v in range(y, y + h)


def _parts(rectangle: Placement, may_be_five: bool, random: Generator) -> list[Placement]:
    x, y, w, h = rectangle
    is_large = min(w, h) >= 6
    if is_large and may_be_five and random.integers(0, 4) == 0:
        a = int(random.integers(2, w - 3))
        c = int(random.integers(a + 2, w - 1))
        b = int(random.integers(2, h - 3))
        d = int(random.integers(b + 2, h - 1))
        return [
            (x, y, c, b),
            (x + c, y, w - c, d),
            (x + a, y + d, w - a, h - d),
            (x, y + b, a, h - b),
            (x + a, y + b, c - a, d - b),
        ]
    divides_width = w >= h
    if is_large and random.integers(0, 4) == 0:
        divides_width = not divides_width
    s = w if divides_width else h
    t = max(2, s // 5)
    size = int(random.integers(t, s - t + 1))
    if divides_width:
        return [(x, y, size, h), (x + size, y, w - size, h)]
    return [(x, y, w, size), (x, y + size, w, h - size)]


class Box:
    """The covered squares as bits of a number, row by row."""

    def __init__(self) -> None:
        self.covered = 0

    def has_room(self, placement: Placement) -> bool:
        x, y, w, h = placement
        return x + w <= WIDTH and y + h <= HEIGHT and not self.covered & squares(placement)

    def flip(self, placement: Placement) -> None:
        """Covers the squares if they are free, and frees them if they are covered."""
        self.covered ^= squares(placement)

    def first_free(self) -> tuple[int, int]:
        """Returns x and y of the free square with the least y, and among these the least x."""
        free = ~self.covered
        y, x = divmod((free & -free).bit_length() - 1, WIDTH)
        return x, y


@cache
def _at_the_corner(w: int, h: int) -> int:
    """Returns the squares of a rectangle at (0, 0)."""
    return sum(((1 << w) - 1) << (y * WIDTH) for y in range(h))


def squares(placement: Placement) -> int:
    """Returns the squares of a rectangle in the box, as bits."""
    x, y, w, h = placement
    return _at_the_corner(w, h) << (y * WIDTH + x)


def earned(pieces: Sequence[Piece], placements: Sequence[Placement]) -> int:
    """Returns the area of the pieces placed according to the rules."""
    box = Box()
    left = [tuple(sorted(piece)) for piece in pieces]
    area = 0
    for placement in placements:
        sides = tuple(sorted(placement[2:]))
        if sides not in left:
            continue
        left.remove(sides)
        if box.has_room(placement):
            box.flip(placement)
            area += sides[0] * sides[1]
    return area


def scripted_packing(pieces: Sequence[Piece]) -> list[Placement]:
    """Returns the best packing that the scripted player finds in 500 placements."""
    order = sorted(range(len(pieces)), key=lambda i: -pieces[i][0] * pieces[i][1])
    ways = [(i, *shape) for i in order for shape in dict.fromkeys((pieces[i], pieces[i][::-1]))]
    box = Box()
    lying: list[Placement] = []
    used: list[int] = []
    best: list[Placement] = []
    best_area = area = placings = 0

    def possible() -> Iterator[tuple[int, Placement]]:
        x, y = box.first_free()
        return ((i, (x, y, w, h)) for i, w, h in ways if i not in used)

    choices = [possible()]
    while choices and placings < PLACINGS and len(lying) < len(pieces):
        found = next((each for each in choices[-1] if box.has_room(each[1])), None)
        if found is None:
            choices.pop()
            if lying:
                gone = lying.pop()
                used.pop()
                box.flip(gone)
                area -= gone[2] * gone[3]
            continue
        piece, placement = found
        used.append(piece)
        lying.append(placement)
        box.flip(placement)
        placings += 1
        area += placement[2] * placement[3]
        if area > best_area:
            best, best_area = list(lying), area
        if len(lying) < len(pieces):
            choices.append(possible())
    return best
