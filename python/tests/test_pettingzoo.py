"""Tests the requirements of PettingZoo, and what these games add.

The README explains why PettingZoo's `max_cycles_test` is missing.
"""

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from vectors import reset_of, vectors_of

from affine_envs import digest, play_game, seed_of
from affine_envs.pettingzoo import TwoPlayerEnv, env
from affine_envs.registry import game_of

CHALLENGE = "vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF"


def test_pettingzoos_api_test_passes() -> None:
    api_test(env("hex-v0", render_mode="ansi"), num_cycles=1000)


def test_pettingzoos_seed_test_passes() -> None:
    seed_test(lambda: env("hex-v0"), num_cycles=500)


def scripted_game(game: TwoPlayerEnv) -> tuple[list[str], dict[str, float]]:
    """Returns the prompts and rewards of a game between two scripted players."""
    prompts: list[str] = []
    rewards: dict[str, float] = {}
    for agent in game.agent_iter():
        _, reward, terminated, _, _ = game.last()
        if terminated:
            rewards[agent] = reward
            game.step(None)
            continue
        prompts.append(str(game.render()))
        game.step(game.parse(f"So:\r\n{game.game.best_reply(game._state)}"))
    return prompts, rewards


def test_a_challenge_is_the_game_of_its_evidence() -> None:
    asked: list[str] = []
    known: list[Any] = []
    game = env("hex@0.1.0", render_mode="ansi")
    game.reset(options={"challenge_id": CHALLENGE})
    prompts, rewards = scripted_game(game)

    def reply(messages: Any) -> str:
        asked.append(messages[0]["content"])
        known.append(messages)
        return str(replies.pop(0))

    replies = replies_to(prompts)
    evidence = play_game("hex-v0", CHALLENGE, {"champion": reply, "contender": reply})
    assert asked == prompts
    assert all(len(messages) == 1 for messages in known)
    assert sorted(rewards.values()) == sorted(each.reward for each in evidence.values())
    first = next(side for side in evidence if evidence[side].messages[0]["content"] == prompts[0])
    assert rewards["player_0"] == evidence[first].reward
    game.reset(seed=seed_of(CHALLENGE))
    assert scripted_game(game) == (prompts, rewards)


def replies_to(prompts: list[str]) -> list[str]:
    """Returns the scripted replies to the prompts of a game."""
    game = env("hex-v0", render_mode="ansi")
    game.reset(options={"challenge_id": CHALLENGE})
    replies = []
    for _ in prompts:
        replies.append(game.game.best_reply(game._state))
        game.step(game.parse(replies[-1]))
    return replies


@pytest.mark.parametrize("illegal", ["taken", "outside", "unread", -5, 121, "A1"])
def test_an_illegal_action_loses(illegal: Any) -> None:
    game = env("hex-v0")
    game.reset(seed=next(seed for seed in range(99) if size_of(seed) == 7))
    board = np.asarray(game.last()[0])
    named = {"taken": int(np.flatnonzero(board == 1)[0]), "outside": 120, "unread": None}
    action = named.get(illegal, illegal)
    if game.action_space("player_0").contains(action):
        assert game.infos["player_0"]["action_mask"][action] == 0
    game.step(action)
    assert game.rewards == {"player_0": -1, "player_1": 1}
    assert game.terminations == {"player_0": True, "player_1": True}


HEX_INFOS = [each for each in vectors_of("envs/infos") if each["want"]["env"] == "hex@0.1.0"]


@pytest.mark.parametrize("vector", HEX_INFOS, ids=lambda each: each["what"])
def test_infos_have_the_facts_of_the_game(vector: Any) -> None:
    asked = vector["input"]
    game = env("hex-v0")
    game.reset(**reset_of(asked))
    for _ in range(asked["resetsAfter"]):
        # The game for one player draws no move after the opening, so the streams stay equal.
        game.reset()
    after = asked["resetsAfter"]
    origin = asked.get("seed") or asked["challengeId"]
    truth = game.game.truth(game._state)
    salt = f"{origin}+{after}" if after else origin
    want = {**vector["want"], "ground_truth_commitment": digest("truth", salt, truth)}
    for _ in range(2):
        for info in game.infos.values():
            assert {key: info[key] for key in want} == want
            assert info.keys() == {*want, "action_mask"}
        game.step(int(np.flatnonzero(game.infos["player_0"]["action_mask"])[0]))


def size_of(seed: int) -> int:
    game = env("hex-v0")
    game.reset(seed=seed)
    return game.game.difficulty(game._state)


def test_a_reset_without_a_seed_continues_the_stream() -> None:
    one, other = env("hex-v0"), env("hex-v0")
    with pytest.raises(RuntimeError, match="reset first"):
        one.step(0)
    for game in (one, other):
        game.reset(seed=1)
        game.reset()
    assert one._state == other._state
    other.reset(seed=1)
    assert one._state != other._state
    with pytest.raises(ValueError, match="expected none"):
        one.reset(seed=1, options={"challenge_id": CHALLENGE})
    for name in ["challengeId", "challengeid", "challenge-id", "Challenge_ID"]:
        with pytest.raises(ValueError, match=f"expected challenge_id, got {name}"):
            game.reset(options={name: CHALLENGE})
    with pytest.raises(ValueError, match="base58"):
        one.reset(options={"challenge_id": "x"})


def test_environments_of_one_player_are_refused() -> None:
    with pytest.raises(ValueError, match="expected an environment of two players, got 'pack-v0'"):
        env("pack-v0")


def test_the_game_for_one_player_is_against_the_scripted_one() -> None:
    game = game_of("hex-v0")
    first = [game.initial(np.random.default_rng(seed)) for seed in range(40)]
    marks = {board.count(1) - board.count(2) for board in first}
    assert marks == {0, 1}
