"""An environment's behaviour as one hash. Protocol §3.5."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from affine_envs.canonical_json import Json
from affine_envs.challenge import id_of, seed_of
from affine_envs.digest import digest
from affine_envs.episode import Episode, Message, Transcript, record
from affine_envs.game import Game
from affine_envs.registry import game_of

EPISODES = 256
FULL_WIDTH = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}


@cache
def spec_hash(env: str) -> str:
    """The hash of 256 episodes of a player that is good, bad and broken by turns."""
    game = game_of(env)
    episodes = [_record(golden_episode(env, index)) for index in range(EPISODES)]
    return digest("spec", game.id, episodes)


def golden_episode(env: str, index: int) -> Transcript:
    """Episode `index` of the golden player."""
    game = game_of(env)
    seed = seed_of(id_of(digest("golden", game.id, index)))
    return record(game, seed, _Player(game, seed, index))


class _Player:
    """Plays its own copy of the episode, to know the state behind each prompt."""

    def __init__(self, game: Game[Any, Any], seed: int, index: int) -> None:
        self.episode = Episode(game, np.random.default_rng(seed))
        self.random = np.random.default_rng(index)

    def __call__(self, messages: Sequence[Message]) -> str | None:
        if len(messages) > 1:
            self.episode.reply(messages[-2]["content"])
        good = self.episode.game.best_reply(self.episode.state)
        kind = self.random.integers(0, 16)
        if kind < 6:
            return good
        if kind < 12:
            return self.episode.game.any_reply(self.random)
        if kind == 12:
            return f"\x1b[1mSo\u202e:\x1b]0;x\x07\r\n{good}"
        if kind == 13:
            return _spoiled(good)[self.random.integers(0, 10)]
        if kind == 14:
            return None
        return "x" * (4095 - len(good) + int(self.random.integers(0, 3))) + f"\n{good}"


def _spoiled(good: str) -> list[str]:
    return [
        "",
        f"{good}\n",
        f"{good} ",
        f" {good}",
        f"{good}.",
        f"**{good}**",
        f"0{good}",
        good[:-1],
        good.lower(),
        good.translate(FULL_WIDTH),
    ]


def _record(transcript: Transcript) -> Json:
    played: dict[str, Json] = {"messages": transcript.messages, "reward": transcript.reward}
    return played if transcript.fault is None else {**played, "fault": transcript.fault}
