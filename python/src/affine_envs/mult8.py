"""`mult8@0.1.0`. Protocol §3.4."""

import re
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.random import Generator

from affine_envs.canonical_json import Json
from affine_envs.game import Game

LOW, HIGH = 10_000_000, 100_000_000
Factors = tuple[int, int]
GROUPED = re.compile("[0-9]{1,3}(,[0-9]{3})+")
DIGITS = re.compile("[0-9]{15,16}")

PROMPT = """\
Compute {} * {}.
You may think first. Give the product, digits only, \
alone on the last line, with nothing after it."""


class Mult8(Game[Factors, str]):
    """Multiplication of two numbers of eight digits, in one reply."""

    id = "mult8@0.1.0"
    spec_hash = "8acf99839b8d1880a156699fd1f0e180447373b1f973a30c4e9fdf4772755bcc"
    max_steps = 1
    lowest_reward = 0
    highest_reward = 1
    action_space = spaces.Text(16, min_length=15, charset="0123456789")
    observation_space = spaces.Box(LOW, HIGH - 1, (2,), np.int64)

    def initial(self, random: Generator) -> Factors:
        return int(random.integers(LOW, HIGH)), int(random.integers(LOW, HIGH))

    def step(
        self, state: Factors, action: str, random: Generator
    ) -> tuple[Factors, int, bool] | None:
        return state, int(action == self.best_reply(state)), True

    def accepts(self, action: Any) -> bool:
        return type(action) is str and DIGITS.fullmatch(action) is not None

    def observe(self, state: Factors) -> np.ndarray:
        return np.array(state, dtype=np.int64)

    def observe_all(self, states: list[Factors]) -> np.ndarray:
        return np.array(states, dtype=np.int64)

    def truth(self, state: Factors) -> Json:
        return self.best_reply(state)

    def truth_text(self, state: Factors) -> str:
        return f'"{self.best_reply(state)}"'

    def difficulty(self, state: Factors) -> int:
        return 8

    def prompt(self, state: Factors) -> str:
        return PROMPT.format(*state)

    def parse(self, answer: str) -> str | None:
        digits = answer.replace(",", "") if GROUPED.fullmatch(answer) else answer
        return digits if re.fullmatch("[1-9][0-9]{14,15}", digits) else None

    def best_reply(self, state: Factors) -> str:
        return str(state[0] * state[1])

    def any_reply(self, state: Factors, random: Generator) -> str:
        length = random.integers(15, 17)
        return "".join(str(random.integers(0, 10)) for _ in range(length))
