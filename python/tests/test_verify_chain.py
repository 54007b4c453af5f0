"""Rules of a local chain that its vector does not reach."""

from typing import Any

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from affine_verify.chain import Neuron, View, _Replay
from affine_verify.rules import LOCAL, rules_of

FIRST = {
    "format": "affine-chain/1",
    "netuid": 1,
    "neurons": [],
    "params": {
        "tempo": 3, "maxValidators": 2, "stakeThreshold": 0, "weightsRateLimit": 2,
        "commitmentBytes": 250, "maxUids": 4, "immunityPeriod": 4, "minNonImmuneUids": 1,
    },
}  # fmt: skip


def evicted(weights: dict[str, dict[int, int]], at: int, registered: tuple[int, ...]) -> int:
    """Returns the uid that leaves; o is the owner, and v has a permit like it."""
    replay = _Replay(FIRST)
    stakes = {"o": 20, "v": 20, "m": 0, "n": 0}
    neurons = [
        Neuron(uid, name, stake, stake > 0, block, block)
        for uid, ((name, stake), block) in enumerate(zip(stakes.items(), registered, strict=True))
    ]
    replay.view = View(tuple(neurons), {}, weights)
    return replay._evicted(at).uid


def test_evicts_by_emission_registration_and_uid() -> None:
    assert evicted({}, 9, (0, 0, 0, 0)) == 2
    assert evicted({}, 9, (0, 0, 2, 1)) == 3
    assert evicted({"v": {2: 1}}, 9, (0, 0, 0, 0)) == 3
    # The owner's weight for another counts, and one for itself; that of v for itself does not.
    assert evicted({"o": {2: 5}}, 9, (0, 0, 0, 0)) == 1
    assert evicted({"o": {0: 5}}, 9, (0, 0, 0, 0)) == 1
    assert evicted({"v": {1: 5}}, 9, (0, 0, 0, 0)) == 2


def test_evicts_the_young_where_few_are_old() -> None:
    assert evicted({}, 9, (0, 0, 9, 8)) == 3
    assert evicted({}, 9, (0, 0, 0, 8)) == 2


ENV: dict[str, Any] = {"specHash": "ab" * 32, "players": 2, "quotaFirst": 8, "quotaMost": 64}


WRONG: list[dict[str, Any]] = [
    {"specHash": "AB" * 32},
    {"players": 3},
    {"players": True},
    {"quotaFirst": 0},
    {"quotaMost": 4097},
    {"more": 1},
]
MANY = {f"nim@0.1.{i}": ENV for i in range(17)}


@pytest.mark.parametrize(
    "envs",
    [None, [], {}, {"nim": ENV}, {"Nim@0.1.0": ENV}, MANY]
    + [{"nim@0.1.0": {**ENV, **wrong}} for wrong in WRONG],
)
def test_refuses_wrong_environments_of_a_first_line(envs: object) -> None:
    _Replay({**FIRST, "envs": {"nim@0.1.0": ENV}})
    with pytest.raises(ValueError, match="wrong envs"):
        _Replay({**FIRST, "envs": envs})


def test_names_environments_that_are_not_here() -> None:
    assert rules_of(None) is LOCAL
    same = {**LOCAL["envs"]["mult8@0.1.0"], "quotaMost": 33}
    assert rules_of({"mult8@0.1.0": same})["envs"] == {"mult8@0.1.0": same}
    with pytest.raises(ValueError, match=r"plays go@0\.1\.0: install the package"):
        rules_of({"go@0.1.0": ENV})
    for wrong in ({"players": 2}, {"specHash": ENV["specHash"]}):
        with pytest.raises(ValueError, match=r"plays mult8@0\.1\.0 with"):
            rules_of({"mult8@0.1.0": {**same, **wrong}})
