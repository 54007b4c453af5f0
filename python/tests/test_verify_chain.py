"""Tests rules of chains that no vector tests: eviction, environments and believed states."""

from typing import Any

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from affine_verify.buckets import UnavailableError
from affine_verify.chain import Chain, Neuron, View
from affine_verify.commitments import read_slot
from affine_verify.rules import LOCAL, rules_of
from affine_verify.verify import attested_root

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
    """Returns the uid evicted at block `at`. The owner is `o`, and `o` and `v` have permits."""
    chain = Chain(FIRST)
    stakes = {"o": 20, "v": 20, "m": 0, "n": 0}
    neurons = {
        name: Neuron(uid, stake, stake > 0, block, block)
        for uid, ((name, stake), block) in enumerate(zip(stakes.items(), registered, strict=True))
    }
    chain.view = View(neurons, {}, weights)
    return neurons[chain._evicted(at)].uid


def test_evicts_by_emission_registration_and_uid() -> None:
    assert evicted({}, 9, (0, 0, 0, 0)) == 2
    assert evicted({}, 9, (0, 0, 2, 1)) == 3
    assert evicted({"v": {2: 1}}, 9, (0, 0, 0, 0)) == 3
    # The owner's weights count, even its weight for itself. The weight of v for itself does not.
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
    Chain({**FIRST, "envs": {"nim@0.1.0": ENV}})
    with pytest.raises(ValueError, match="wrong members"):
        Chain({**FIRST, "envs": envs})


def test_names_environments_that_are_not_here() -> None:
    assert rules_of(None) == LOCAL
    same = {**LOCAL["envs"]["mult8@0.1.0"], "quotaMost": 33}
    assert rules_of({"mult8@0.1.0": same})["envs"] == {"mult8@0.1.0": same}
    with pytest.raises(ValueError, match=r"plays go@0\.1\.0 with .* but none is installed"):
        rules_of({"go@0.1.0": ENV})
    for wrong in ({"players": 2}, {"specHash": ENV["specHash"]}):
        with pytest.raises(ValueError, match=r"plays mult8@0\.1\.0 with"):
            rules_of({"mult8@0.1.0": {**same, **wrong}})


EPOCH = 40
ROOT = "a" * 64


def attest(epoch: int, root: str = ROOT) -> tuple[bytes, ...]:
    text = b"\1\2" + epoch.to_bytes(4, "little") + bytes(48) + bytes.fromhex(root)
    return text, b"bucket"


def seal(epoch: int) -> tuple[bytes, ...]:
    return b"\1\1" + epoch.to_bytes(4, "little") + bytes(32), b"bucket"


Slots = dict[str, tuple[int, int, tuple[bytes, ...]]]
BELIEVED: dict[str, tuple[Slots, bool]] = {
    "more than half": ({"a": (6, 6, attest(40)), "b": (5, 5, attest(40, "b" * 64))}, True),
    "half": ({"a": (5, 5, attest(40)), "b": (5, 5, seal(40))}, False),
    "idle does not count": ({"a": (5, 5, attest(40)), "b": (9, 9, ())}, True),
    "active long ago does not count": ({"a": (5, 5, attest(40)), "b": (9, 9, seal(20))}, True),
    "active lately counts": ({"a": (5, 5, attest(40)), "b": (9, 9, seal(21))}, False),
    "a later slot does not count": ({"a": (5, 5, attest(40)), "b": (9, 9, attest(41))}, True),
    "borrowed stake does not count": ({"a": (1, 9, attest(40)), "b": (2, 2, seal(40))}, False),
    "returned stake does not count": ({"a": (9, 1, attest(40)), "b": (2, 2, seal(40))}, False),
    "an old attestation": ({"a": (5, 5, attest(39))}, False),
    "no permit": ({"a": (5, 0, attest(40))}, False),
}


def view_of(stakes: dict[str, int], slots: Slots) -> View:
    neurons = {name: Neuron(0, stake, stake > 0, 0, 0) for name, stake in stakes.items()}
    given = {name: (read_slot(fields, name), 0) for name, (*_, fields) in slots.items()}
    return View(neurons, given, {})


@pytest.mark.parametrize("what", BELIEVED)
def test_believes_a_state_that_most_active_stake_attests(what: str) -> None:
    slots, is_believed = BELIEVED[what]
    sealing = view_of({name: before for name, (before, _, _) in slots.items()}, slots)
    ending = view_of({name: after for name, (_, after, _) in slots.items()}, slots)
    begin = EPOCH * LOCAL["epochBlocks"]
    chain = Chain(FIRST)
    chain.views = [View({}, {}, {})] * begin + [sealing] * 21 + [ending] * 9
    if is_believed:
        assert attested_root(chain, LOCAL, EPOCH) == (ROOT, ["bucket"])
    else:
        with pytest.raises(UnavailableError, match="begin with an earlier epoch"):
            attested_root(chain, LOCAL, EPOCH)
