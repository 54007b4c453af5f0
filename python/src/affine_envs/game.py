"""An environment as pure functions of its state. Protocol §3."""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

import gymnasium
import numpy as np
from numpy.random import Generator

from affine_envs.canonical_json import Json, canonical_text

State = TypeVar("State", bound=Hashable)
Action = TypeVar("Action")


class Game(ABC, Generic[State, Action]):
    """An environment of one player. States are immutable. Only draws from `random` are random."""

    id: str
    spec_hash: str
    """The `spec_hash` of `id` as a constant, since computing it takes a second or two."""
    max_steps: int
    lowest_reward: int
    highest_reward: int
    action_space: gymnasium.Space[Any]
    observation_space: gymnasium.Space[Any]

    @abstractmethod
    def initial(self, random: Generator) -> State:
        """Draws a challenge."""

    @abstractmethod
    def step(
        self, state: State, action: Action, random: Generator
    ) -> tuple[State, int, bool] | None:
        """Returns the next state, the reward, and whether the game ended. None if illegal."""

    def accepts(self, action: Any) -> bool:
        """Reports whether a value is in the action space."""
        return bool(self.action_space.contains(action))

    @abstractmethod
    def observe(self, state: State) -> Any:
        """Returns a state as an element of the observation space."""

    def observe_all(self, states: list[State]) -> np.ndarray:
        """Returns many states as observations, one per row."""
        return np.stack([self.observe(state) for state in states])

    @abstractmethod
    def truth(self, state: State) -> Json:
        """Returns the truth (Protocol §3.6) of a first state, of which `info` has only a digest."""

    def truth_text(self, state: State) -> str:
        """Returns the canonical text of `truth`."""
        return canonical_text(self.truth(state))

    @abstractmethod
    def difficulty(self, state: State) -> int:
        """Returns the difficulty of a challenge by its initial state, as a number for people."""

    @abstractmethod
    def prompt(self, state: State) -> str:
        """Returns the prompt of a state."""

    @abstractmethod
    def parse(self, answer: str) -> Action | None:
        """Returns the action of an answer, or None. Does not trim or guess."""

    @abstractmethod
    def best_reply(self, state: State) -> str:
        """Returns the good reply of §3.5, of a perfect player or of the scripted player."""

    @abstractmethod
    def any_reply(self, state: State, random: Generator) -> str:
        """Returns a random line, good, bad or illegal, with the draws of Protocol §3.5."""


class TwoPlayerGame(Game[State, Action]):
    """A game of two players, who take turns. Protocol §3.1.

    As a `Game` it has one player, who plays against the scripted player. `strength` is the share of
    moves that the scripted player chooses well. Its other moves are random. Protocol §3.6.
    """

    def __init__(self, strength: float = 1.0) -> None:
        if not (isinstance(strength, int | float) and 0 <= strength <= 1):
            raise ValueError(f'"strength" expected 0 to 1, got {strength!r}')
        self.strength = strength

    @abstractmethod
    def opening(self, random: Generator) -> State:
        """Returns the first state, in which the first player moves."""

    @abstractmethod
    def move(self, state: State, action: Action, random: Generator) -> tuple[State, bool] | None:
        """Returns the next state, and whether the mover has won. None for an illegal action."""

    @abstractmethod
    def written(self, action: Action) -> str:
        """Returns an action as an answer, which `parse` reads."""

    @abstractmethod
    def legal(self, state: State) -> list[Action]:
        """Returns the legal actions."""

    def initial(self, random: Generator) -> State:
        is_first = random.integers(0, 2) == 0
        state = self.opening(random)
        return state if is_first else self._answered(state, random)[0]

    def step(
        self, state: State, action: Action, random: Generator
    ) -> tuple[State, int, bool] | None:
        moved = self.move(state, action, random)
        if moved is None:
            return None
        after, has_won = moved
        return (after, self.highest_reward, True) if has_won else self._answered(after, random)

    def _answered(self, state: State, random: Generator) -> tuple[State, int, bool]:
        moved = self._opponent_move(state, random)
        if moved is None:
            raise RuntimeError(f"{self.id}: the scripted player has no legal move")
        after, has_won = moved
        return after, self.lowest_reward if has_won else 0, has_won

    def _opponent_move(self, state: State, random: Generator) -> tuple[State, bool] | None:
        if self.strength == 1 or random.random() < self.strength:
            return self._move_of(self.best_reply(state), state, random)
        moved = None
        while moved is None:
            moved = self._move_of(self.any_reply(state, random), state, random)
        return moved

    def _move_of(self, reply: str, state: State, random: Generator) -> tuple[State, bool] | None:
        action = self.parse(reply)
        return None if action is None else self.move(state, action, random)
