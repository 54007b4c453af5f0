"""Recomputes a network's history, and reports flaws of validators. Protocol §5, §6 and §9."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from affine_envs.canonical_json import canonical_text
from affine_verify.buckets import Buckets, UnavailableError
from affine_verify.chain import Chain
from affine_verify.commitments import Attestation, Seal
from affine_verify.evidence import BLOCK_BYTES, Block, Lane, Scope, Tallies, read_block, read_signed
from affine_verify.judging import Rules
from affine_verify.state import State, accept, decide, quotas_of, read_state, root_of
from affine_verify.text import FaultError, require

COPY_FAULTS = {"WRONG_HASH", "BAD_LINES", "WRONG_SIGNATURE", "WRONG_ROOT", "MISSING_BLOCK"}
"""Faults of the bytes in one bucket; the block may be valid in another one."""

Findings = Iterator[tuple[str, str]]
"""Pairs of a validator and a code, of a flaw (§6.4) or of a warning."""


def recompute(chain: Chain, buckets: Buckets, state: State) -> Iterator["Epoch"]:
    """Yields the epochs that have ended on the chain, from the epoch that `state` governs on.

    Raises UnavailableError if an attested lane is unavailable.
    """
    while (state["epoch"] + 1) * state["protocol"]["epochBlocks"] <= len(chain.hashes):
        epoch = Epoch(chain, buckets, state)
        yield epoch
        state = epoch.decision.state


class Epoch:
    """A recomputed epoch: the decision, flaws and warnings.

    Raises UnavailableError if it cannot be decided. Protocol §6.5.
    """

    def __init__(self, chain: Chain, buckets: Buckets, state: State) -> None:
        self.buckets, self.state, self.number = buckets, state, state["epoch"]
        rules = state["protocol"]
        begin = self.number * rules["epochBlocks"]
        self.chain, self.beacon = chain, chain.hashes[begin]
        self.beginning = chain.views[max(0, begin - 1)]
        self.ending = chain.views[begin + rules["epochBlocks"] - 1]
        self.acceptance = accept(state, self.ending)
        self.slots = {hotkey: self.ending.slot(hotkey) for hotkey in sorted(state["voters"])}
        sealing = chain.views[begin + rules["sealBlock"]]
        slots = {hotkey: sealing.slot(hotkey) for hotkey in sorted(state["due"])}
        seals = {hotkey: slot for hotkey, slot in slots.items() if isinstance(slot, Seal)}
        self.seals = {h: seal.head for h, seal in seals.items() if seal.epoch == self.number}
        self.blocks: dict[str, dict[str, Block]] = {hotkey: {} for hotkey in self.seals}
        self.tallies, self.faults = dict[str, Tallies](), dict[str, str]()
        self.missing = dict[str, str]()
        for hotkey in self.seals:
            self._read_lane(hotkey)
        for hotkey in sorted(self.missing.keys() & self.acceptance.attested):
            where = f"block {self.missing[hotkey]} of its attested lane is unavailable"
            raise UnavailableError(f"epoch {self.number}: {hotkey}: {where}; try again later")
        self.decision = decide(state, self.ending, self.seals, self.tallies, rules)
        self.root = root_of(self.decision.state)
        self.flaws = [*dict.fromkeys([*self._voter_flaws(), *self._lane_flaws()])]
        self.warnings = [*dict.fromkeys(self._warnings())]

    def _get(self, hotkey: str, path: str) -> bytes | None:
        """Returns a file at the address that a voter announces at the epoch's end. §6.4."""
        slot = self.slots[hotkey]
        is_announced = isinstance(slot, Seal | Attestation)
        return self.buckets.read(slot.address, path, BLOCK_BYTES) if is_announced else None

    def _scope(self, hotkey: str) -> Scope:
        return Scope(self.chain.genesis, self.chain.netuid, hotkey, self.number)

    def _read_lane(self, hotkey: str) -> None:
        """Reads a sealed lane: its blocks, and its tallies or the code that voids it."""
        attesters = sorted(self.acceptance.attesters[hotkey])

        def fetch(hash: str, read: Callable[[bytes], Block]) -> Block:
            for reader in dict.fromkeys([*attesters, hotkey, *self.slots]):
                copy = self._copy(reader, hash, read)
                if isinstance(copy, Block):
                    self.blocks[hotkey][hash] = copy
                    return copy
                require(copy in COPY_FAULTS, copy)
            self.missing[hotkey] = hash
            raise FaultError("MISSING_BLOCK")

        quotas = quotas_of(self.state)
        lane = Lane(self._scope(hotkey), self.seals[hotkey], self.beacon, self.state, quotas)
        try:
            self.tallies[hotkey] = lane.read(fetch)
        except FaultError as fault:
            self.faults[hotkey] = str(fault)

    def _copy(self, reader: str, hash: str, read: Callable[[bytes], Block]) -> Block | str:
        """Returns the block in a voter's bucket, or the code of the fault of that copy."""
        try:
            data = self._get(reader, f"v1/blocks/{hash}.jsonl")
            return "MISSING_BLOCK" if data is None else read(data)
        except FaultError as fault:
            return str(fault)

    def _voter_flaws(self) -> Findings:
        """Yields voters that attest or serve a wrong state, or do not serve the attested state."""
        root, text = root_of(self.state), canonical_text(self.state).encode()
        for hotkey, slot in self.slots.items():
            given = slot.root if isinstance(slot, Attestation) and slot.epoch == self.number else ""
            neuron = self.ending.neurons.get(hotkey)
            if given and neuron and neuron.has_permit and given != root:
                yield hotkey, "WRONG_ROOT_ATTESTED"
            if given or hotkey in self.state["due"]:
                data = self._get(hotkey, f"v1/states/{self.number}.json")
                if data is None and given == root:
                    yield hotkey, "STATE_MISSING"
                if data not in (None, text):
                    yield hotkey, "STATE_DIFFERS"

    def _lane_flaws(self) -> Findings:
        """Yields validators of void lanes, and voters with bits of unsealed lanes or bad copies."""
        sealed = sum(1 << i for i, hotkey in enumerate(self.slots) if hotkey in self.seals)
        for hotkey in self.acceptance.counted.keys() & self.slots.keys():
            if int.from_bytes(self.acceptance.counted[hotkey].bitmap, "little") & ~sealed:
                yield hotkey, "NEVER_SEALED"
        for lane in self.seals:
            attesters = self.acceptance.attesters[lane]
            if lane in self.faults:
                yield lane, self.faults[lane]
            for hotkey in sorted({*attesters, lane}):
                yield from self._copy_flaws(hotkey, lane, hotkey in attesters)

    def _copy_flaws(self, hotkey: str, lane: str, is_attester: bool) -> Findings:
        """Compares a voter's copy of a lane with the blocks that were read. Protocol §6.4."""
        if lane in self.missing and is_attester:
            yield hotkey, "COPY_MISSING"
        for hash, block in self.blocks[lane].items():
            read = partial(_read_copy, hash=hash, original=block, scope=self._scope(lane))
            copy = self._copy(hotkey, hash, read)
            if copy == "SIGNED_TWICE":
                yield lane, copy
            elif copy == "MISSING_BLOCK":
                yield from [(hotkey, "COPY_MISSING")] if is_attester else []
            elif isinstance(copy, str):
                yield hotkey, copy

    def _warnings(self) -> Findings:
        """Yields validators whose bits or weights are unusual. Protocol §5.2 and §8.13."""
        for lane in self.tallies:
            attesters = self.acceptance.attesters[lane]
            if attesters - {lane}:
                withheld = self.acceptance.counted.keys() & self.slots.keys() - attesters
                yield from ((hotkey, "BITS_WITHHELD") for hotkey in sorted(withheld))
        before, ending = self.beginning.neurons, self.ending
        owner = next((hotkey for hotkey, neuron in before.items() if neuron.uid == 0), "")
        champion = self.state.get("champion", {}).get("hotkey", "")
        owed = ending.neurons.get(champion if champion in before else owner)
        for hotkey, neuron in ending.neurons.items():
            given = {uid for uid, weight in ending.weights.get(hotkey, {}).items() if weight > 0}
            if neuron.has_permit and owed and given and given != {owed.uid}:
                yield hotkey, "OTHER_WEIGHTS"


