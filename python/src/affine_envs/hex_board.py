"""Hex: boards, chains, and distances of cells from sides. Protocol §3.7."""

from functools import cache

Board = tuple[int, ...]
"""n × n cells, row by row: 0 empty, 1 X, 2 O."""

CUT_OFF = 1000
STEPS = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))


def size(board: Board) -> int:
    """Returns the number of rows."""
    return {49: 7, 81: 9, 121: 11}[len(board)]


def mover(board: Board) -> int:
    """Returns the player to move: 1 for X, 2 for O."""
    return 1 if board.count(1) == board.count(2) else 2


@cache
def touching(n: int) -> tuple[tuple[int, ...], ...]:
    """Returns the adjacent cells of each cell."""
    places = [
        [(row + down, column + right) for down, right in STEPS]
        for row in range(n)
        for column in range(n)
    ]
    return tuple(tuple(r * n + c for r, c in near if 0 <= r < n and 0 <= c < n) for near in places)


@cache
def sides(player: int, n: int) -> tuple[frozenset[int], frozenset[int]]:
    """Returns the cells of a player's two sides, the first side first."""
    if player == 1:
        return frozenset(range(n)), frozenset(range(n * n - n, n * n))
    return frozenset(range(0, n * n, n)), frozenset(range(n - 1, n * n, n))


def has_joined(board: Board, player: int) -> bool:
    """Reports whether a chain of the player's marks connects its two sides."""
    n = size(board)
    touched = touching(n)
    first, last = sides(player, n)
    reached = {cell for cell in first if board[cell] == player}
    fringe = list(reached)
    while fringe:
        near = {c for c in touched[fringe.pop()] if board[c] == player} - reached
        reached |= near
        fringe.extend(near)
    return not reached.isdisjoint(last)


def empty_on_chain(board: Board, player: int, side: frozenset[int]) -> dict[int, int]:
    """Returns for each cell the fewest empty cells on a chain from it to a side, itself included.

    Omits a cell if each of its chains contains an opposing mark.
    """
    touched = touching(size(board))
    found: dict[int, int] = {}
    distance = 0
    now = [cell for cell in side if board[cell] == player]
    after = [cell for cell in side if board[cell] == 0]
    while now or after:
        for cell in now:  # continues with cells that are appended
            if cell in found:
                continue
            found[cell] = distance
            for near in touched[cell]:
                if near not in found:
                    if board[near] == player:
                        now.append(near)
                    elif board[near] == 0:
                        after.append(near)
        now, after = after, []
        distance += 1
    return found


def scripted_cell(board: Board) -> int:
    """Returns the first empty cell with the least sum of distances from all four sides."""
    sums = dict.fromkeys((cell for cell, mark in enumerate(board) if mark == 0), 0)
    for player in (1, 2):
        first, last = (empty_on_chain(board, player, side) for side in sides(player, size(board)))
        for cell in sums:
            is_joined = cell in first and cell in last
            sums[cell] += first[cell] + last[cell] if is_joined else CUT_OFF
    return min(sums, key=lambda cell: (sums[cell], cell))
