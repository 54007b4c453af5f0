"""An attested state, to begin with instead of a network's first. Protocol §9.1 and §9.4."""

from contextlib import suppress
from typing import Any

from affine_verify.buckets import Buckets, UnavailableError
from affine_verify.chain import Chain
from affine_verify.commitments import Attestation, Commitment, Seal
from affine_verify.evidence import BLOCK_BYTES, MILLION
from affine_verify.judging import Rules
from affine_verify.shapes import fits, int_to, is_hash, is_text, is_uint, list_of, map_of, matching
from affine_verify.state import State, name_of, root_of
from affine_verify.text import FaultError, parse

MINER = dict.fromkeys(Commitment._fields, is_text)
DUEL = {
    "contender": MINER,
    "start": is_uint,
    "tallies": list_of(map_of(map_of(list_of(is_uint, 4, 4)))),
    "verdicts": map_of(matching("win|hold|even")),
}
STATE = {
    "protocol": map_of(lambda _: True),
    "epoch": is_uint,
    "ratio": int_to(MILLION - 1, 1),
    "champion?": MINER,
    "record": map_of(int_to(MILLION)),
    "lastPlayed": map_of({"content": is_hash, "left?": is_uint}),
    "attested": map_of({"epoch": is_uint, "stake": matching("[1-9][0-9]{0,38}")}),
    "voters": map_of(int_to(MILLION, 1)),
    "trust": map_of({"correct": is_uint, "incorrect": is_uint}),
    "heads": map_of(is_hash),
    "due": map_of(is_hash),
    "duels": list_of(DUEL),
}


def read_attested_state(chain: Chain, buckets: Buckets, rules: Rules, epoch: int) -> State:
    """Returns the attested state that governs an epoch; raises UnavailableError without one.

    A reader believes it: the epochs before are not recomputed.
    """
    root, addresses = attested_root(chain, rules, epoch)
    path = f"v1/states/{epoch}.json"
    for address in addresses:
        with suppress(FaultError):
            state = parse(buckets.read(address, path, BLOCK_BYTES) or b"", STATE, "BAD_STATE")
            if is_state(state, rules, epoch) and root_of(state) == root:
                return state  # type: ignore[no-any-return]
    raise UnavailableError(
        f"no bucket serves {path} with the attested root {root}; "
        "check that the buckets are the network's, or try again later"
    )


def attested_root(chain: Chain, rules: Rules, epoch: int) -> tuple[str, list[str]]:
    """Returns the root of an epoch's state that is believed, and its attesters' addresses.

    Raises UnavailableError if no root has more than half of the active stake. Protocol §9.4.
    """
    begin = epoch * rules["epochBlocks"]
    sealing = chain.views[begin + rules["sealBlock"]].neurons
    ending = chain.views[begin + rules["epochBlocks"] - 1]
    active, stakes, addresses = 0, dict[str, int](), dict[str, list[str]]()
    for hotkey, neuron in ending.neurons.items():
        slot = ending.slot(hotkey)
        if neuron.has_permit and hotkey in sealing and isinstance(slot, Seal | Attestation):
            stake = min(neuron.stake, sealing[hotkey].stake)
            active += stake if 0 <= epoch - slot.epoch < rules["quorumEpochs"] else 0
            if isinstance(slot, Attestation) and slot.epoch == epoch:
                stakes[slot.root] = stakes.get(slot.root, 0) + stake
                addresses.setdefault(slot.root, []).append(slot.address)
    for root, stake in stakes.items():
        if 2 * stake > active:
            return root, addresses[root]
    lack = f"no state of epoch {epoch} is attested by more than half of the active stake"
    raise UnavailableError(f"{lack}; begin with an earlier epoch")


def is_state(value: Any, rules: Rules, epoch: int) -> bool:
    """Reports whether a value is a state of an epoch that can be decided. Protocol §9.1."""
    if not fits(value, STATE):
        return False
    duels, throne = value["duels"], [value["champion"]["hotkey"]] if "champion" in value else []
    miners = [*throne, *map(name_of, duels)]
    played = [min(epoch - duel["start"], rules["duelEpochs"]) for duel in duels]
    return (
        (value["protocol"], value["epoch"]) == (rules, epoch)
        and len(miners) == len(set(miners))
        and value["lastPlayed"].keys() >= set(miners)
        and (not duels or len(throne) == 1)
        and value["voters"].keys() >= value["due"].keys()
        and [len(duel["tallies"]) for duel in duels] == played
    )
