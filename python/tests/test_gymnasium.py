"""Tests the requirements of Gymnasium, and what these environments add."""

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env

from affine_envs import AffineEnv, digest, play, replay, seed_of
from affine_envs.game import Game
from affine_envs.registry import GAMES, NEWEST
from affine_envs.text import is_recorded, normalise, recorded
from affine_envs.tictactoe_board import best_cells, code
from affine_envs.vector import AffineVectorEnv

CHALLENGE = "vBK25fcxhA1CnWXfVUW9LV4H3WttabjwUZK3di6rrPF"
ENVS = [f"affine/{name}" for name in NEWEST]


def test_gymnasium_makes_an_environment_by_module_and_name() -> None:
    program = "import gymnasium; print(gymnasium.make('affine_envs:affine/mult8-v0').spec.id)"
    output = subprocess.check_output([sys.executable, "-W", "error", "-c", program], text=True)
    assert output == "affine/mult8-v0\n"


@pytest.mark.parametrize("env", ENVS)
def test_gymnasiums_checker_accepts_each_environment(env: str) -> None:
    check_env(gymnasium.make(env).unwrapped)


@pytest.mark.parametrize("env", ["affine/tictactoe-v0", "affine/hex-v0", "affine/pack-v0"])
def test_stable_baselines3s_checker_accepts_numeric_actions(env: str) -> None:
    # Stable Baselines3 needs gigabytes of PyTorch, so only python/nightly.py runs this test.
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(env).unwrapped)


@pytest.mark.parametrize("env", ENVS)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_vector_environments(env: str, mode: str) -> None:
    envs = gymnasium.make_vec(env, num_envs=3, vectorization_mode=mode)
    observations, infos = envs.reset(seed=[5, 6, 7])  # type: ignore[arg-type]
    assert infos["ground_truth_commitment"].shape == (3,)
    for observation, seed in zip(observations, [5, 6, 7], strict=True):
        alone, _ = gymnasium.make(env).reset(seed=seed)
        assert np.array_equal(observation, alone)
    envs.action_space.seed(0)
    for _ in range(20):
        _, rewards, terminated, truncated, _ = envs.step(envs.action_space.sample())
        assert rewards.shape == terminated.shape == truncated.shape == (3,)
    envs.close()


WEAK = ("affine/hex-v0", {"strength": 0.5})


@pytest.mark.parametrize(("env", "more"), [*((env, {}) for env in ENVS), WEAK])
def test_the_vector_entry_point_plays_as_single_environments_do(
    env: str, more: dict[str, Any]
) -> None:
    modes = ["sync", "vector_entry_point"]
    slow, fast = (
        gymnasium.make_vec(env, num_envs=5, vectorization_mode=mode, **more) for mode in modes
    )
    assert isinstance(fast, AffineVectorEnv)
    assert fast.metadata["autoreset_mode"] == slow.metadata["autoreset_mode"]
    fast.action_space.seed(3)
    assert_alike(slow.reset(seed=7), fast.reset(seed=7))
    for _ in range(60):
        actions = fast.action_space.sample()
        assert_alike(slow.step(actions), fast.step(actions))
    assert_alike(slow.reset(), fast.reset())
    many = {"seed": [3, 1, 4, 1, 5]}
    assert_alike(slow.reset(**many), fast.reset(**many))  # type: ignore[arg-type]
    challenge = {"options": {"challenge_id": CHALLENGE}}
    assert_alike(slow.reset(**challenge), fast.reset(**challenge))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expected 5 seeds"):
        fast.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="challenge_id only"):
        fast.reset(options={"challenge": CHALLENGE})


def assert_alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """Asserts equal observations, rewards, ends and infos, of equal types."""
    for a, b in zip(one[:-1], other[:-1], strict=True):
        assert np.array_equal(a, b)
        assert a.dtype == b.dtype
    assert one[-1].keys() == other[-1].keys()
    for key, values in one[-1].items():
        assert list(values) == list(other[-1][key])


def test_the_vector_entry_point_renders_and_refuses() -> None:
    envs = gymnasium.make_vec(
        ENVS[0], num_envs=2, vectorization_mode="vector_entry_point", render_mode="ansi"
    )
    envs.reset(seed=1)
    prompts: Any = envs.render()
    assert [str(prompt)[:11] for prompt in prompts] == ["Tic-tac-toe"] * 2
    with pytest.raises(ValueError, match="expected a member"):
        envs.step(np.array([0, 9]))


@pytest.mark.parametrize("env", ENVS)
def test_a_challenge_is_a_reset_from_its_seed(env: str) -> None:
    one, other = gymnasium.make(env, render_mode="ansi"), gymnasium.make(env)
    observed, _ = one.reset(options={"challenge_id": CHALLENGE})
    assert np.array_equal(observed, other.reset(seed=seed_of(CHALLENGE))[0])
    played = play(env.removeprefix("affine/"), CHALLENGE, lambda _: None)
    assert one.render() == played.messages[0]["content"]
    for options in ({"challenge_id": "x"}, {"challenge_id": 5}):
        with pytest.raises(ValueError, match="base58"):
            one.reset(options=options)
    with pytest.raises(ValueError, match="expected challenge_id only, got challengeId"):
        one.reset(options={"challengeId": CHALLENGE})
    with pytest.raises(ValueError, match="expected none"):
        one.reset(seed=1, options={"challenge_id": CHALLENGE})


