"""The environments behind Gymnasium's interface. Protocol §3.6."""

from copy import deepcopy
from typing import Any

import gymnasium
from gymnasium.envs.registration import register as register_env

from affine_envs.challenge import seed_of
from affine_envs.episode import Episode
from affine_envs.info import info_of
from affine_envs.registry import NEWEST, game_of
from affine_envs.text import answer, recorded


class AffineEnv(gymnasium.Env[Any, Any]):
    """An environment, given by its id. Plays one episode at a time.

    `strength` is the share of moves, 0 to 1, that the scripted opponent of a game chooses well.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self, env: str, render_mode: str | None = None, strength: float | None = None
    ) -> None:
        self.game = game_of(env, strength)
        self.action_space = deepcopy(self.game.action_space)
        self.observation_space = deepcopy(self.game.observation_space)
        self.render_mode = render_mode
        self.episode: Episode[Any, Any] | None = None
        self._origin = ""
        self._since = 0
        self.info: dict[str, Any] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts the challenge of `options={"challenge_id": …}`, or an episode from a seed.

        Without either, continues with the current stream, like Gymnasium. Raises ValueError for
        another option, an invalid id, or both an id and a seed.
        """
        challenge_id = _challenge_id_in(options) if options else None
        if challenge_id is not None and seed is not None:
            raise ValueError('"seed" expected none with a challenge_id')
        super().reset(seed=seed if challenge_id is None else seed_of(challenge_id))
        if challenge_id is None and seed is None and self._origin:
            episode = self.go_on()
        else:
            self._origin, self._since = str(challenge_id or self.np_random_seed), 0
            episode = self._begin(self._origin, challenge_id)
        return self.game.observe(episode.state), dict(self.info)

    def go_on(self) -> Episode[Any, Any]:
        """Starts another episode of the stream that a reset began."""
        self._since += 1
        return self._begin(f"{self._origin}+{self._since}")

    def _begin(self, origin: str, challenge_id: str | None = None) -> Episode[Any, Any]:
        episode = self.episode = Episode(self.game, self.np_random)
        self.info = info_of(self.game, episode.state, origin, challenge_id)
        return episode

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action. An illegal action forfeits, as does None, which `parse` may return."""
        episode, reward = self.take(action)
        truncated = episode.over and not episode.terminated
        observation = self.game.observe(episode.state)
        return observation, float(reward), episode.terminated, truncated, dict(self.info)

    def take(self, action: Any) -> tuple[Episode[Any, Any], int]:
        """Plays an action. Returns the episode, and the reward of the action.

        Raises RuntimeError if no episode is in progress, ValueError if the space lacks the action.
        """
        episode = self.episode
        if episode is None or episode.over:
            raise RuntimeError("step expected an episode in progress: reset first")
        if action is not None and not self.game.accepts(action):
            raise ValueError(f'"action" expected a member of {self.action_space}, got {action!r}')
        return episode, episode.step(action)

    def render(self) -> str | None:
        """Returns the prompt of the current state, with `render_mode="ansi"`."""
        if self.render_mode != "ansi" or self.episode is None:
            return None
        return self.game.prompt(self.episode.state)

    def parse(self, reply: str) -> Any:
        """Returns the action at the end of a model's reply, or None if it is unreadable."""
        return self.game.parse(answer(recorded(reply)))


def _challenge_id_in(options: dict[str, Any]) -> Any:
    unknown = options.keys() - {"challenge_id"}
    if unknown:
        raise ValueError(f'"options" expected challenge_id only, got {", ".join(sorted(unknown))}')
    return options.get("challenge_id")


def register() -> None:
    """Registers the environments in Gymnasium as `affine/…`. Importing `affine_envs` calls it."""
    for name in NEWEST:
        if f"affine/{name}" not in gymnasium.registry:
            register_env(
                f"affine/{name}",
                "affine_envs.env:AffineEnv",
                vector_entry_point="affine_envs.vector:AffineVectorEnv",
                kwargs={"env": name},
            )
