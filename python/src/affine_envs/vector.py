"""Many environments behind Gymnasium's vector interface. Protocol §3.6."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate

from affine_envs.env import AffineEnv
from affine_envs.info import INFO_TYPES


class AffineVectorEnv(VectorEnv[Any, Any, Any]):
    """Several environments, with less overhead than as many `AffineEnv`, and equal episodes.

    The step after an episode's end ignores its action, starts another episode, and earns 0.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["ansi"],
        "render_fps": 1,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        env: str,
        num_envs: int = 1,
        render_mode: str | None = None,
        strength: float | None = None,
    ) -> None:
        self.envs = [AffineEnv(env, render_mode, strength) for _ in range(num_envs)]
        self.num_envs = num_envs
        self.render_mode = render_mode
        first = self.envs[0]
        self.single_action_space = first.action_space
        self.single_observation_space = first.observation_space
        self.action_space = batch_space(first.action_space, num_envs)
        self.observation_space = batch_space(first.observation_space, num_envs)
        self._infos: dict[str, np.ndarray] = {}
        self._ended = [False] * num_envs
        self._game = first.game

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Resets all environments, from `seed`, `seed + 1` and so on, or from a list of seeds."""
        count = self.num_envs
        given = [seed] * count if seed is None else seed
        seeds = range(given, given + count) if isinstance(given, int) else given
        if len(seeds) != count:
            raise ValueError(f'"seed" expected {count} seeds, got {len(seeds)}')
        for env, each in zip(self.envs, seeds, strict=True):
            env.reset(seed=each, options=options)
        self._ended = [False] * count
        for key, kind in INFO_TYPES.items():
            self._infos[key] = np.array([env.info[key] for env in self.envs], dtype=kind)
        return self._observed(), self._copied_infos()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Plays an action in each environment."""
        rewards = [0] * self.num_envs
        terminated, truncated = ([False] * self.num_envs for _ in range(2))
        for i, action in enumerate(self._apart(actions)):
            env = self.envs[i]
            if self._ended[i]:
                env.go_on()
                for key in INFO_TYPES:
                    self._infos[key][i] = env.info[key]
                self._ended[i] = False
            else:
                episode, rewards[i] = env.take(action)
                if episode.over:
                    self._ended[i] = True
                    terminated[i], truncated[i] = episode.terminated, not episode.terminated
        return (
            self._observed(),
            np.array(rewards, dtype=np.float64),
            np.array(terminated),
            np.array(truncated),
            self._copied_infos(),
        )

    def _apart(self, actions: Any) -> Sequence[Any]:
        if isinstance(actions, np.ndarray) and actions.ndim == 1:
            return list(actions.tolist())
        return list(iterate(self.action_space, actions))

    def render(self) -> Any:
        """Returns the prompts of the current states, with `render_mode="ansi"`."""
        return tuple(env.render() for env in self.envs)

    def _observed(self) -> np.ndarray:
        episodes = (env.episode for env in self.envs)
        return self._game.observe_all([each.state for each in episodes if each is not None])

    def _copied_infos(self) -> dict[str, Any]:
        there = {f"_{key}": np.ones(self.num_envs, dtype=np.bool_) for key in self._infos}
        return {**{key: values.copy() for key, values in self._infos.items()}, **there}
