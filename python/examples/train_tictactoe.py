"""Learns tic-tac-toe by playing, then serves the result like a miner.

python examples/train_tictactoe.py --port 8001
python examples/train_tictactoe.py --port 8002 --episodes 0     # has learned nothing
npx af duel http://127.0.0.1:8002/v1 http://127.0.0.1:8001/v1 --env tictactoe-v0
"""

import argparse
import re
import time

import gymnasium
import numpy as np
from miner_server import serve
from numpy.typing import NDArray

import affine_envs  # noqa: F401, makes the environments known to Gymnasium

Table = NDArray[np.float64]
"""Values of the nine cells by the code of the board."""

POWERS = 3 ** np.arange(8, -1, -1)


def learn(episodes: int, seed: int) -> Table:
    """Learns by Q-learning. Every untried cell has the value of a win, so that it is tried.

    The opponent draws only among moves of equal value, so a new value of a cell replaces the old.
    """
    env = gymnasium.make("affine/tictactoe-v0").unwrapped  # its wrappers take 40 % of the time
    random = np.random.default_rng(seed)
    table = np.ones((3**9, 9))
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed if episode == 0 else None)
        board, over = int(observation @ POWERS), False
        while not over:
            cell = choose(table, board, random)
            observation, reward, over, _, _ = env.step(cell)
            reached = int(observation @ POWERS)
            table[board, cell] = reward if over else table[reached].max()
            board = reached
    return table


def choose(table: Table, board: int, random: np.random.Generator) -> int:
    """Returns one of the cells of the greatest value."""
    worth = table[board].tolist()
    best = max(worth)
    cells = [cell for cell in range(9) if worth[cell] == best]
    return cells[random.integers(len(cells))]


def reply_to(prompt: str, table: Table, random: np.random.Generator) -> str:
    """Returns a model's reply, with the move on the last line."""
    marks = re.findall(r"(?<=[ABC. XO] )[.XO](?=[ \n])", prompt.partition("1 2 3")[2])[:9]
    if len(marks) != 9:
        return "I play tic-tac-toe only."
    board = int(np.array([".XO".index(mark) for mark in marks]) @ POWERS)
    cell = choose(table, board, random)
    return f"{'ABC'[cell // 3]}{cell % 3 + 1}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--episodes", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8001, help="0 selects a free port")
    options = parser.parse_args()
    began = time.monotonic()
    table = learn(options.episodes, options.seed)
    print(f"{options.episodes} episodes in {time.monotonic() - began:.0f} s")
    random = np.random.default_rng(0)
    serve(lambda prompt: reply_to(prompt, table, random), options.port)


if __name__ == "__main__":
    main()
