"""Learns hex by self-play, then serves the result like a miner.

python examples/train_hex.py --port 8001
python examples/train_hex.py --port 8002 --games 0     # has learned nothing
npx af duel http://127.0.0.1:8002/v1 http://127.0.0.1:8001/v1 --env hex-v0
"""

import argparse
import re
import time
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np
from miner_server import serve
from numpy.typing import NDArray

from affine_envs.registry import two_player_game_of

Boards = NDArray[np.integer[Any]]
"""Boards of some games. 0 is an empty cell, 1 the mover's mark, 2 the opponent's mark.

The mover joins the first row with the last.
"""

HEX: Any = two_player_game_of("hex-v0")
SIZES = (7, 9, 11)
TOUCHING = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, -1))
BRIDGED = ((-1, -1), (-2, 1), (-1, 2), (1, 1), (2, -1), (1, -2))
"""Steps from a cell to cells connected with it unless the opponent takes both cells between."""
STEPS = TOUCHING + BRIDGED
OWN_SIDE, OTHER_SIDE = 3, 4
"""Values outside the board: beyond the mover's own sides, and beyond the opponent's."""
KINDS = 5
BATCH = 64
RATE = 0.5


class Policy:
    """Values of empty cells: each is a sum of a number for the content at each step from the cell.

    One more number is for all adjacent cells together.
    """

    def __init__(self) -> None:
        self.by_step = np.zeros((len(STEPS), KINDS))
        self.by_pattern = np.zeros(KINDS ** len(TOUCHING))

    def worth(self, boards: Boards) -> NDArray[np.float64]:
        """Returns the values by game and cell, minus infinity for taken cells."""
        around = seen_from_cells(boards)
        worth: NDArray[np.float64] = self.by_pattern[patterns(around)]
        for numbers, kinds in zip(self.by_step, around, strict=True):
            worth += numbers.take(kinds)
        return np.where(flat(boards) == 0, worth, -np.inf)

    def add(self, boards: Boards, change: NDArray[np.float64]) -> None:
        """Adds the change of each cell's value to all numbers that the value is the sum of."""
        around = seen_from_cells(boards)
        weights = change.ravel()
        length = len(self.by_pattern)
        self.by_pattern += np.bincount(patterns(around).ravel(), weights, length)
        for numbers, kinds in zip(self.by_step, around, strict=True):
            numbers += np.bincount(kinds.ravel(), weights, KINDS)


def flat(boards: Boards) -> Boards:
    return boards.reshape(len(boards), -1)


def seen_from_cells(boards: Boards) -> Boards:
    """Returns the content at each step from each cell, by step, game and cell."""
    n = boards.shape[1]
    wide = np.full((len(boards), n + 4, n + 4), OTHER_SIDE, np.int8)
    wide[:, :2] = wide[:, -2:] = OWN_SIDE
    wide[:, 2:-2, 2:-2] = boards
    shifted = [wide[:, 2 + row : 2 + row + n, 2 + column : 2 + column + n] for row, column in STEPS]
    return np.stack(shifted).reshape(len(STEPS), len(boards), -1)


def patterns(around: Boards) -> Boards:
    """Returns the contents of the adjacent cells as one number for each game and cell."""
    touching = around[: len(TOUCHING)]
    return reduce(lambda number, kinds: KINDS * number + kinds, touching, np.zeros(1, int))


def turned(boards: Boards) -> Boards:
    """Returns the boards as the other player sees them."""
    return np.ascontiguousarray(np.array([0, 2, 1])[boards].transpose(0, 2, 1))


def has_joined(boards: Boards) -> NDArray[np.bool_]:
    """Reports whether a chain of ones connects the first row with the last."""
    n = boards.shape[1]
    own = boards == 1
    reached = own & (np.arange(n)[:, None] == 0)
    while True:
        wide = np.pad(reached, ((0, 0), (1, 1), (1, 1)))
        near = [wide[:, 1 + row : 1 + row + n, 1 + at : 1 + at + n] for row, at in TOUCHING]
        grown = reached | (np.any(near, axis=0) & own)
        if np.array_equal(grown, reached):
            return np.asarray(reached[:, -1].any(axis=1))
        reached = grown


def openings(n: int, random: np.random.Generator) -> Boards:
    """Returns the first boards of a batch of games."""
    drawn = (HEX.opening(random) for _ in iter(int, 1))
    boards = islice((board for board in drawn if len(board) == n * n), BATCH)
    return np.array(list(boards)).reshape(BATCH, n, n)


def learn(games: int, seed: int) -> Policy:
    """Learns by policy gradient: moves of the winner become more likely, moves of the loser less.

    Plays games until the board is full, when exactly one player has connected its sides.
    """
    random = np.random.default_rng(seed)
    policy = Policy()
    for batch in range(games // BATCH):
        boards = openings(SIZES[batch % len(SIZES)], random)
        moves: list[tuple[Boards, NDArray[np.float64]]] = []
        while (boards == 0).any():
            worth = policy.worth(boards)
            chances = np.exp(worth - worth.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            cells = (chances.cumsum(axis=1) > random.random((BATCH, 1))).argmax(axis=1)
            taken = np.arange(chances.shape[1]) == cells[:, None]
            moves.append((boards, taken - chances))
            boards = turned(np.where(taken.reshape(boards.shape), 1, boards))
        gained = np.where(has_joined(boards), 1.0, -1.0)
        for seen, change in reversed(moves):
            gained = -gained
            policy.add(seen, RATE / BATCH * (gained - gained.mean())[:, None] * change)
    return policy


def reply_to(prompt: str, policy: Policy, random: np.random.Generator) -> str:
    """Returns a model's reply: the cell of the greatest value, on the last line."""
    rows = re.findall(r"^[A-K]((?: [.XO])+)$", prompt, re.M)
    if not rows:
        return "I play hex only."
    board = np.array([[[".XO".index(mark) for mark in row.split()] for row in rows]])
    is_second = "you are O" in prompt
    worth = policy.worth(turned(board) if is_second else board)[0]
    cell = int(random.choice(np.flatnonzero(worth == worth.max())))
    row, column = divmod(cell, len(rows))
    if is_second:
        row, column = column, row
    return f"{'ABCDEFGHIJK'[row]}{column + 1}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8001, help="0 selects a free port")
    options = parser.parse_args()
    began = time.monotonic()
    policy = learn(options.games, options.seed)
    print(f"{options.games} games in {time.monotonic() - began:.0f} s")
    random = np.random.default_rng(0)
    serve(lambda prompt: reply_to(prompt, policy, random), options.port)


if __name__ == "__main__":
    main()
