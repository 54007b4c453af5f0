"""The constants of networks. Protocol §9.2 and §9.3."""

from typing import Any

from affine_envs.game import TwoPlayerGame
from affine_envs.golden import spec_hash
from affine_envs.registry import GAMES, POINTS, game_of


def _env(name: str, players: int, first: int, most: int) -> dict[str, Any]:
    hash = game_of(name).spec_hash
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


def rules_of(envs: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the constants of a local network. Raises ValueError for environments not here."""
    for id, constants in (envs or {}).items():
        if id not in GAMES and id not in POINTS:
            group = "an entry point of this name in the group affine_envs"
            raise ValueError(f"the network plays {id}: install the package that has {group}")
        game = game_of(id)
        found = spec_hash(id), 2 if isinstance(game, TwoPlayerGame) else 1
        expected = constants["specHash"], constants["players"]
        if found != expected:
            raise ValueError(
                f"the network plays {id} with the specHash and players {expected}, but {found} is "
                "installed: install the package with which the network began"
            )
    return LOCAL if envs is None else {**LOCAL, "envs": envs}


def plan_most(rules: dict[str, Any]) -> int:
    """Returns the greatest number of samples that a lane's plan can have. Protocol §6.5."""
    duels = int(rules["duelsMost"])
    players = {1: duels + 1, 2: duels}
    return sum(each["quotaMost"] * players[each["players"]] for each in rules["envs"].values())
