"""Recomputes a network's history, and reports flaws of validators. Protocol §5, §6 and §9."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from affine_envs.canonical_json import canonical_text
from affine_verify.buckets import Buckets, TooLargeError
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
    is_another,
    read_block,
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

COPY_FAULTS = {
    "WRONG_HASH", "BAD_HEADER", "BAD_LINES", "WRONG_SIGNATURE", "WRONG_ROOT", "MISSING_BLOCK",
}  # fmt: skip
"""Faults of bytes that are not the block; another bucket may have it. Protocol §6.5."""


class UnavailableError(Exception):
    """An attested lane cannot be read, so the epoch cannot be decided. Protocol §6.5."""


@dataclass(frozen=True)
class Flaw:
    """What a validator did against the rules, with the code of a table in the README."""

    validator: str
    epoch: int
    code: str


@dataclass(frozen=True)
class EpochResult:
    """A recomputed epoch: the state after it, how it was decided, and the flaws found."""

    epoch: int
    root: str
    state: Mapping[str, Any]
    decision: Decision
    flaws: list[Flaw]


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

    blocks: dict[str, bytes] = field(default_factory=dict)
    tallies: Tallies | None = None
    fault: str | None = None
    missing: str | None = None


class Verifier:
    """Recomputes epochs one after the other from a network's first."""

    def __init__(
        self, chain: Chain, buckets: Buckets, rules: Mapping[str, Any], first_epoch: int = 0
    ) -> None:
        self.chain = chain
        self.buckets = buckets
        self.rules = rules
        self.state: State = first_state(rules, first_epoch)
        self.first_epoch = first_epoch

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
                audit.flaws(decision),
            )
            self.state = decision.state


