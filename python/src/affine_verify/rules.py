"""The constants of networks. Protocol §9.2 and §9.3."""

from typing import Any

from affine_envs.registry import GAMES


def _env(name: str, players: int, first: int, most: int) -> dict[str, Any]:
    hash = GAMES[name].spec_hash
    return {"specHash": hash, "players": players, "quotaFirst": first, "quotaMost": most}


MAIN: dict[str, Any] = {
    "envs": {
        "hex@0.1.0": _env("hex@0.1.0", 2, 8, 64),
        "mult8@0.1.0": _env("mult8@0.1.0", 1, 32, 512),
        "pack@0.1.0": _env("pack@0.1.0", 1, 32, 512),
        "tictactoe@0.1.0": _env("tictactoe@0.1.0", 1, 32, 512),
    },
    "templates": "6d2072132b084380365270d1ecc5e66602cbfdce780dc5c94fd7e707880297aa",
    "epochBlocks": 360,
    "sealBlock": 240,
    "validatorsMost": 128,
    "quorumEpochs": 20,
    "cap": 5000,
    "minTrials": 10,
    "zSquaredPpm": 8122500,
    "holdOffset": 30,
    "holdSlopePpm": 30000,
    "floorZSquaredPpm": 6002500,
    "aloneZSquaredPpm": 12250000,
    "margin": 1,
    "duelsMost": 8,
    "duelEpochs": 8,
    "outlierZSquared": 36,
    "evenEpoch": 5,
    "evenPpm": 50000,
    "trustFadePpm": 937500,
    "ratioFloorPpm": 510000,
    "ratioCeilingPpm": 800000,
    "ratioDecayPpm": 951695,
    "ratchetZSquaredPpm": 2706025,
}
LOCAL: dict[str, Any] = {
    **MAIN,
    "envs": {
        **MAIN["envs"],
        "hex@0.1.0": _env("hex@0.1.0", 2, 4, 24),
        "pack@0.1.0": _env("pack@0.1.0", 1, 16, 128),
    },
    "epochBlocks": 30,
    "sealBlock": 20,
    "cap": 500,
    "holdOffset": 20,
    "holdSlopePpm": 60000,
}


def plan_most(rules: dict[str, Any]) -> int:
    """Returns the greatest number of samples that a lane's plan can have. Protocol §6.5."""
    duels = int(rules["duelsMost"])
    players = {1: duels + 1, 2: duels}
    return sum(each["quotaMost"] * players[each["players"]] for each in rules["envs"].values())