def _read_copy(data: bytes, hash: str, original: Block, scope: Scope) -> Block:
    """Returns a block that is equal to the original, or raises a FaultError. Protocol §6.4."""
    if data == original.data:
        return original
    is_twin = False
    with suppress(FaultError):
        header = read_signed(data, scope).header
        is_twin = header["height"] == original.header["height"] and header != original.header
    if not is_twin:
        read_block(data, hash, scope)
    raise FaultError("SIGNED_TWICE")


def read_attested_state(chain: Chain, buckets: Buckets, rules: Rules, epoch: int) -> State:
    """Returns the attested state that governs an epoch; raises UnavailableError without one.

    The state is believed: the epochs before are not recomputed.
    """
    root, addresses = attested_root(chain, rules, epoch)
    path = f"v1/states/{epoch}.json"
    for address in addresses:
        with suppress(FaultError):
            state = read_state(buckets.read(address, path, BLOCK_BYTES) or b"", rules, epoch)
            if root_of(state) == root:
                return state
    raise UnavailableError(
        f"no bucket serves {path} with the attested root {root}; "
        "check that the buckets are the network's, or try again later"
    )


def attested_root(chain: Chain, rules: Rules, epoch: int) -> tuple[str, list[str]]:
    """Returns the root that most stake attests for an epoch, and its attesters' addresses.

    Raises UnavailableError if no root has more than half of the active stake. Protocol §9.4.
    """
    begin = epoch * rules["epochBlocks"]
    sealing = chain.views[begin + rules["sealBlock"]].neurons
    ending = chain.views[begin + rules["epochBlocks"] - 1]
    active, votes = 0, dict[str, list[tuple[int, str]]]()
    for hotkey, neuron in ending.neurons.items():
        slot = ending.slot(hotkey)
        if neuron.has_permit and hotkey in sealing and isinstance(slot, Seal | Attestation):
            stake = min(neuron.stake, sealing[hotkey].stake)
            active += stake if 0 <= epoch - slot.epoch < rules["quorumEpochs"] else 0
            if isinstance(slot, Attestation) and slot.epoch == epoch:
                votes.setdefault(slot.root, []).append((stake, slot.address))
    for root, given in votes.items():
        if 2 * sum(stake for stake, _ in given) > active:
            return root, [address for _, address in given]
    lack = f"no state of epoch {epoch} is attested by more than half of the active stake"
    raise UnavailableError(f"{lack}; begin with an earlier epoch")
