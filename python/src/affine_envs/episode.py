"""One run of a game and its transcript. Protocol §3.1."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal

import numpy as np
from numpy.random import Generator

from affine_envs.challenge import is_challenge_id, seed_of
from affine_envs.game import Action, Game, State
from affine_envs.registry import game_of
from affine_envs.text import answer, is_recorded, recorded

Message = Mapping[str, str]
"""`{"role": "user" | "assistant", "content": …}`"""

Fault = Literal["no-reply"]
Agent = Callable[[Sequence[Message]], str | None]
"""A function that replies to a conversation that ends in a prompt, or returns None."""


class Episode(Generic[State, Action]):
    """A game from its first state to its end."""

    def __init__(self, game: Game[State, Action], random: Generator) -> None:
        self.game = game
        self.random = random
        self.state = game.initial(random)
        self.steps = 0
        self.total = 0
        self.terminated = False

    @property
    def over(self) -> bool:
        """Reports whether the episode is over."""
        return self.terminated or self.steps == self.game.max_steps

    def step(self, action: Action | None) -> int:
        """Plays an action, and returns its reward. An illegal action forfeits, as does None."""
        played = None if action is None else self.game.step(self.state, action, self.random)
        lowest = self.game.lowest_reward - self.total
        self.state, reward, self.terminated = played or (self.state, lowest, True)
        self.steps += 1
        self.total += reward
        return reward

    def reply(self, content: str) -> None:
        """Plays the answer of a recorded reply."""
        self.step(self.game.parse(answer(content)))


@dataclass(frozen=True)
class Transcript:
    """The messages of an episode and its reward."""

    messages: list[Message]
    reward: int
    fault: Fault | None = None


def play(env: str, challenge_id: str, agent: Agent, strength: float | None = None) -> Transcript:
    """Plays a challenge, in games against the scripted opponent at a strength from 0 to 1.

    There is no clock: an agent with a deadline has to return None after it.
    """
    return record(game_of(env, strength), seed_of(challenge_id), agent)


def record(game: Game[Any, Any], seed: int, agent: Agent) -> Transcript:
    """Plays a challenge from its seed."""
    episode = Episode(game, np.random.default_rng(seed))
    messages: list[Message] = []
    while not episode.over:
        messages.append({"role": "user", "content": game.prompt(episode.state)})
        reply = agent(messages)
        if reply is None:
            return Transcript(messages, game.lowest_reward, "no-reply")
        content = recorded(reply)
        messages.append({"role": "assistant", "content": content})
        episode.reply(content)
    return Transcript(messages, episode.total)


Refusal = Literal[
    "BAD_CHALLENGE_ID",
    "WRONG_ROLE",
    "PROMPT_DIFFERS",
    "NOT_NORMALISED",
    "TOO_LONG",
    "TOO_SHORT",
]


@dataclass(frozen=True)
class Replayed:
    """The result of a replay. `fault` is true if the last prompt has no reply."""

    reward: int
    fault: bool


def replay(
    env: str, challenge_id: str, messages: Sequence[Any], strength: float | None = None
) -> Replayed | Refusal:
    """Replays an episode from its messages. Returns a refusal if messages or id are invalid.

    Accepts hostile messages. Raises ValueError only for an unknown environment or strength.
    """
    game = game_of(env, strength)
    if not is_challenge_id(challenge_id):
        return "BAD_CHALLENGE_ID"
    if not isinstance(messages, list | tuple):
        return "TOO_SHORT"
    episode = Episode(game, np.random.default_rng(seed_of(challenge_id)))
    for index, message in enumerate(messages):
        if episode.over:
            return "TOO_LONG"
        refusal = _take(episode, message, index)
        if refusal is not None:
            return refusal
    if len(messages) % 2 == 1:
        return Replayed(game.lowest_reward, fault=True)
    return Replayed(episode.total, fault=False) if episode.over else "TOO_SHORT"


def _take(episode: Episode[Any, Any], message: Any, index: int) -> Refusal | None:
    """Compares a prompt or plays a reply. Returns the refusal, if any."""
    if index % 2 == 0:
        return prompt_refusal(message, episode.game.prompt(episode.state))
    refusal = reply_refusal(message)
    if refusal is None:
        episode.reply(message["content"])
    return refusal


def prompt_refusal(message: Any, due: str) -> Refusal | None:
    """Returns a refusal unless a message is the expected prompt."""
    if not _is_of(message, "user"):
        return "WRONG_ROLE"
    return None if message["content"] == due else "PROMPT_DIFFERS"


def reply_refusal(message: Any) -> Refusal | None:
    """Returns a refusal unless a message is a possible recorded reply."""
    if not _is_of(message, "assistant"):
        return "WRONG_ROLE"
    return None if is_recorded(message["content"]) else "NOT_NORMALISED"


def _is_of(message: Any, role: str) -> bool:
    if not isinstance(message, dict) or not isinstance(message.get("content"), str):
        return False
    return bool(message.get("role") == role)