class _Audit:
    """One epoch: its evidence, its decision, and its flaws."""

    def __init__(self, verifier: Verifier) -> None:
        self.chain, self.buckets = verifier.chain, verifier.buckets
        self.state, self.rules = verifier.state, verifier.rules
        self.is_first = verifier.state["epoch"] == verifier.first_epoch
        self.epoch: int = self.state["epoch"]
        self.begin = self.epoch * self.rules["epochBlocks"]
        self.sealing = self.chain.views[self.begin + self.rules["sealBlock"]]
        self.ending = self.chain.views[self.begin + self.rules["epochBlocks"] - 1]
        self.snapshot = snapshot_of(self.ending, self.rules)
        self.counted = counted_attestations(self.state, self.snapshot)
        self.acceptance: Acceptance = acceptance_of(self.state["voters"], self.counted)
        self.seals = self._seals()
        self.addresses = {h: self._address(h) for h in sorted(self.state["voters"])}
        self.lanes: dict[str, LaneResult] = {}

    def decide(self) -> Decision:
        """Returns the decision, or raises UnavailableError. Protocol §6.5."""
        for hotkey in sorted(self.acceptance.attested & self.state["due"].keys()):
            if hotkey not in self.seals:
                continue
            lane = self.lane(hotkey)
            if lane.missing:
                where = f"block {lane.missing} of its attested lane is unavailable"
                raise UnavailableError(f"epoch {self.epoch}: {hotkey}: {where}; try again later")
        tallies = {h: lane.tallies for h, lane in self.lanes.items() if lane.tallies is not None}
        return decide(self.state, self.snapshot, self.seals, tallies)

    def flaws(self, decision: Decision) -> list[Flaw]:
        """Returns the flaws of all voters in this epoch, each once."""
        found = [*self._slot_flaws(), *self._lane_flaws(), *self._state_flaws()]
        return [Flaw(hotkey, self.epoch, code) for hotkey, code in dict.fromkeys(found)]

    def lane(self, hotkey: str) -> LaneResult:
        """Reads a due, sealed lane, once."""
        if hotkey not in self.lanes:
            self.lanes[hotkey] = self._read_lane(hotkey)
        return self.lanes[hotkey]

    def _seals(self) -> dict[str, str]:
        seals = {}
        for hotkey in self.state["due"]:
            slot, _ = self.sealing.slot(hotkey)
            if isinstance(slot, Seal) and slot.epoch == self.epoch:
                seals[hotkey] = slot.head
        return seals

    def _address(self, hotkey: str) -> str | None:
        """Returns the address that a voter announces: at the end, or else with its seal."""
        for view in (self.ending, self.sealing):
            slot, _ = view.slot(hotkey)
            if isinstance(slot, Seal | Attestation):
                return slot.address
        return None

    def _get(self, hotkey: str, path: str) -> bytes | None:
        address = self.addresses.get(hotkey)
        return None if address is None else self.buckets.read(address, path, BLOCK_BYTES)

    def _read_lane(self, hotkey: str) -> LaneResult:
        result = LaneResult()
        by = sorted(self.acceptance.attesters.get(hotkey, set()))
        readers = list(dict.fromkeys([*by, hotkey, *self.addresses]))
        duels = self.state["duels"]
        quotas = {
            duel["contender"]["hotkey"]: quotas_of(duel, self.state["protocol"], self.epoch)
            for duel in duels
        }
        lane = Lane(
            scope=Scope(self.chain.genesis, self.chain.netuid, hotkey, self.epoch),
            head=self.seals[hotkey],
            last_head=self.state["heads"].get(hotkey, NO_HEAD),
            commitment=self.state["due"][hotkey],
            beacon=self.chain.hashes[self.begin],
            champion=self.state["champion"]["hotkey"],
            quotas=quotas,
            spec_hashes={e: v["specHash"] for e, v in self.state["protocol"]["envs"].items()},
        )

        def fetch(hash: str, read: Callable[[bytes], Block]) -> Block:
            for reader in readers:
                data, fault = self._copy(reader, hash, read)
                if isinstance(data, Block):
                    return data
                if fault not in COPY_FAULTS:
                    raise FaultError(fault)
            result.missing = hash
            raise FaultError("MISSING_BLOCK")

        def keep(hash: str, read: Callable[[bytes], Block]) -> Block:
            def read_and_keep(data: bytes) -> Block:
                block = read(data)
                result.blocks[hash] = data
                return block

            return fetch(hash, read_and_keep)

        try:
            result.tallies = lane.read(keep)
        except FaultError as fault:
            result.fault = fault.code
        return result

    def _copy(
        self, reader: str, hash: str, read: Callable[[bytes], Block]
    ) -> tuple[Block | None, str]:
        """Returns the block in a voter's bucket, or the code of what is wrong there."""
        try:
            data = self._get(reader, f"v1/blocks/{hash}.jsonl")
            return (read(data), "") if data is not None else (None, "MISSING_BLOCK")
        except TooLargeError:
            return None, "BAD_LINES"
        except FaultError as fault:
            return None, fault.code

    def _slot_flaws(self) -> Iterator[tuple[str, str]]:
        """Yields voters whose attestation of this epoch has another root. Protocol §5.2."""
        for hotkey in sorted(self.state["voters"]):
            slot, _ = self.ending.slot(hotkey)
            is_given = isinstance(slot, Attestation) and slot.epoch == self.epoch
            if is_given and hotkey in self.snapshot.validators and hotkey not in self.counted:
                yield hotkey, "WRONG_ROOT_ATTESTED"

    def _lane_flaws(self) -> Iterator[tuple[str, str]]:
        """Yields validators of void lanes, and voters that attest or serve what is not valid."""
        for hotkey in sorted(self.state["due"]):
            if hotkey in self.seals:
                fault = self.lane(hotkey).fault
                if fault:
                    yield hotkey, fault
        for lane, attesters in sorted(self.acceptance.attesters.items()):
            sealed = lane in self.seals
            for hotkey in sorted(attesters if sealed else ()):
                yield from self._copy_flaws(hotkey, lane, is_attester=True)
            for hotkey in sorted(() if sealed else attesters):
                yield hotkey, "NEVER_SEALED"
            if sealed and lane not in attesters:
                yield from self._copy_flaws(lane, lane, is_attester=False)

    def _copy_flaws(self, hotkey: str, lane: str, is_attester: bool) -> Iterator[tuple[str, str]]:
        """Compares a voter's copy of a lane with what was read. Protocol §6.4."""
        result = self.lane(lane)
        if result.missing and is_attester:
            yield hotkey, "COPY_MISSING"
            return
        for hash, valid in result.blocks.items():
            scope = Scope(self.chain.genesis, self.chain.netuid, lane, self.epoch)

            def read(data: bytes, h: str = hash, s: Scope = scope, v: bytes = valid) -> Block:
                if is_another(data, v):
                    raise FaultError("SIGNED_TWICE")
                block = read_block(data, h, s)
                if data != v:
                    raise FaultError("SIGNED_TWICE")
                return block

            _, code = self._copy(hotkey, hash, read)
            if code == "MISSING_BLOCK":
                if is_attester:
                    yield hotkey, "COPY_MISSING"
            elif code == "SIGNED_TWICE":
                yield lane, code
            elif code:
                yield hotkey, code

    def _state_flaws(self) -> Iterator[tuple[str, str]]:
        """Yields voters that serve another governing state, or none although they attested it."""
        text = canonical_text(self.state).encode()
        for hotkey in self.addresses:
            code = self._state_code(hotkey, self.epoch, text)
            is_owed = not self.is_first and hotkey in self.counted
            if code == "STATE_DIFFERS" or (code and is_owed):
                yield hotkey, code

    def _state_code(self, hotkey: str, epoch: int, text: bytes) -> str:
        """Returns what is wrong with the state in a voter's bucket, or an empty text."""
        try:
            data = self._get(hotkey, f"v1/states/{epoch}.json")
        except TooLargeError:
            return "STATE_DIFFERS"
        if data is None:
            return "STATE_MISSING"
        return "" if data == text else "STATE_DIFFERS"
