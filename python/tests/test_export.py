"""The tables of `af export`, read by Python's own csv module, beside what `af-verify` says."""

import csv
import json
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processes import AF, needs_af
from vectors import ROOT

from affine_envs import play, play_game
from affine_envs.two_players import SIDES, Side

pytestmark = needs_af
AF_VERIFY = ["node", str(ROOT / "apps" / "verifier" / "bin" / "af-verify.js")]
Row = dict[str, str]


def lines_of(*words: str) -> list[dict[str, Any]]:
    done = subprocess.run([*words, "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The tables of a demo, and what is recomputed of its epochs."""
    out = tmp_path_factory.mktemp("history")
    subprocess.run([*AF, "demo", "--seed", "7", "--out", str(out / "demo")], check=True)
    network = ["--network", str(out / "demo" / "chain.json")]
    buckets = str(out / "demo" / "buckets")
    lines_of(*AF, "export", "--csv", str(out / "tables"), "--buckets", buckets, *network)
    verified = lines_of(*AF_VERIFY, buckets, *network)
    return out / "tables", [line for line in verified if line["type"] == "epoch"]


def rows_of(folder: Path, name: str) -> list[Row]:
    with (folder / f"{name}.csv").open(newline="", encoding="ascii") as file:
        return list(csv.DictReader(file, strict=True))


def repeating(cell: str) -> Callable[[object], str | None]:
    """Gives the replies of a cell again, then none."""
    replies = iter(json.loads(cell))
    return lambda _: next(replies, None)


def rewards_of(row: Row) -> dict[Side, float]:
    """What the sides' replies earn when they are played again; a game that was never begun: -1."""
    cells = {side: row[f"{side}_replies"] for side in SIDES}
    agents = {side: repeating(cell) for side, cell in cells.items()}
    env, challenge = row["env"], row["challenge"]
    if not env.startswith("hex@"):
        return {side: play(env, challenge, agent).reward for side, agent in agents.items()}
    if set(cells.values()) == {"[]"}:
        return dict.fromkeys(cells, -1)
    return {side: each.reward for side, each in play_game(env, challenge, agents).items()}


def test_epochs_and_their_looks(history: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, epochs = history
    rows = rows_of(folder, "epochs")
    assert [int(row["epoch"]) for row in rows] == [each["epoch"] for each in epochs]
    looks = {(row["epoch"], row["env"]): row for row in rows_of(folder, "environments")}
    outcomes = set()
    for row, each in zip(rows, epochs, strict=True):
        report = each["report"]
        assert row["next_root"] == each["root"]
        assert row["champion"] == (each["champion"] or "")
        assert row["frozen"] == str(report["frozen"]).lower()
        assert row["outcome"] == report.get("outcome", "")
        assert row["crowned"] == each.get("crowned", "")
        outcomes.add(row["outcome"])
        for env, look in report["envs"].items():
            cells = looks.pop((row["epoch"], env))
            assert cells["verdict"] == look.get("given", "")
            for kind in ("win", "hold"):
                for name, key in (("won", "wins"), ("trials", "trials")):
                    count = int(look[kind][key]) / 1e6
                    assert float(cells[f"{kind}_{name}"]) == pytest.approx(count)
    assert looks == {}
    assert outcomes == {"", "champion", "contender"}


def test_lanes_add_up_to_what_the_rule_counted(history: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, epochs = history
    lanes = {(row["epoch"], row["validator"], row["env"]): row for row in rows_of(folder, "lanes")}
    sums: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    duel_of = {row["epoch"]: row["duel"] for row in rows_of(folder, "epochs")}
    for each in epochs:
        epoch, report = str(each["epoch"]), each["report"]
        for env, look in report["envs"].items():
            for validator, lane in report["lanes"].items():
                row = lanes.pop((epoch, validator, env))
                for name in ("sealed", "attested", "accepted"):
                    assert row[name] == str(lane[name]).lower()
                assert row["set_aside"] == str(env in lane["setAside"]).lower()
                if row["accepted"] == "true":
                    counts = {name: int(row[name]) for name in ("won", "lost", "played")}
                    sums[duel_of[epoch], validator, env].update(counts)
            for validator, tally in look["tallies"].items():
                counted = sums[duel_of[epoch], validator, env]
                assert (counted["won"], counted["lost"]) == (tally["wins"], tally["losses"])
                assert counted["played"] == tally["played"]
    assert lanes == {}
    assert any(len(each["report"]["lanes"]) > 1 for each in epochs)


def test_every_sample_replays(history: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = history
    samples = rows_of(folder, "samples")
    counted: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for row in samples:
        rewards = rewards_of(row)
        for side, reward in rewards.items():
            assert row[f"{side}_reward"] == str(int(reward))
        lead = rewards["contender"] - rewards["champion"]
        assert row["verdict"] == ("tie" if lead == 0 else "win" if lead > 0 else "loss")
        counted[row["epoch"], row["validator"], row["env"]][row["verdict"]] += 1
    assert len(samples) > 1000
    for row in rows_of(folder, "lanes"):
        if row["played"] == "":
            continue
        here = counted.pop((row["epoch"], row["validator"], row["env"]))
        assert (here["win"], here["loss"]) == (int(row["won"]), int(row["lost"]))
        assert here.total() == int(row["played"])
    assert counted == {}


def test_trust_is_in_the_row_of_its_epoch(history: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = history
    for row in rows_of(folder, "trust"):
        good, bad = 1 + float(row["correct"]), 1 + float(row["incorrect"])
        assert int(row["trust_ppm"]) == pytest.approx(1e6 * good / (good + bad), abs=1)
