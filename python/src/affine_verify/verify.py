"""Recomputes a network's history, and reports flaws of validators. Protocol §5, §6 and §9."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from affine_envs.canonical_json import canonical_text
from affine_verify.buckets import Buckets, UnavailableError
from affine_verify.chain import Chain, View
from affine_verify.commitments import Attestation, Commitment, Seal
from affine_verify.evidence import (
    BLOCK_BYTES,
    NO_HEAD,
    Block,
    FaultError,
    Lane,
    Scope,
    Tallies,
    read_block,
    read_signed,
    require,
)
from affine_verify.state import (
    Acceptance,
    Decision,
    Miner,
    Snapshot,
    State,
    Validator,
    acceptance_of,
    counted_attestations,
    decide,
    first_state,
    quotas_of,
    root_of,
)

COPY_FAULTS = {"WRONG_HASH", "BAD_LINES", "WRONG_SIGNATURE", "WRONG_ROOT", "MISSING_BLOCK"}
"""Faults of the bytes in one bucket; the block may be valid in another one."""


@dataclass(frozen=True)
class Finding:
    """What a validator did, with its code: a flaw of §6.4, or a warning, which is not a flaw."""

    validator: str
    epoch: int
    code: str


@dataclass(frozen=True)
class EpochResult:
    """A recomputed epoch: the state after it, how it was decided, and the findings."""

    epoch: int
    root: str
    state: Mapping[str, Any]
    decision: Decision
    flaws: list[Finding]
    warnings: list[Finding]


def snapshot_of(view: View, rules: Mapping[str, Any]) -> Snapshot:
    """Returns what the chain's state before an epoch shows. Protocol §5.1."""
    validators, miners = {}, []
    for neuron in view.neurons:
        slot, block = view.slot(neuron.hotkey)
        if neuron.has_permit:
            given = slot if isinstance(slot, Attestation) else None
            validators[neuron.hotkey] = Validator(neuron.stake, given)
        if isinstance(slot, Commitment):
            miners.append(Miner(slot, block, neuron.registered))
    hotkeys = frozenset(neuron.hotkey for neuron in view.neurons)
    return Snapshot(rules, hotkeys, validators, miners)


@dataclass
class LaneResult:
    """A due, sealed lane: its tallies, or the code that voids it, or nothing if unavailable."""

    blocks: dict[str, Block] = field(default_factory=dict)
    tallies: Tallies | None = None
    fault: str | None = None
    missing: str | None = None


class Verifier:
    """Recomputes epochs one after the other, from the one that a state governs."""

    def __init__(
        self,
        chain: Chain,
        buckets: Buckets,
        rules: Mapping[str, Any],
        first_epoch: int = 0,
        state: State | None = None,
    ) -> None:
        self.chain = chain
        self.buckets = buckets
        self.rules = rules
        self.first_epoch = first_epoch
        self.state: State = state or first_state(rules, first_epoch)

    def epochs(self) -> Iterator[EpochResult]:
        """Yields every epoch whose last block the chain has.

        Raises UnavailableError where an attested lane is unavailable.
        """
        length = self.rules["epochBlocks"]
        while (self.state["epoch"] + 1) * length <= len(self.chain.hashes):
            audit = _Audit(self)
            decision = audit.decide()
            yield EpochResult(
                self.state["epoch"],
                root_of(decision.state),
                decision.state,
                decision,
                audit.findings(audit.flaws()),
                audit.findings(audit.warnings()),
            )
            self.state = decision.state


