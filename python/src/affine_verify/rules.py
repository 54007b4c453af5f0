"""The constants of a local network. Protocol §9.2 and §9.3."""

from typing import Any

from affine_envs.golden import spec_hash
from affine_envs.registry import GAMES, POINTS, game_of
from affine_verify.evidence import is_game


def _envs(**quotas: tuple[int, int]) -> dict[str, Any]:
    """Returns the constants of environments, in version 0.1.0, by first and greatest quota."""
    envs = {}
    for name, (first, most) in quotas.items():
        id = f"{name}@0.1.0"
        fixed = {"specHash": game_of(id).spec_hash, "players": 1 + is_game(id)}
        envs[id] = {**fixed, "quotaFirst": first, "quotaMost": most}
    return envs


LOCAL: dict[str, Any] = {
    "envs": _envs(hex=(4, 24), mult8=(32, 512), pack=(16, 128), tictactoe=(32, 512)),
    "templates": "6d2072132b084380365270d1ecc5e66602cbfdce780dc5c94fd7e707880297aa",
    "epochBlocks": 30,
    "sealBlock": 20,
    "validatorsMost": 128,
    "quorumEpochs": 20,
    "cap": 500,
    "minTrials": 10,
    "zSquaredPpm": 8122500,
    "holdOffset": 20,
    "holdSlopePpm": 60000,
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


class UsageError(ValueError):
    """An argument is wrong, or names a network that cannot be verified here."""


def rules_of(envs: dict[str, Any] | None) -> dict[str, Any]:
    """Returns a network's constants. Raises a UsageError if they differ from the installed code."""
    for id, constants in (envs or {}).items():
        is_here = id in GAMES or id in POINTS
        found = (spec_hash(id), 1 + is_game(id)) if is_here else "none"
        expected = constants["specHash"], constants["players"]
        if found != expected:
            raise UsageError(
                f"--network: it plays {id} with the specHash and players {expected}, but {found} "
                "is installed: install the package with which it began, which has an entry point "
                "of this name in the group affine_envs"
            )
    return {**LOCAL, "envs": envs or LOCAL["envs"]}


def plan_most(rules: dict[str, Any]) -> int:
    """Returns the greatest number of samples that a lane's plan can have. Protocol §6.5."""
    duels = int(rules["duelsMost"])
    players = {1: duels + 1, 2: duels}
    return sum(each["quotaMost"] * players[each["players"]] for each in rules["envs"].values())