def test_the_commitment_is_to_the_truth() -> None:
    env = gymnasium.make("affine/tictactoe-v0")
    observed, info = env.reset(options={"challenge_id": CHALLENGE})
    board = tuple(observed.tolist())
    truth: Any = {"board": code(board), "best": best_cells(board)}
    assert info["ground_truth_commitment"] == digest("truth", CHALLENGE, truth)
    seen = [env.reset(seed=7), env.reset(), env.reset()]
    for salt, (observed, info) in zip(["7", "7+1", "7+2"], seen, strict=True):
        board = tuple(observed.tolist())
        truth = {"board": code(board), "best": best_cells(board)}
        assert info["ground_truth_commitment"] == digest("truth", salt, truth)


@pytest.mark.parametrize("env", ENVS)
def test_a_reset_without_a_seed_draws_one(env: str) -> None:
    first = [gymnasium.make(env).reset() for _ in range(2)]
    assert not np.array_equal(first[0][0], first[1][0])


def test_an_illegal_move_and_no_move_forfeit() -> None:
    env = gymnasium.make("affine/tictactoe-v0")
    observed, _ = env.reset(seed=5)
    taken = int(np.flatnonzero(observed)[0])
    assert env.step(taken)[1:4] == (-1.0, True, False)
    with pytest.raises(RuntimeError, match="reset first"):
        env.step(0)
    env.reset(seed=5)
    unread = env.unwrapped.parse("a4")  # type: ignore[attr-defined]
    assert unread is None
    assert env.step(unread)[1:4] == (-1.0, True, False)
    env.reset(seed=5)
    for action in (9, -1, "A1", 0.5):
        with pytest.raises(ValueError, match="expected a member"):
            env.step(action)


def test_a_product_is_rewarded() -> None:
    env = gymnasium.make("affine/mult8-v0")
    for reward, change in [(1.0, 0), (0.0, 1)]:
        (a, b), _ = env.reset(seed=3)
        reply = f"By hand.\r\n{int(a) * int(b) + change}"
        action = env.unwrapped.parse(reply)  # type: ignore[attr-defined]
        assert env.step(action)[1:4] == (reward, True, False)


def test_actions_are_read_in_the_recorded_part_of_a_reply() -> None:
    env: Any = gymnasium.make("affine/tictactoe-v0").unwrapped
    read = [env.parse(text) for text in ("\x1b[1mA1\x1b[0m", "So\rB2", "**a1**.\n", "A\u200b1")]
    assert read == [0, 4, 0, None]


def test_factors_have_eight_digits() -> None:
    space = gymnasium.make("affine/mult8-v0").observation_space
    for factor, inside in [(9_999_999, False), (10**7, True), (10**8 - 1, True), (10**8, False)]:
        assert space.contains(np.array([factor, 10**7])) == inside


class Counter(Game[int, int]):
    """A game of at most three steps, each with a reward."""

    id = "counter@0.1.0"
    spec_hash = ""
    max_steps = 3
    lowest_reward = -7
    action_space = observation_space = spaces.Discrete(9)

    def initial(self, random: np.random.Generator) -> int:
        return 0

    def step(
        self, state: int, action: int, random: np.random.Generator
    ) -> tuple[int, int, bool] | None:
        return None if action == 7 else (state + 1, 1, action == 8)

    def observe(self, state: int) -> np.int64:
        return np.int64(state)

    def truth(self, state: int) -> int:
        return state

    def difficulty(self, state: int) -> int:
        return state

    def prompt(self, state: int) -> str:
        return f"{state}?"

    def parse(self, line: str) -> int | None:
        return int(line) if line.isdigit() else None

    def best_reply(self, state: int) -> str:
        return "8"

    def any_reply(self, state: int, random: np.random.Generator) -> str:
        return "7"


def test_each_step_is_rewarded_up_to_a_limit_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, Counter.id, Counter())
    env = AffineEnv(Counter.id)
    played: list[tuple[list[int | None], list[Any]]] = [
        ([0, 0, 0], [(1, False, False), (1, False, False), (1, False, True)]),
        ([0, 8], [(1, False, False), (1, True, False)]),
        ([0, 0, 7], [(1, False, False), (1, False, False), (-9, True, False)]),
        ([0, None], [(1, False, False), (-8, True, False)]),
    ]
    for actions, want in played:
        env.reset(seed=1)
        assert [env.step(action)[1:4] for action in actions] == want
    assert play(Counter.id, CHALLENGE, lambda _: "0").reward == 3
    assert play(Counter.id, CHALLENGE, lambda asked: "0" if len(asked) == 1 else "x").reward == -7


def test_environments_do_not_share_spaces() -> None:
    one, other = gymnasium.make(ENVS[0]), gymnasium.make(ENVS[0])
    one.action_space.seed(1)
    sampled = [one.action_space.sample() for _ in range(20)]
    one.action_space.seed(1)
    other.action_space.seed(2)
    assert [one.action_space.sample() for _ in range(20)] == sampled


def test_hostile_messages_are_answered() -> None:
    prompt = play("mult8-v0", CHALLENGE, lambda _: None).messages[0]
    hostile: list[Any] = [None, 5, [], {}, {"role": "assistant", "content": None}]
    for message in hostile:
        assert replay("mult8-v0", CHALLENGE, [prompt, message]) == "WRONG_ROLE"
    lone = {"role": "assistant", "content": "\ud800"}
    assert replay("mult8-v0", CHALLENGE, [prompt, lone]) == "NOT_NORMALISED"
    nothing: Any = None
    assert replay("mult8-v0", CHALLENGE, nothing) == "TOO_SHORT"


def test_a_recorded_reply_has_at_most_640_bytes() -> None:
    assert normalise("\ud83d\ude00") == "\U0001f600"
    assert is_recorded("x" * 640)
    assert not is_recorded("x" * 641)
    long = play("mult8-v0", CHALLENGE, lambda _: "x" * 5000)
    assert (len(long.messages), long.reward, long.fault) == (2, 0, None)
    content = long.messages[1]["content"]
    assert content == recorded(content) == recorded("x" * 5000)
