"""Rules of a local chain that its vector does not reach."""

import pytest

pytest.importorskip("sr25519", reason="needs the extra `verify`")

from affine_verify.chain import Neuron, View, _Replay

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
