"""Tests the reward function of docs/training.md with the server that it starts."""

import re
from typing import Any

import numpy as np
from processes import AF, needs_af, serving
from vectors import ROOT

from affine_envs import Transcript
from affine_envs.episode import Message, record
from affine_envs.registry import game_of
from affine_envs.tictactoe_board import after, best_cells, moves, outlook

PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
PROGRAM = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)[0]


def first_prompt(env: str, seed: int) -> list[Message]:
    played: Transcript = record(game_of(env), seed, lambda _: None)
    return played.messages


@needs_af
def test_the_reward_of_a_reply_is_the_value_of_its_move(openenv: str) -> None:
    with serving(*AF, "miner", "--skill", "1", "--port", "0") as perfect:
        program = PROGRAM.replace("http://127.0.0.1:8000", openenv).replace("1000", "20")
        names: dict[str, Any] = {}
        exec(program.replace("http://127.0.0.1:8003/v1", perfect), names)
        assert names["prompts"][7] == first_prompt("tictactoe-v0", 7)
        assert len(names["prompts"]) == len(names["starts"]) == 20
        game = game_of("tictactoe-v0")
        for seed in range(5):
            board = game.initial(np.random.default_rng(seed))
            cells = moves(board)
            replies = [[{"content": f"So:\n{'ABC'[cell // 3]}{cell % 3 + 1}"}] for cell in cells]
            want = [-outlook(after(board, cell))[0] for cell in cells]
            assert names["reward"](replies, [seed] * len(cells)) == want
            assert max(want) == -outlook(after(board, best_cells(board)[0]))[0] > min(want)
        names["env"].close()
        names["perfect"].close()
