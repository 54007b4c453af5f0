"""OpenEnv's own client plays what `af env serve` serves."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from openenv.core import GenericEnvClient
from processes import AF, serving

from affine_envs import Replayed, play, replay
from affine_envs.episode import Episode
from affine_envs.registry import game_of

CHALLENGE = "vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF"
ENVS = ["tictactoe-v0", "mult8-v0"]
SESSIONS = 200


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(*AF, "env", "serve", *ENVS, "--port", "0", "--sessions", str(SESSIONS)) as url:
        yield url


@pytest.mark.parametrize("env", ENVS)
def test_a_challenge_as_it_is_played_here(url: str, env: str) -> None:
    said: list[str] = []
    with GenericEnvClient(f"{url}/{env}").sync() as client:
        result = client.reset(challenge_id=CHALLENGE, episode_id="one")
        while not result.done:
            said.append(result.observation["prompt"])
            result = client.step({"reply": "So:\r\nA1"})
        played = play(env, CHALLENGE, lambda _: "So:\r\nA1")
        assert said == [message["content"] for message in played.messages[::2]]
        assert result.reward == played.reward
        state = client.state()
        assert (state["episode_id"], state["step_count"]) == ("one", len(said))
        assert state["env"] == game_of(env).id
    assert replay(env, CHALLENGE, played.messages) == Replayed(played.reward, fault=False)


def test_errors_have_openenvs_codes(url: str) -> None:
    with GenericEnvClient(url).sync() as client:
        with pytest.raises(RuntimeError, match="EXECUTION_ERROR"):
            client.step({"reply": "A1"})
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            client.reset(seed=-1)
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            client.step({"message": "A1"})
        assert client.reset(seed=1).observation["prompt"]


async def won(url: str, seed: int, everyone: asyncio.Barrier) -> int:
    """What a perfect player earns in a session, begun while all the others are open."""
    game = game_of("tictactoe-v0")
    episode = Episode(game, np.random.default_rng(seed))
    async with GenericEnvClient(url, connect_timeout_s=60) as client:
        await everyone.wait()
        result = await client.reset(seed=seed)
        while not result.done:
            assert result.observation["prompt"] == game.prompt(episode.state)
            reply = game.best_reply(episode.state)
            result = await client.step({"reply": reply})
            episode.reply(reply)
        await everyone.wait()
        assert result.reward == episode.total
        return episode.total


async def play_at_once(url: str) -> None:
    everyone = asyncio.Barrier(SESSIONS)
    rewards = await asyncio.gather(*(won(url, seed, everyone) for seed in range(SESSIONS)))
    assert set(rewards) == {0, 1}


async def turned_away(url: str) -> None:
    clients = [GenericEnvClient(url, connect_timeout_s=60) for _ in range(SESSIONS)]
    await asyncio.gather(*(client.connect() for client in clients))
    async with GenericEnvClient(url) as client:
        with pytest.raises(RuntimeError, match="CAPACITY_REACHED"):
            await client.reset(seed=1)
    await asyncio.gather(*(client.close() for client in clients))


def test_two_hundred_sessions_at_once(url: str) -> None:
    asyncio.run(play_at_once(url))
    asyncio.run(turned_away(url))
