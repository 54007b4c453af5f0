"""The smallest environment that openenv-core serves: it says what it is told."""

import sys

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_app


class Said(Action):
    reply: str


class Heard(Observation):
    prompt: str


class Echo(Environment[Said, Heard, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_):
        return Heard(prompt="")

    def step(self, action, timeout_s=None, **_):
        return Heard(prompt=action.reply, reward=0)

    @property
    def state(self):
        return State()


app = create_app(Echo, Said, Heard, max_concurrent_envs=1000)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="critical")
