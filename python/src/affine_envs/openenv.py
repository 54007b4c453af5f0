"""The environments behind OpenEnv's server: `uvicorn affine_envs.openenv:app`.

Each environment is served under its name, as in `/mult8-v0`, and the first one also at the root.
A session plays in text: it gets a prompt and answers with a model's whole reply.
"""

from functools import partial
from typing import Any

from openenv.core.env_server import Action, Environment, Observation, State, create_app
from openenv.core.env_server.types import EnvironmentMetadata
from starlette.requests import Request
from starlette.responses import JSONResponse

from affine_envs.env import AffineEnv
from affine_envs.registry import NEWEST

MAX_SESSIONS = 1000


class Reply(Action):
    """A model's reply. Its last line is the action."""

    reply: str


class Prompt(Observation):
    """A prompt, None after the end of the episode, and the info of the episode."""

    prompt: str | None
    info: dict[str, str | int | None]


class EpisodeState(State):
    """The progress of an episode."""

    env: str
    challenge_id: str | None = None
    total_reward: int = 0


class TextEnvironment(Environment[Reply, Prompt, EpisodeState]):
    """The environment of a session."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env: str) -> None:
        super().__init__()
        self._env = AffineEnv(env, render_mode="ansi")
        self._state = EpisodeState(env=self._env.game.id)

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        options: dict[str, Any] | None = None,
        **more: Any,
    ) -> Prompt:
        """Starts an episode like `AffineEnv.reset`.

        `challenge_id` and `strength` may be arguments, or members of `options`. `strength`
        is for a game's scripted opponent, and applies until changed. Other options are errors.
        """
        if not isinstance(options, dict | None):
            raise ValueError(f'"options" expected an object, got {options!r}')
        given = {**more, **(options or {})}
        if "strength" in given:
            self._env = AffineEnv(self._env.game.id, "ansi", given.pop("strength"))
        self._env.reset(seed=seed, options=given)
        self._state = EpisodeState(
            env=self._env.game.id,
            episode_id=episode_id,
            challenge_id=given.get("challenge_id"),
        )
        return Prompt(prompt=self._env.render(), info=self._env.info)

    def step(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Prompt:
        """Plays a reply, which is read as a validator reads it."""
        _, reward, terminated, truncated, _ = self._env.step(self._env.parse(action.reply))
        self._state.step_count += 1
        self._state.total_reward += int(reward)
        done = terminated or truncated
        prompt = None if done else self._env.render()
        return Prompt(prompt=prompt, info=self._env.info, reward=int(reward), done=done)

    @property
    def state(self) -> EpisodeState:
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        name, version = self._env.game.id.split("@")
        description = f"Affine's {name}: replies in text, the move alone on the last line."
        return EnvironmentMetadata(name=name, description=description, version=version)


def app_of(env: str) -> Any:
    """Returns OpenEnv's application for an environment."""
    factory = partial(TextEnvironment, env)
    served = create_app(factory, Reply, Prompt, env, max_concurrent_envs=MAX_SESSIONS)
    served.add_exception_handler(ValueError, refuse)
    served.add_exception_handler(RuntimeError, refuse)
    return served


def refuse(_: Request, error: Exception) -> JSONResponse:
    """Returns an error as a response. OpenEnv itself reports errors only in sessions."""
    if isinstance(error, ValueError):
        status, detail = 422, str(error)
    else:
        status, detail = 409, f"{error}, and step in one session, at /ws: plain HTTP has no session"
    return JSONResponse({"detail": detail}, status)


app = app_of(next(iter(NEWEST)))
for name in NEWEST:
    app.mount(f"/{name}", app_of(name))
