"""Replays and counts the samples of a history written by `af-verify --json --samples`."""

import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from processes import needs_af
from vectors import ROOT, unpack

from affine_envs import play, play_game
from affine_envs.two_players import SIDES

pytestmark = needs_af
AF_VERIFY = ["node", str(ROOT / "apps" / "verifier" / "bin" / "af-verify.js")]
Line = dict[str, Any]


@pytest.fixture(scope="module", params=["the-contender-wins", "the-champion-wins"])
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    """Returns the lines of a history of three epochs, the last with a duel."""
    folder = unpack(request.param, tmp_path_factory.mktemp("history"))
    words = [str(folder / "buckets"), "--network", str(folder / "chain.jsonl")]
    words = [*AF_VERIFY, *words, "--json", "--samples"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.isascii()
    return [json.loads(line) for line in done.stdout.splitlines()]


def repeating(messages: list[dict[str, str]]) -> Callable[[object], str | None]:
    """Returns an agent that gives these replies, and then none."""
    replies = iter([each["content"] for each in messages if each["role"] == "assistant"])
    return lambda _: next(replies, None)


def replayed(sample: Line) -> dict[str, float]:
    """Returns the rewards of a sample's replies by miner when replayed. -1 in games never begun."""
    env, challenge = sample["env"], sample["challengeId"]
    if "miner" in sample:
        played = play(env, challenge, repeating(sample["messages"]))
        return {sample["miner"]: played.reward}
    recorded = {side: sample[side]["messages"] for side in SIDES}
    miners = {side: sample[side]["miner"] for side in SIDES}
    if not any(recorded.values()):
        return dict.fromkeys(miners.values(), -1)
    agents = {side: repeating(messages) for side, messages in recorded.items()}
    games = play_game(env, challenge, agents)
    return {miners[side]: game.reward for side, game in games.items()}


def rewards_of(sample: Line) -> dict[str, float]:
    """Returns the rewards recorded in a sample."""
    if "miner" in sample:
        return {sample["miner"]: sample["reward"]}
    return {sample[side]["miner"]: sample[side]["reward"] for side in SIDES}


def of_type(history: list[Line], name: str) -> list[Line]:
    return [line for line in history if line["type"] == name]


def test_every_sample_replays_and_comes_before_its_epoch(history: list[Line]) -> None:
    epochs = {line["epoch"]: line for line in of_type(history, "epoch")}
    samples = of_type(history, "sample")
    for line in samples:
        sample, epoch = line["sample"], epochs[line["epoch"]]
        assert line["validator"] in epoch["report"]["lanes"]
        rewards = rewards_of(sample)
        assert rewards == replayed(sample)
        assert rewards.keys() <= {epoch["champion"], *epoch["contenders"]}
    assert len(samples) > 600
    order = [line["epoch"] for line in history if line["type"] in {"sample", "epoch"}]
    assert order == sorted(order)
    [*_, last] = epochs.values()
    [duel] = last["report"]["duels"]
    has_won = "crowned" in last["report"]
    assert duel["standing"] == ("won" if has_won else "lost")


def results_of(rewards: Iterable[dict[str, float]], champion: str, contender: str) -> Counter[str]:
    """Counts the common challenges that a contender won, lost and tied with the champion."""
    leads = [each[contender] - each[champion] for each in rewards if contender in each]
    return Counter("tie" if lead == 0 else "win" if lead > 0 else "loss" for lead in leads)


def test_samples_add_up_to_what_the_rule_counted(history: list[Line]) -> None:
    counted: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    lanes: defaultdict[tuple[str, str], defaultdict[str, dict[str, float]]]
    lanes = defaultdict(lambda: defaultdict(dict))
    analyses = 0
    for line in history:
        if line["type"] == "sample":
            sample = line["sample"]
            lane = lanes[line["validator"], sample["env"]]
            lane[sample["challengeId"]].update(rewards_of(sample))
        if line["type"] != "epoch":
            continue
        for (validator, env), rewards in lanes.items():
            if line["report"]["lanes"][validator]["accepted"]:
                for contender in line["contenders"]:
                    results = results_of(rewards.values(), line["champion"], contender)
                    counted[contender, validator, env] += results
        lanes.clear()
        for duel in line["report"]["duels"]:
            for env, analysis in duel["envs"].items():
                for validator, tally in analysis["tallies"].items():
                    here = counted[duel["contender"]["hotkey"], validator, env]
                    assert (here["win"], here["loss"]) == (tally["wins"], tally["losses"])
                    assert here.total() == tally["played"]
                    analyses += 1
    assert analyses == 16
