"""`pack@0.1.0`. Protocol §3.8."""

import re
from collections.abc import Sequence

import numpy as np
from gymnasium import spaces
from numpy.random import Generator

from affine_envs.canonical_json import Json
from affine_envs.game import Game
from affine_envs.pack_box import (
    HEIGHT,
    WIDTH,
    Piece,
    Placement,
    cut_box,
    earned,
    scripted_packing,
)

MOST = 32
NUMBER = "(?:0|[1-9][0-9]?)"
PLACEMENT = f"{NUMBER},{NUMBER},{NUMBER},{NUMBER}"
PLACEMENTS = re.compile(f"{PLACEMENT}(?: {PLACEMENT}){{0,{MOST - 1}}}")

State = tuple[tuple[Placement, Piece], ...]
"""For each piece, the place that it was cut from, and its size as listed."""
Action = tuple[int, ...]

PROMPT = f"""\
Pack pieces into a box {WIDTH} wide and {HEIGHT} high; \
x counts from the left, y from the top, both from 0. The pieces, width x height:

{{}}

Each may be used once, and turned. \
You earn the area of those in the box that overlap none placed before. All fit.
You may think first. Give the placements, \
single spaces between, alone on the last line, nothing after it: \
x,y,width,height of each as it lies, x and y at its top left, such as 0,0,12,7 12,0,5,7"""


class Pack(Game[State, Action]):
    """Packing of 8 to 32 rectangles into the box that they were cut from, in one reply."""

    id = "pack@0.1.0"
    spec_hash = "365a43ef7cd1ceade0d8053a0895560fb61746dd6d0b7a54696e186ffdb19b22"
    max_steps = 1
    lowest_reward = 0
    highest_reward = 2400
    action_space = spaces.MultiDiscrete([100] * (4 * MOST))
    observation_space = spaces.Box(0, WIDTH, (2 * MOST,), np.int8)

    def initial(self, random: Generator) -> State:
        cuts = cut_box(random)
        return tuple((cut, cut[3:1:-1] if random.integers(0, 2) == 1 else cut[2:]) for cut in cuts)

    def step(
        self, state: State, action: Action, random: Generator
    ) -> tuple[State, int, bool] | None:
        return state, earned(_pieces(state), _placements(action)), True

    def observe(self, state: State) -> np.ndarray:
        seen = np.zeros((MOST, 2), np.int8)
        seen[: len(state)] = _pieces(state)
        return seen.ravel()

    def truth(self, state: State) -> Json:
        return _text([lies for lies, _ in state])

    def difficulty(self, state: State) -> int:
        return len(state)

    def prompt(self, state: State) -> str:
        return PROMPT.format(" ".join(f"{w}x{h}" for w, h in _pieces(state)))

    def parse(self, answer: str) -> Action | None:
        if PLACEMENTS.fullmatch(answer) is None:
            return None
        numbers = [int(digits) for digits in re.findall("[0-9]+", answer)]
        return (*numbers, *[0] * (4 * MOST - len(numbers)))

    def best_reply(self, state: State) -> str:
        return _text(scripted_packing(_pieces(state)))

    def any_reply(self, state: State, random: Generator) -> str:
        pieces = _pieces(state)
        placements: list[Placement] = []
        for _ in range(random.integers(1, 9)):
            w, h = pieces[random.integers(0, len(pieces))]
            if random.integers(0, 2) == 1:
                w, h = h, w
            x, y = random.integers(0, WIDTH), random.integers(0, HEIGHT)
            placements.append((int(x), int(y), w, h))
        return _text(placements)


def _pieces(state: State) -> list[Piece]:
    return [piece for _, piece in state]


def _placements(action: Sequence[int]) -> list[Placement]:
    x, y, w, h = (map(int, action[at::4]) for at in range(4))
    return list(zip(x, y, w, h, strict=True))


def _text(placements: Sequence[Placement]) -> str:
    return " ".join(",".join(map(str, placement)) for placement in placements)