class _Audit:
    """One epoch: its evidence, its decision, and its findings."""

    def __init__(self, verifier: Verifier) -> None:
        self.chain, self.buckets = verifier.chain, verifier.buckets
        self.state, rules = verifier.state, verifier.rules
        self.epoch: int = self.state["epoch"]
        self.begin = self.epoch * rules["epochBlocks"]
        self.sealing = self.chain.views[self.begin + rules["sealBlock"]]
        self.ending = self.chain.views[self.begin + rules["epochBlocks"] - 1]
        self.snapshot = snapshot_of(self.ending, rules)
        self.counted = counted_attestations(self.state, self.snapshot)
        self.acceptance: Acceptance = acceptance_of(self.state["voters"], self.counted)
        self.seals = self._seals()
        self.addresses = {h: self._address(h) for h in sorted(self.state["voters"])}
        self.lanes: dict[str, LaneResult] = {}

    def decide(self) -> Decision:
        """Returns the decision, or raises UnavailableError. Protocol §6.5."""
        for hotkey in sorted(self.acceptance.attested & self.seals.keys()):
            lane = self.lane(hotkey)
            if lane.missing:
                where = f"block {lane.missing} of its attested lane is unavailable"
                raise UnavailableError(f"epoch {self.epoch}: {hotkey}: {where}; try again later")
        tallies = {h: lane.tallies for h, lane in self.lanes.items() if lane.tallies is not None}
        return decide(self.state, self.snapshot, self.seals, tallies)

    def findings(self, found: Iterable[tuple[str, str]]) -> list[Finding]:
        """Returns findings about validators, each once."""
        return [Finding(hotkey, self.epoch, code) for hotkey, code in dict.fromkeys(found)]

    def lane(self, hotkey: str) -> LaneResult:
        """Reads a due, sealed lane, once."""
        if hotkey not in self.lanes:
            self.lanes[hotkey] = self._read_lane(hotkey)
        return self.lanes[hotkey]

    def _seals(self) -> dict[str, str]:
        slots = {hotkey: self.sealing.slot(hotkey)[0] for hotkey in self.state["due"]}
        return {
            hotkey: slot.head
            for hotkey, slot in slots.items()
            if isinstance(slot, Seal) and slot.epoch == self.epoch
        }

    def _address(self, hotkey: str) -> str | None:
        """Returns the address that a voter announces at the end of the epoch. Protocol §6.4."""
        slot, _ = self.ending.slot(hotkey)
        return slot.address if isinstance(slot, Seal | Attestation) else None

    def _get(self, hotkey: str, path: str) -> bytes | None:
        address = self.addresses.get(hotkey)
        return None if address is None else self.buckets.read(address, path, BLOCK_BYTES)

    def _scope(self, validator: str) -> Scope:
        return Scope(self.chain.genesis, self.chain.netuid, validator, self.epoch)

    def _read_lane(self, hotkey: str) -> LaneResult:
        rules = self.state["protocol"]
        lane = Lane(
            scope=self._scope(hotkey),
            head=self.seals[hotkey],
            last_head=self.state["heads"].get(hotkey, NO_HEAD),
            commitment=self.state["due"][hotkey],
            beacon=self.chain.hashes[self.begin],
            champion=self.state["champion"]["hotkey"],
            quotas={
                duel["contender"]["hotkey"]: quotas_of(duel, rules, self.epoch)
                for duel in self.state["duels"]
            },
            spec_hashes={env: each["specHash"] for env, each in rules["envs"].items()},
        )
        result = LaneResult()
        attesters = sorted(self.acceptance.attesters.get(hotkey, set()))
        readers = dict.fromkeys([*attesters, hotkey, *self.addresses])

        def fetch(hash: str, read: Callable[[bytes], Block]) -> Block:
            for reader in readers:
                copy = self._copy(reader, hash, read)
                if isinstance(copy, Block):
                    result.blocks[hash] = copy
                    return copy
                require(copy in COPY_FAULTS, copy)
            result.missing = hash
            raise FaultError("MISSING_BLOCK")

        try:
            result.tallies = lane.read(fetch)
        except FaultError as fault:
            result.fault = fault.code
        return result

    def _copy(self, reader: str, hash: str, read: Callable[[bytes], Block]) -> Block | str:
        """Returns the block in a voter's bucket, or the code of what is wrong there."""
        try:
            data = self._get(reader, f"v1/blocks/{hash}.jsonl")
            return "MISSING_BLOCK" if data is None else read(data)
        except FaultError as fault:
            return fault.code

    def flaws(self) -> Iterator[tuple[str, str]]:
        """Yields voters that break a rule, with the code. Protocol §6.4."""
        for hotkey in self.addresses:
            slot, _ = self.ending.slot(hotkey)
            is_given = isinstance(slot, Attestation) and slot.epoch == self.epoch
            if is_given and hotkey in self.snapshot.validators and hotkey not in self.counted:
                yield hotkey, "WRONG_ROOT_ATTESTED"
        for hotkey in sorted(self.seals):
            fault = self.lane(hotkey).fault
            if fault:
                yield hotkey, fault
        for lane, attesters in sorted(self.acceptance.attesters.items()):
            if lane not in self.seals:
                yield from ((hotkey, "NEVER_SEALED") for hotkey in sorted(attesters))
                continue
            for hotkey in sorted({*attesters, lane}):
                yield from self._copy_flaws(hotkey, lane, hotkey in attesters)
        yield from self._state_flaws()

    def _copy_flaws(self, hotkey: str, lane: str, is_attester: bool) -> Iterator[tuple[str, str]]:
        """Compares a voter's copy of a lane with what was read. Protocol §6.4."""
        result = self.lane(lane)
        if result.missing and is_attester:
            yield hotkey, "COPY_MISSING"
        for hash, block in result.blocks.items():
            read = partial(_read_copy, hash=hash, original=block, scope=self._scope(lane))
            copy = self._copy(hotkey, hash, read)
            if copy == "SIGNED_TWICE":
                yield lane, copy
            elif copy == "MISSING_BLOCK":
                if is_attester:
                    yield hotkey, "COPY_MISSING"
            elif isinstance(copy, str):
                yield hotkey, copy

    def _state_flaws(self) -> Iterator[tuple[str, str]]:
        """Yields voters that serve another governing state, or none although they attested it."""
        text = canonical_text(self.state).encode()
        for hotkey in self.addresses:
            slot, _ = self.ending.slot(hotkey)
            attests = isinstance(slot, Attestation) and slot.epoch == self.epoch
            if not attests and hotkey not in self.state["due"]:
                continue
            data = self._get(hotkey, f"v1/states/{self.epoch}.json")
            if data is None and attests and slot.root == root_of(self.state):
                yield hotkey, "STATE_MISSING"
            if data not in (None, text):
                yield hotkey, "STATE_DIFFERS"

    def warnings(self) -> Iterator[tuple[str, str]]:
        """Yields validators whose bits or weights are unusual, which is not a flaw."""
        for lane, result in sorted(self.lanes.items()):
            attesters = self.acceptance.attesters[lane]
            if result.tallies is not None and attesters - {lane}:
                withheld = self.counted.keys() & self.addresses.keys() - attesters
                yield from ((hotkey, "BITS_WITHHELD") for hotkey in sorted(withheld))
        owed = self.ending.of(self._recipient() or "")
        for hotkey in sorted(self.snapshot.validators if owed else ()):
            given = {u for u, weight in self.ending.weights.get(hotkey, {}).items() if weight > 0}
            if owed and given and given != {owed.uid}:
                yield hotkey, "OTHER_WEIGHTS"

    def _recipient(self) -> str | None:
        """Returns the hotkey that all weight goes to in this epoch. Protocol §8.13."""
        beginning = self.chain.views[max(0, self.begin - 1)]
        champion = self.state.get("champion", {}).get("hotkey", "")
        owner = next((neuron.hotkey for neuron in beginning.neurons if neuron.uid == 0), None)
        return champion if beginning.of(champion) else owner


def _read_copy(data: bytes, hash: str, original: Block, scope: Scope) -> Block:
    """Returns a block that is equal to the original, or raises a FaultError. Protocol §6.4."""
    try:
        block = read_block(data, hash, scope)
    except FaultError as fault:
        if fault.code == "WRONG_HASH" and _is_twin(data, original, scope):
            raise FaultError("SIGNED_TWICE") from None
        raise
    require(data == original.data, "SIGNED_TWICE")
    return block


def _is_twin(data: bytes, original: Block, scope: Scope) -> bool:
    """Reports whether a validator signed another header for the height of its block."""
    try:
        return bool(read_signed(data, scope).header["height"] == original.header["height"])
    except FaultError:
        return False
