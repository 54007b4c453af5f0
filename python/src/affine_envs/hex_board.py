"""Hex: boards, chains, and how far a cell is from a side. Protocol §3.7."""

from functools import cache
from heapq import heappop, heappush

Board = tuple[int, ...]
"""n × n cells, row by row: 0 empty, 1 X, 2 O."""

CUT_OFF = 1000
STEPS = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))


def size(board: Board) -> int:
    """How many rows there are."""
    return {49: 7, 81: 9, 121: 11}[len(board)]


def mover(board: Board) -> int:
    """1 for X, 2 for O."""
    return 1 if board.count(1) == board.count(2) else 2


@cache
def touching(cell: int, n: int) -> tuple[int, ...]:
    """The cells that touch this one."""
    row, column = divmod(cell, n)
    places = ((row + down, column + right) for down, right in STEPS)
    return tuple(r * n + c for r, c in places if 0 <= r < n and 0 <= c < n)


@cache
def sides(player: int, n: int) -> tuple[frozenset[int], frozenset[int]]:
    """The cells of a player's two sides, the first side first."""
    if player == 1:
        return frozenset(range(n)), frozenset(range(n * n - n, n * n))
    return frozenset(range(0, n * n, n)), frozenset(range(n - 1, n * n, n))


def has_joined(board: Board, player: int) -> bool:
    """Does a chain of the player's marks lead from one of its sides to the other?"""
    n = size(board)
    first, last = sides(player, n)
    reached = {cell for cell in first if board[cell] == player}
    fringe = list(reached)
    while fringe:
        near = {c for c in touching(fringe.pop(), n) if board[c] == player} - reached
        reached |= near
        fringe.extend(near)
    return not reached.isdisjoint(last)


def empty_on_chain(board: Board, player: int, side: frozenset[int]) -> dict[int, int]:
    """The fewest empty cells on a chain from each cell to a side, that cell counted.

    A cell from which no chain without opposing marks leads there is left out.
    """
    n = size(board)
    costs = {0: 1, player: 0}
    queue = [(costs[board[cell]], cell) for cell in side if board[cell] in costs]
    queue.sort()
    found: dict[int, int] = {}
    while queue:
        distance, cell = heappop(queue)
        if cell in found:
            continue
        found[cell] = distance
        for near in touching(cell, n):
            if near not in found and board[near] in costs:
                heappush(queue, (distance + costs[board[near]], near))
    return found


def scripted_cell(board: Board) -> int:
    """The empty cell with the least sum of both players' lengths, the first of equals."""
    sums = dict.fromkeys((cell for cell, mark in enumerate(board) if mark == 0), 0)
    for player in (1, 2):
        first, last = (empty_on_chain(board, player, side) for side in sides(player, size(board)))
        for cell in sums:
            is_joined = cell in first and cell in last
            sums[cell] += first[cell] + last[cell] if is_joined else CUT_OFF
    return min(sums, key=lambda cell: (sums[cell], cell))
