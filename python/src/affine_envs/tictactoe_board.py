"""Boards of tic-tac-toe and their values. Protocol §3.3."""

from functools import cache

Board = tuple[int, ...]
"""Nine cells from A1 to C3: 0 empty, 1 X, 2 O."""

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip
EMPTY: Board = (0,) * 9


def mover(board: Board) -> int:
    """Returns the player to move: 1 for X, who began, 2 for O."""
    return 1 if board.count(1) == board.count(2) else 2


def moves(board: Board) -> list[int]:
    """Returns the empty cells in the order of the board."""
    return [cell for cell in range(9) if board[cell] == 0]


def after(board: Board, cell: int) -> Board:
    """Returns the board after the mover takes a cell."""
    return (*board[:cell], mover(board), *board[cell + 1 :])


@cache
def is_lost(board: Board) -> bool:
    """Reports whether the player that moved last has three in a row."""
    other = 3 - mover(board)
    return any(all(board[cell] == other for cell in line) for line in LINES)


def is_over(board: Board) -> bool:
    """Reports whether the last move made three in a row, or no cell is empty."""
    return is_lost(board) or 0 not in board


@cache
def outlook(board: Board) -> tuple[int, int]:
    """Returns the value to the mover, and the number of moves to the end, with best play."""
    if is_over(board):
        return (-1 if is_lost(board) else 0), 0
    value, length = _after_move(board, best_cells(board)[0])
    return value, length + 1


@cache
def best_cells(board: Board) -> tuple[int, ...]:
    """Returns the best cells in the order of the board: soonest win, latest loss, or any draw."""
    outcomes = {cell: _after_move(board, cell) for cell in moves(board)}
    value = max(value for value, _ in outcomes.values())
    lengths = {cell: length for cell, (worth, length) in outcomes.items() if worth == value}
    if value == 0:
        return tuple(lengths)
    wanted = min(lengths.values()) if value > 0 else max(lengths.values())
    return tuple(cell for cell, length in lengths.items() if length == wanted)


def _after_move(board: Board, cell: int) -> tuple[int, int]:
    value, length = outlook(after(board, cell))
    return -value, length


def code(board: Board) -> int:
    """Returns the number whose base-3 digits are the cells, A1 the highest."""
    return int("".join(map(str, board)), 3)


@cache
def starts() -> tuple[Board, ...]:
    """Returns the possible first boards of an episode, in ascending order of their codes."""
    reached = {EMPTY}
    fringe = [EMPTY]
    while fringe:
        board = fringe.pop()
        if not is_over(board):
            new = {after(board, cell) for cell in moves(board)} - reached
            reached |= new
            fringe.extend(new)
    return tuple(sorted(board for board in reached if _is_start(board)))


def _is_start(board: Board) -> bool:
    """Reports whether a board is not over, not lost, and allows a mistake."""
    if is_over(board):
        return False
    value, _ = outlook(board)
    return value >= 0 and any(_after_move(board, cell)[0] < value for cell in moves(board))
