"""Tests `affine_envs.openenv` with OpenEnv's client."""

import asyncio
import json
import re
from typing import Any

import httpx
import numpy as np
import pytest
from openenv.cli.commands.validate import validate
from openenv.core import GenericEnvClient
from vectors import reset_of, vectors_of

from affine_envs import Replayed, play, replay
from affine_envs.episode import Episode
from affine_envs.registry import NEWEST, game_of

CHALLENGE = "vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF"
ENVS = list(NEWEST)


@pytest.fixture
def url(openenv: str) -> str:
    return openenv


@pytest.mark.parametrize("env", ENVS)
def test_a_challenge_gives_the_episode_of_play(url: str, env: str) -> None:
    prompts: list[str] = []
    with GenericEnvClient(f"{url}/{env}").sync() as client:
        result = client.reset(challenge_id=CHALLENGE, episode_id="one")
        while not result.done:
            prompts.append(result.observation["prompt"])
            result = client.step({"reply": "So:\r\nA1"})
        played = play(env, CHALLENGE, lambda _: "So:\r\nA1")
        assert prompts == [message["content"] for message in played.messages[::2]]
        assert result.reward == played.reward
        state = client.state()
        assert (state["episode_id"], state["step_count"]) == ("one", len(prompts))
        assert state["env"] == game_of(env).id
    assert replay(env, CHALLENGE, played.messages) == Replayed(played.reward, fault=False)


AFTER_A_RESET = [each for each in vectors_of("envs/infos") if each["input"]["resetsAfter"] == 0]


@pytest.mark.parametrize("vector", AFTER_A_RESET, ids=lambda each: each["what"])
def test_observations_have_the_info(url: str, vector: Any) -> None:
    asked, want = vector["input"], vector["want"]
    given = reset_of(asked)
    with GenericEnvClient(f"{url}/{want['env'].split('@')[0]}-v0").sync() as client:
        assert client.reset(**given).observation["info"] == want
        assert client.step({"reply": "?"}).observation["info"] == want


def test_errors_have_openenvs_codes(url: str) -> None:
    with GenericEnvClient(url).sync() as client:
        with pytest.raises(RuntimeError, match="EXECUTION_ERROR"):
            client.step({"reply": "A1"})
        with pytest.raises(RuntimeError, match="EXECUTION_ERROR"):
            client.reset(seed=-1)
        with pytest.raises(RuntimeError, match="VALIDATION_ERROR"):
            client.step({"message": "A1"})
        assert client.reset(seed=1).observation["prompt"]


@pytest.mark.parametrize(
    ("path", "body", "status", "detail"),
    [
        ("/reset", {"challenge_id": "mine"}, 422, "base58 of 32 bytes"),
        ("/reset", {"challenge_id": 5}, 422, "base58 of 32 bytes"),
        ("/reset", {"challenge_id": CHALLENGE, "seed": 1}, 422, '"seed" expected none'),
        ("/reset", {"seed": "one"}, 422, "valid integer"),
        ("/reset", {"options": "x"}, 422, "\"options\" expected an object, got 'x'"),
        ("/reset", {"challenge": 1}, 422, "expected challenge_id only, got challenge"),
        ("/hex-v0/reset", {"strength": "half"}, 422, '"strength" expected 0 to 1'),
        ("/step", {"action": {"reply": "A1"}}, 409, "in one session, at /ws"),
        ("/step", {"action": {"message": "A1"}}, 422, "Field required"),
        ("/chess-v0/reset", {}, 404, "Not Found"),
    ],
)
def test_errors_over_http_name_the_fault(
    url: str, path: str, body: dict[str, object], status: int, detail: str
) -> None:
    answer = httpx.post(url + path, json=body)
    assert answer.status_code == status
    assert detail in str(answer.json()["detail"])


def test_reset_accepts_the_options_of_gymnasium(url: str) -> None:
    with GenericEnvClient(url).sync() as client:
        first = client.reset(challenge_id=CHALLENGE).observation
        assert client.reset(seed=1).observation != first
        assert client.reset(options={"challenge_id": CHALLENGE}).observation == first
        for wrong in ({"challenge": CHALLENGE}, {"options": {"challengeId": CHALLENGE}}):
            with pytest.raises(RuntimeError, match="expected challenge_id only, got challenge"):
                client.reset(**wrong)
        with pytest.raises(RuntimeError, match="base58 of 32 bytes"):
            client.reset(challenge_id="mine")


def test_a_strength_stays_until_another_is_given(url: str) -> None:
    def answer_to_the_first_move(strength: float) -> str:
        replies = iter(["D4"])
        played = play("hex-v0", CHALLENGE, lambda _: next(replies, None), strength)
        return str(played.messages[2]["content"])

    weak, strong = map(answer_to_the_first_move, (0, 1))
    assert weak != strong
    with GenericEnvClient(f"{url}/hex-v0").sync() as client:
        seen = []
        for given in ({}, {"strength": 0}, {}, {"options": {"strength": 1}}):
            client.reset(challenge_id=CHALLENGE, **given)
            seen.append(client.step({"reply": "D4"}).observation["prompt"])
        assert seen == [strong, weak, weak, strong]
        for wrong in (2, "half"):
            with pytest.raises(RuntimeError, match='"strength" expected 0 to 1'):
                client.reset(strength=wrong)
    alone = GenericEnvClient(f"{url}/mult8-v0").sync()
    with alone, pytest.raises(RuntimeError, match="expected an environment of two players"):
        alone.reset(strength=0.5)


def test_a_reply_may_be_long(url: str) -> None:
    with GenericEnvClient(f"{url}/mult8-v0").sync() as client:
        client.reset(seed=1)
        factors = re.findall("[0-9]{8}", client.reset(seed=1).observation["prompt"])
        product = str(int(factors[0]) * int(factors[1]))
        assert client.step({"reply": product}).reward == 1
        client.reset(seed=1)
        assert client.step({"reply": "x" * 100_000 + "\n" + product}).reward == 1


async def won(url: str, seed: int, everyone: asyncio.Barrier) -> int:
    """Returns the reward of a perfect player in a session that begins while all others are open."""
    game = game_of("tictactoe-v0")
    async with GenericEnvClient(url, connect_timeout_s=60) as client:
        await everyone.wait()
        result = await client.reset(seed=seed)
        episode = Episode(game, np.random.default_rng(seed))
        while not result.done:
            assert result.observation["prompt"] == game.prompt(episode.state)
            reply = game.best_reply(episode.state)
            result = await client.step({"reply": reply})
            episode.reply(reply)
        await everyone.wait()
        assert result.reward == episode.total
        return episode.total


async def play_at_once(url: str, sessions: int) -> None:
    everyone = asyncio.Barrier(sessions)
    rewards = await asyncio.gather(*(won(url, seed, everyone) for seed in range(sessions)))
    assert set(rewards) == {0, 1}


def test_fifty_sessions_play_concurrently(url: str) -> None:
    asyncio.run(play_at_once(url, 50))


@pytest.mark.parametrize("path", ["", *(f"/{env}" for env in ENVS)])
def test_openenv_validates_servers(url: str, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    validate(url=url + path)  # raises if it fails
    assert json.loads(capsys.readouterr().out)["summary"]["failed_criteria"] == []
