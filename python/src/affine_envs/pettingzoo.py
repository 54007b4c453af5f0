"""Games of two players behind PettingZoo's interface. Protocol §3.6.

`affine_envs.pettingzoo.env("hex-v0")` makes a game. This needs the extra `pettingzoo`.
"""

from copy import deepcopy
from difflib import get_close_matches
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from affine_envs.challenge import seed_of
from affine_envs.info import info_of
from affine_envs.registry import two_player_game_of
from affine_envs.text import answer, recorded

FIRST, SECOND = "player_0", "player_1"


class TwoPlayerEnv(AECEnv[str, Any, Any]):
    """One game at a time. `player_0` is first.

    An illegal action loses. `infos[agent]` has the facts of Protocol §3.6, and in `action_mask` the
    legal actions.
    """

    def __init__(self, env: str, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = two_player_game_of(env)
        self.metadata = {
            "name": self.game.id,
            "render_modes": ["ansi"],
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [FIRST, SECOND]
        self.agents: list[str] = []
        self.observation_spaces = self._for_each(self.game.observation_space)
        self.action_spaces = self._for_each(self.game.action_space)
        self._random: np.random.Generator | None = None
        self._origin = ""
        self._since = 0
        self._info: dict[str, Any] = {}
        self._state: Any = None

    def _for_each(self, space: Space[Any]) -> dict[str, Space[Any]]:
        return {agent: deepcopy(space) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts the game of `options={"challenge_id": …}`, or a game from a seed.

        Without either, continues with the current stream. Ignores other options, since
        PettingZoo's tests pass some. Raises ValueError for a name that resembles challenge_id, an
        invalid id, or both an id and a seed.
        """
        options = options or {}
        challenge_id = options.get("challenge_id")
        for name in options.keys() - {"challenge_id"}:
            if get_close_matches(str(name).lower(), ["challenge_id"]):
                raise ValueError(f'"options" expected challenge_id, got {name}')
        if challenge_id is not None and seed is not None:
            raise ValueError('"seed" expected none with a challenge_id')
        if challenge_id is not None:
            seed = seed_of(challenge_id)
        if seed is not None or self._random is None:
            self._random, drawn = seeding.np_random(seed)
            self._origin, self._since = str(challenge_id or drawn), 0
        else:
            self._since += 1
        # On the subnet this draw decides which miner is first. Here `player_0` always is.
        self._random.integers(0, 2)
        self._state = self.game.opening(self._random)
        origin = f"{self._origin}+{self._since}" if self._since else self._origin
        self._info = info_of(self.game, self._state, origin, challenge_id)
        self.agents = [FIRST, SECOND]
        self.agent_selection = FIRST
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._infos()

    def step(self, action: Any) -> None:
        """Plays the mover's action. None, the result of `parse` for an unreadable reply, loses."""
        if self._random is None or not self.agents:
            raise RuntimeError("step expected a game in progress: reset first")
        mover = self.agent_selection
        if self.terminations[mover]:
            self._was_dead_step(action)
            return
        other = SECOND if mover == FIRST else FIRST
        is_action = self.game.accepts(action)
        moved = self.game.move(self._state, action, self._random) if is_action else None
        self._cumulative_rewards[mover] = 0
        self._clear_rewards()
        if moved is None or moved[1]:
            winner, loser = (other, mover) if moved is None else (mover, other)
            self.rewards = {winner: self.game.highest_reward, loser: self.game.lowest_reward}
            self.terminations = dict.fromkeys(self.agents, True)
        if moved is not None:
            self._state = moved[0]
        self.infos = self._infos()
        self.agent_selection = other
        self._accumulate_rewards()

    def observe(self, agent: str) -> Any:
        """Returns the state, which both players see."""
        return self.game.observe(self._state)

    def render(self) -> str | None:
        """Returns the prompt of the mover, with `render_mode="ansi"`."""
        return self.game.prompt(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing."""

    def parse(self, reply: str) -> Any:
        """Returns the action at the end of a model's reply, or None if it is unreadable."""
        return self.game.parse(answer(recorded(reply)))

    def _infos(self) -> dict[str, Any]:
        return {agent: {**self._info, "action_mask": self._mask()} for agent in self.agents}

    def _mask(self) -> np.ndarray:
        mask = np.zeros(self.action_spaces[FIRST].n, np.int8)  # type: ignore[attr-defined]
        mask[self.game.legal(self._state)] = 1
        return mask


def env(name: str, render_mode: str | None = None) -> TwoPlayerEnv:
    """Returns an environment of two players, by its exact id or as `hex-v0`."""
    return TwoPlayerEnv(name, render_mode)
