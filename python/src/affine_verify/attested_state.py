"""An attested state, to begin with instead of a network's first. Protocol §9.1 and §9.4."""

from collections.abc import Mapping
from typing import Any

from affine_verify.buckets import Buckets, UnavailableError
from affine_verify.chain import Chain
from affine_verify.commitments import Attestation, Seal
from affine_verify.evidence import BLOCK_BYTES, MILLION
from affine_verify.state import State, root_of
from affine_verify.text import (
    fits,
    is_hash,
    is_text,
    is_uint,
    list_of,
    map_of,
    matching,
    parse,
    uint_to,
)

MINER = dict.fromkeys(("hotkey", "model", "revision", "chute"), is_text)
TALLY = list_of(is_uint, 4, 4)
DUEL = {
    "contender": MINER,
    "start": is_uint,
    "tallies": list_of(map_of(map_of(TALLY))),
    "verdicts": map_of(matching("win|hold|even")),
}
STATE = {
    "protocol": map_of(lambda _: True),
    "epoch": is_uint,
    "ratio": uint_to(MILLION - 1, 1),
    "champion?": MINER,
    "record": map_of(uint_to(MILLION)),
    "lastPlayed": map_of({"content": is_hash, "left?": is_uint}),
    "attested": map_of({"epoch": is_uint, "stake": matching("[1-9][0-9]{0,38}")}),
    "voters": map_of(uint_to(MILLION, 1)),
    "trust": map_of({"correct": is_uint, "incorrect": is_uint}),
    "heads": map_of(is_hash),
    "due": map_of(is_hash),
    "duels": list_of(DUEL),
}


def read_attested_state(
    chain: Chain, buckets: Buckets, rules: Mapping[str, Any], epoch: int
) -> State:
    """Returns the attested state that governs an epoch; raises UnavailableError without one.

    A reader believes it: the epochs before are not recomputed.
    """
    root, addresses = attested_root(chain, rules, epoch)
    for address in addresses:
        try:
            data = buckets.read(address, f"v1/states/{epoch}.json", BLOCK_BYTES)
            state = parse(data or b"")
        except ValueError:
            continue
        if is_state(state, rules, epoch) and root_of(state) == root:
            return state  # type: ignore[no-any-return]
    raise UnavailableError(
        f"no bucket serves v1/states/{epoch}.json with the attested root {root}; "
        "check that the buckets are the network's, or try again later"
    )


def attested_root(chain: Chain, rules: Mapping[str, Any], epoch: int) -> tuple[str, list[str]]:
    """Returns the root of an epoch's state that is believed, and its attesters' addresses.

    Raises UnavailableError if no root has more than half of the active stake. Protocol §9.4.
    """
    begin = epoch * rules["epochBlocks"]
    sealing = chain.views[begin + rules["sealBlock"]]
    ending = chain.views[begin + rules["epochBlocks"] - 1]
    active, stakes, addresses = 0, dict[str, int](), dict[str, list[str]]()
    for neuron in ending.neurons:
        slot, _ = ending.slot(neuron.hotkey)
        before = sealing.of(neuron.hotkey)
        if not (neuron.has_permit and before and isinstance(slot, Seal | Attestation)):
            continue
        stake = min(neuron.stake, before.stake)
        if 0 <= epoch - slot.epoch < rules["quorumEpochs"]:
            active += stake
        if isinstance(slot, Attestation) and slot.epoch == epoch:
            stakes[slot.root] = stakes.get(slot.root, 0) + stake
            addresses.setdefault(slot.root, []).append(slot.address)
    for root, stake in stakes.items():
        if 2 * stake > active:
            return root, addresses[root]
    lack = f"no state of epoch {epoch} is attested by more than half of the active stake"
    raise UnavailableError(f"{lack}; begin with an earlier epoch")


def is_state(value: object, rules: Mapping[str, Any], epoch: int) -> bool:
    """Reports whether a value is a state of an epoch that can be decided. Protocol §9.1."""
    if not (isinstance(value, dict) and fits(value, STATE)):
        return False
    miners = [duel["contender"]["hotkey"] for duel in value["duels"]]
    if "champion" in value:
        miners.append(value["champion"]["hotkey"])
    played = [min(epoch - duel["start"], rules["duelEpochs"]) for duel in value["duels"]]
    return (
        (value["protocol"], value["epoch"]) == (rules, epoch)
        and len(miners) == len(set(miners))
        and value["lastPlayed"].keys() >= set(miners)
        and ("champion" in value or not miners)
        and value["voters"].keys() >= value["due"].keys()
        and [len(duel["tallies"]) for duel in value["duels"]] == played
    )
