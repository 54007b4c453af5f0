"""A history as `af-verify --json --samples` writes it: its samples played again, and counted."""

import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from processes import AF, needs_af
from vectors import ROOT

from affine_envs import play, play_game
from affine_envs.two_players import SIDES, Side

pytestmark = needs_af
AF_VERIFY = ["node", str(ROOT / "apps" / "verifier" / "bin" / "af-verify.js")]
Line = dict[str, Any]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    """The lines of a demo's history."""
    demo = tmp_path_factory.mktemp("history") / "demo"
    subprocess.run([*AF, "demo", "--seed", "7", "--out", str(demo)], check=True)
    words = [str(demo / "buckets"), "--network", str(demo / "chain.json"), "--json", "--samples"]
    done = subprocess.run([*AF_VERIFY, *words], capture_output=True, text=True, check=True)
    assert done.stdout.isascii()
    return [json.loads(line) for line in done.stdout.splitlines()]


def repeating(messages: list[dict[str, str]]) -> Callable[[object], str | None]:
    """Gives the replies again, then none."""
    replies = iter([each["content"] for each in messages if each["role"] == "assistant"])
    return lambda _: next(replies, None)


def rewards_of(sample: Line) -> dict[Side, float]:
    """What the sides' replies earn when they are played again; a game that was never begun: -1."""
    env, challenge = sample["env"], sample["challengeId"]
    said = {side: sample[side]["messages"] for side in SIDES}
    agents = {side: repeating(messages) for side, messages in said.items()}
    if not env.startswith("hex@"):
        return {side: play(env, challenge, agent).reward for side, agent in agents.items()}
    if all(each["role"] != "assistant" for messages in said.values() for each in messages):
        return dict.fromkeys(agents, -1)
    return {side: each.reward for side, each in play_game(env, challenge, agents).items()}


def of_type(history: list[Line], name: str) -> list[Line]:
    return [line for line in history if line["type"] == name]


def test_every_sample_replays_and_comes_before_its_epoch(history: list[Line]) -> None:
    epochs = {line["epoch"]: line for line in of_type(history, "epoch")}
    samples = of_type(history, "sample")
    for line in samples:
        sample, epoch = line["sample"], epochs[line["epoch"]]
        assert line["validator"] in epoch["report"]["lanes"]
        rewards = rewards_of(sample)
        for side in SIDES:
            assert sample[side]["miner"] == epoch[side]
            assert sample[side]["reward"] == rewards[side]
        lead = rewards["contender"] - rewards["champion"]
        assert sample["verdict"] == ("tie" if lead == 0 else "win" if lead > 0 else "loss")
    assert len(samples) > 1000
    order = [line["epoch"] for line in history if line["type"] in {"sample", "epoch"}]
    assert order == sorted(order)
    assert {each["report"].get("outcome") for each in epochs.values()} == {
        None,
        "champion",
        "contender",
    }


def test_samples_add_up_to_what_the_rule_counted(history: list[Line]) -> None:
    lanes = {line["epoch"]: line["report"]["lanes"] for line in of_type(history, "epoch")}
    counted: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    duel = ""
    for line in history:
        if line["type"] == "sample" and lanes[line["epoch"]][line["validator"]]["accepted"]:
            sample = line["sample"]
            duel = sample["duel"]
            counted[duel, line["validator"], sample["env"]][sample["verdict"]] += 1
        if line["type"] != "epoch":
            continue
        for env, look in line["report"]["envs"].items():
            for validator, tally in look["tallies"].items():
                here = counted[duel, validator, env]
                assert (here["win"], here["loss"]) == (tally["wins"], tally["losses"])
                assert here.total() == tally["played"]
    assert duel != ""
