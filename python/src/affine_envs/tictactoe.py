"""`tictactoe@0.1.0`. Protocol §3.3."""

import re
from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.random import Generator

from affine_envs.canonical_json import Json
from affine_envs.game import Game
from affine_envs.tictactoe_board import (
    Board,
    after,
    best_cells,
    code,
    is_lost,
    is_over,
    mover,
    starts,
)

PROMPT = """\
Tic-tac-toe: you are {agent}, the opponent is {opponent}, "." is an empty cell, and it is your move.

  1 2 3
{rows}

You and the opponent put one mark in an empty cell in turn; \
three of one mark in a row, column or diagonal win.
A full board without that is a draw. \
The opponent plays perfectly. A reply that is not a legal move loses.
You may think first. Give your move as row and column, from A1 to C3, \
alone on the last line, with nothing after it."""


class TicTacToe(Game[Board, int]):
    """Tic-tac-toe from a position in which a mistake is possible, against a perfect opponent."""

    id = "tictactoe@0.1.0"
    spec_hash = "2424f500d3908c39d41fb37929f6db9a82493420964d0ed4e5b97520f5d0cdea"
    max_steps = 4
    lowest_reward = -1
    highest_reward = 1
    action_space = spaces.Discrete(9)
    observation_space = spaces.MultiDiscrete([3] * 9)

    def initial(self, random: Generator) -> Board:
        boards = starts()
        return boards[random.integers(0, len(boards))]

    def step(self, state: Board, action: int, random: Generator) -> tuple[Board, int, bool] | None:
        results = _results(state, int(action))
        if len(results) <= 1:
            return results[0] if results else None
        return results[random.integers(0, len(results))]

    def accepts(self, action: Any) -> bool:
        return (type(action) is int and 0 <= action < 9) or super().accepts(action)

    def observe(self, state: Board) -> np.ndarray:
        return np.array(state, dtype=np.int64)

    def observe_all(self, states: list[Board]) -> np.ndarray:
        return np.array(states, dtype=np.int64)

    def truth(self, state: Board) -> Json:
        return {"board": code(state), "best": best_cells(state)}

    @cache  # noqa: B019  the class has one instance
    def truth_text(self, state: Board) -> str:
        return super().truth_text(state)

    def difficulty(self, state: Board) -> int:
        return 3

    def prompt(self, state: Board) -> str:
        agent = mover(state)
        marks = [".XO"[cell] for cell in state]
        rows = (" ".join(["ABC"[row], *marks[3 * row : 3 * row + 3]]) for row in range(3))
        return PROMPT.format(agent=".XO"[agent], opponent=".XO"[3 - agent], rows="\n".join(rows))

    def parse(self, answer: str) -> int | None:
        if re.fullmatch("[ABCabc][123]", answer) is None:
            return None
        return "ABC".index(answer[0].upper()) * 3 + int(answer[1]) - 1

    def best_reply(self, state: Board) -> str:
        return _name(best_cells(state)[0])

    def any_reply(self, state: Board, random: Generator) -> str:
        return _name(int(random.integers(0, 9)))


@cache
def _results(board: Board, cell: int) -> tuple[tuple[Board, int, bool], ...]:
    """Returns the results of a move, one for each best reply to it; none for an illegal move.

    A single result is not drawn, since `integers(0, 1)` takes nothing from the stream.
    """
    if board[cell] != 0:
        return ()
    mine = after(board, cell)
    if is_over(mine):
        return ((mine, int(is_lost(mine)), True),)
    replies = (after(mine, reply) for reply in best_cells(mine))
    return tuple((reply, -int(is_lost(reply)), is_over(reply)) for reply in replies)


def _name(cell: int) -> str:
    return f"{'ABC'[cell // 3]}{cell % 3 + 1}"
