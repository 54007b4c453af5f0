"""An environment's behaviour as one hash. Protocol §3.5."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from affine_envs.canonical_json import Json
from affine_envs.challenge import id_of, seed_of
from affine_envs.digest import digest
from affine_envs.episode import Episode, Message, Transcript, record
from affine_envs.game import TwoPlayerGame
from affine_envs.registry import game_of
from affine_envs.text import recorded
from affine_envs.two_players import Match, Side, record_game

EPISODES = 256
FULL_WIDTH = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}


@cache
def spec_hash(env: str) -> str:
    """Returns the hash of 256 episodes of a player with good, bad and broken replies."""
    game = game_of(env)
    episodes = [_record(golden_episode(env, index)) for index in range(EPISODES)]
    return digest("spec", game.id, episodes)


def golden_episode(env: str, index: int) -> Transcript | dict[Side, Transcript]:
    """Returns episode `index` of the golden player, with a transcript per player in games."""
    game = game_of(env)
    seed = seed_of(id_of(digest("golden", game.id, index)))
    random = np.random.default_rng(index)
    if not isinstance(game, TwoPlayerGame):
        copy = Episode(game, np.random.default_rng(seed))
        return record(game, seed, _Player(copy, random, draws=16))
    match = Match(game, seed)
    player = _Player(match, random, draws=256)
    return record_game(game, seed, lambda _: player)


class _Player:
    """A golden player. It plays a second copy of the episode, to know the state of each prompt."""

    def __init__(self, copy: Episode[Any, Any] | Match, random: Generator, draws: int) -> None:
        self.copy = copy
        self.random = random
        self.draws = draws
        self.last_reply: str | None = None

    def __call__(self, messages: Sequence[Message]) -> str | None:
        if self.last_reply is not None:
            self.copy.reply(recorded(self.last_reply))
        self.last_reply = self._answer()
        return self.last_reply

    def _answer(self) -> str | None:
        game, state = self.copy.game, self.copy.state
        good = game.best_reply(state)
        kind = self.random.integers(0, self.draws)
        if kind < 6:
            return game.any_reply(state, self.random)
        if kind == 6:
            return f"\x1b[1mSo\u202e:\x1b]0;x\x07\r\n{good}"
        if kind == 7:
            return _dressed(good)[self.random.integers(0, 10)]
        return None if kind == 8 else good


def _dressed(good: str) -> list[str]:
    return [
        "",
        f" {good} . ",
        f"**{good}**.",
        f"0{good}",
        f"{good}\n \n",
        f"\\(\\boxed{{\\text{{{good}}}}}\\)",
        f"Answer: {good}",
        good[:-1],
        good.lower(),
        good.translate(FULL_WIDTH),
    ]


def _record(played: Transcript | dict[Side, Transcript]) -> Json:
    if isinstance(played, dict):
        return {side: _record(transcript) for side, transcript in played.items()}
    record: dict[str, Json] = {"messages": played.messages, "reward": played.reward}
    return record if played.fault is None else {**record, "fault": played.fault}
