"""`hex@0.1.0`. Protocol §3.7."""

import re

import numpy as np
from gymnasium import spaces
from numpy.random import Generator

from affine_envs.canonical_json import Json
from affine_envs.game import TwoPlayerGame
from affine_envs.hex_board import Board, has_joined, mover, scripted_cell, size

ROWS = "ABCDEFGHIJK"
WIDEST = len(ROWS)
OUTSIDE = 3

PROMPT = """\
Hex: you are {task}, "." is an empty cell, and it is your move.

{board}

You both put a mark in an empty cell in turn; \
a chain of touching cells with your mark from one of your sides to the other wins.
Up to six cells touch one: B2 touches A2, A3, B1, B3, C1 and C2.
A reply that is not a legal move loses, as does one that is late.
You may think first. Give your move as row and column, such as B2, \
alone on the last line, with nothing after it."""


class Hex(TwoPlayerGame[Board, int]):
    """Hex on a board of 7, 9 or 11 rows that begins with some marks. X is first."""

    id = "hex@0.1.0"
    spec_hash = "41c39731637c8df7caaea06bc07fe120bcb7b96f2c17ec505d10677492246789"
    max_steps = 91
    lowest_reward = -1
    highest_reward = 1
    action_space = spaces.Discrete(WIDEST * WIDEST)
    observation_space = spaces.Box(0, OUTSIDE, (WIDEST * WIDEST,), np.int8)

    def opening(self, random: Generator) -> Board:
        n = 7 + 2 * int(random.integers(0, 3))
        cells = [(row, column) for row in range(n) for column in range(row + 1, n)]
        board = [0] * (n * n)
        for i in range(n * n // 8):
            j = random.integers(i, len(cells))
            cells[i], cells[j] = cells[j], cells[i]
            row, column = cells[i]
            mark = 1 if random.integers(0, 2) == 0 else 2
            board[row * n + column] = mark
            board[column * n + row] = 3 - mark
        return tuple(board)

    def move(self, state: Board, action: int, random: Generator) -> tuple[Board, bool] | None:
        n = size(state)
        row, column = divmod(int(action), WIDEST)
        cell = row * n + column
        if row >= n or column >= n or state[cell] != 0:
            return None
        player = mover(state)
        board = (*state[:cell], player, *state[cell + 1 :])
        return board, has_joined(board, player)

    def written(self, action: int) -> str:
        return f"{ROWS[action // WIDEST]}{action % WIDEST + 1}"

    def legal(self, state: Board) -> list[int]:
        n = size(state)
        return [cell // n * WIDEST + cell % n for cell, mark in enumerate(state) if mark == 0]

    def observe(self, state: Board) -> np.ndarray:
        n = size(state)
        seen = np.full((WIDEST, WIDEST), OUTSIDE, np.int8)
        seen[:n, :n] = np.reshape(state, (n, n))
        return seen.ravel()

    def truth(self, state: Board) -> Json:
        return "\n".join(_lines(state)[1:])

    def difficulty(self, state: Board) -> int:
        return size(state)

    def prompt(self, state: Board) -> str:
        n = size(state)
        joined = f"row A with row {ROWS[n - 1]}", f"column 1 with column {n}"
        task = f"X and join {joined[0]}, the opponent is O and joins {joined[1]}"
        if mover(state) == 2:
            task = f"O and join {joined[1]}, the opponent is X and joins {joined[0]}"
        return PROMPT.format(task=task, board="\n".join(_lines(state)))

    def parse(self, answer: str) -> int | None:
        found = re.fullmatch("([A-Ka-k])([1-9]|10|11)", answer)
        return found and ROWS.index(found[1].upper()) * WIDEST + int(found[2]) - 1

    def best_reply(self, state: Board) -> str:
        return _name(scripted_cell(state), size(state))

    def any_reply(self, state: Board, random: Generator) -> str:
        return _name(int(random.integers(0, len(state))), size(state))


def _name(cell: int, n: int) -> str:
    return f"{ROWS[cell // n]}{cell % n + 1}"


def _lines(board: Board) -> list[str]:
    n = size(board)
    rows = (" ".join(".XO"[mark] for mark in board[at : at + n]) for at in range(0, n * n, n))
    numbers = " ".join(str(column + 1) for column in range(n))
    return [f"  {numbers}", *(f"{ROWS[row]} {marks}" for row, marks in enumerate(rows))]
