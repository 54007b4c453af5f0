"""An environment as pure functions of its state. Protocol §3."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

import gymnasium
from numpy.random import Generator

from affine_envs.canonical_json import Json

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action")


class Game(ABC, Generic[State, Action]):
    """A state is immutable. Only `random`, one stream an episode, decides anything by chance."""

    id: str
    max_steps: int
    lowest_reward: int
    action_space: gymnasium.Space[Any]
    observation_space: gymnasium.Space[Any]

    @abstractmethod
    def initial(self, random: Generator) -> State:
        """Draws a challenge."""

    @abstractmethod
    def step(
        self, state: State, action: Action, random: Generator
    ) -> tuple[State, int, bool] | None:
        """The next state, the reward, and whether the game is over; None for an illegal action."""

    @abstractmethod
    def observe(self, state: State) -> Any:
        """A state as a member of the observation space."""

    @abstractmethod
    def truth(self, state: State) -> Json:
        """What judges an episode, from its initial state; only its digest is shown."""

    @abstractmethod
    def prompt(self, state: State) -> str:
        """What a model is asked."""

    @abstractmethod
    def parse(self, line: str) -> Action | None:
        """The action that a last line is, or None. Nothing is trimmed or guessed."""

    @abstractmethod
    def best_reply(self, state: State) -> str:
        """What a perfect player replies."""

    @abstractmethod
    def any_reply(self, random: Generator) -> str:
        """Any action as a line, good, bad or illegal. Protocol §3.5 says what it draws."""
