"""The export of a local chain, replayed by its rules. Protocol §5.1."""

from dataclasses import dataclass, field, replace
from typing import Any

from affine_envs.canonical_json import canonical_text
from affine_envs.digest import digest
from affine_verify.commitments import Slot, read_slot
from affine_verify.keys import is_call_signed, is_hotkey
from affine_verify.text import (
    fits,
    is_hash,
    is_signature,
    is_uint,
    list_of,
    matching,
    parse,
    uint_to,
)

FORMAT = "affine-chain/1"
LINE_CHARACTERS = 2**22

is_u16 = uint_to(2**16 - 1)
PARAMS = {
    "tempo": uint_to(2**53 - 1, 1),
    "maxValidators": is_uint,
    "stakeThreshold": is_uint,
    "weightsRateLimit": is_uint,
    "commitmentBytes": is_uint,
    "maxUids": uint_to(256, 1),
    "immunityPeriod": is_u16,
    "minNonImmuneUids": is_u16,
}
FIRST = {
    "format": matching(FORMAT),
    "netuid": is_u16,
    "params": PARAMS,
    "neurons": list_of({"hotkey": is_hotkey, "stake": matching("0|[1-9][0-9]{0,19}")}),
}
COMMITMENT = {"fields": list_of(matching("(?:[0-9a-f]{2}){0,1024}"), 16)}
WEIGHTS = {"weights": list_of(list_of(is_u16, 2, 2), 4096)}
REGISTRATION = {"register": lambda value: value is True}
BODIES = (COMMITMENT, WEIGHTS, REGISTRATION)
CALL = {
    "hotkey": is_hotkey,
    "nonce": is_uint,
    "until": is_uint,
    "call": lambda value: any(fits(value, body) for body in BODIES),
    "signature": is_signature,
}
BLOCK = {"time": is_uint, "entropy": is_hash, "calls": list_of(CALL, 4096), "hash": is_hash}


@dataclass(frozen=True)
class Neuron:
    """A registered hotkey. `last_update` is the block of its weights or its registration."""

    uid: int
    hotkey: str
    stake: int
    has_permit: bool
    registered: int
    last_update: int


@dataclass(frozen=True)
class View:
    """The chain's state at the end of a block. `slots` have the fields and their block."""

    neurons: tuple[Neuron, ...] = ()
    slots: dict[str, tuple[tuple[bytes, ...], int]] = field(default_factory=dict)
    weights: dict[str, dict[int, int]] = field(default_factory=dict)

    def of(self, hotkey: str) -> Neuron | None:
        """Returns the neuron of a hotkey."""
        return next((neuron for neuron in self.neurons if neuron.hotkey == hotkey), None)

    def slot(self, hotkey: str) -> tuple[Slot, int]:
        """Returns what a hotkey's slot contains, and since which block."""
        fields, block = self.slots.get(hotkey, ((), 0))
        return read_slot(fields, hotkey), block


@dataclass
class Chain:
    """A valid export: block hashes, and the state at the end of each block."""

    netuid: int
    hashes: list[str]
    views: list[View]

    @property
    def genesis(self) -> str:
        """The hash of block 0."""
        return self.hashes[0]


def read_chain(data: bytes) -> Chain:
    """Reads an export; raises ValueError, with the number of its block, for an invalid one."""
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise ValueError("the export is not UTF-8") from error
    if lines.pop() != "" or len(lines) < 2:
        raise ValueError("the export does not end with a line feed, or has no block")
    try:
        first = _read_line(lines[0])
        replay = _Replay(first)
    except ValueError as error:
        raise ValueError(f"first line: {error}") from error
    for number, line in enumerate(lines[1:]):
        try:
            replay.add(_read_line(line))
        except ValueError as error:
            raise ValueError(f"block {number}: {error}") from error
    return Chain(first["netuid"], replay.hashes, replay.views)


def _read_line(line: str) -> Any:
    if len(line) > LINE_CHARACTERS:
        raise ValueError("the line is too long")
    return parse(line.encode())


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise ValueError(problem)


class _Replay:
    """Applies the blocks one after the other."""

    def __init__(self, first: Any) -> None:
        _require(fits(first, FIRST), "wrong members")
        self.first, self.params, self.netuid = first, first["params"], first["netuid"]
        self.view = View(_first_neurons(first["neurons"], self.params))
        self.hashes: list[str] = []
        self.views: list[View] = []
        self.time = 0
        self.nonces: dict[str, int] = {}
        self.committed: dict[tuple[str, int], int] = {}

    def add(self, block: Any) -> None:
        """Applies one block."""
        _require(fits(block, BLOCK), "wrong members")
        _require(block["time"] >= self.time, "the time decreases")
        calls = block["calls"]
        parent = self.hashes[-1] if self.hashes else digest("local-chain", self.first)
        expected = digest("local-block", parent, block["time"], block["entropy"], calls)
        _require(block["hash"] == expected, "another hash")
        self.time, number = block["time"], len(self.hashes)
        for index, call in enumerate(calls):
            try:
                self._call(call, number)
            except ValueError as error:
                raise ValueError(f"call {index}: {error}") from error
        self.hashes.append(expected)
        self.views.append(self.view)

    def _call(self, call: Any, number: int) -> None:
        hotkey, nonce, until, body = (call[name] for name in ("hotkey", "nonce", "until", "call"))
        signature = bytes.fromhex(call["signature"])
        genesis = self.hashes[0] if self.hashes else ""
        signed = canonical_text([FORMAT, genesis, self.netuid, hotkey, nonce, until, body])
        _require(is_call_signed(hotkey, signed.encode(), signature), "another signature")
        _require(until >= number, "it is too late")
        _require(nonce > self.nonces.get(hotkey, -1), "the nonce was used")
        self.nonces[hotkey] = nonce
        if "fields" in body:
            self._commit(hotkey, tuple(bytes.fromhex(each) for each in body["fields"]), number)
        elif "register" in body:
            self._register(hotkey, number)
        else:
            self._set_weights(hotkey, body["weights"], number)

    def _commit(self, hotkey: str, fields: tuple[bytes, ...], number: int) -> None:
        _require(self.view.of(hotkey) is not None, "not registered")
        _require(len(fields) <= 3 and all(len(each) <= 128 for each in fields), "too many bytes")
        tempo = hotkey, number // self.params["tempo"]
        used = self.committed.get(tempo, 0) + max(100, sum(map(len, fields)))
        _require(used <= self.params["commitmentBytes"], "too much in this tempo")
        self.committed[tempo] = used
        self.view = replace(self.view, slots={**self.view.slots, hotkey: (fields, number)})

    def _register(self, hotkey: str, number: int) -> None:
        neurons = list(self.view.neurons)
        _require(self.view.of(hotkey) is None, "already registered")
        uid = len(neurons)
        weights = self.view.weights
        if uid >= self.params["maxUids"]:
            evicted = self._evicted(number)
            uid = evicted.uid
            left = {h: each for h, each in weights.items() if h != evicted.hotkey}
            weights = {h: {u: w for u, w in each.items() if u != uid} for h, each in left.items()}
        neurons[uid : uid + 1] = [Neuron(uid, hotkey, 0, False, number, number)]
        self.view = replace(self.view, neurons=tuple(neurons), weights=weights)

    def _evicted(self, number: int) -> Neuron:
        young = self.params["immunityPeriod"]
        others = [neuron for neuron in self.view.neurons if neuron.uid != 0]
        immune = [neuron for neuron in others if number - neuron.registered < young]
        open_ = [neuron for neuron in others if number - neuron.registered >= young]
        group = open_ if len(open_) > self.params["minNonImmuneUids"] else immune
        _require(bool(group), "no one can be evicted")
        emission = self._emission()
        return min(group, key=lambda each: (emission.get(each.uid, 0), each.registered, each.uid))

    def _emission(self) -> dict[int, int]:
        permits = [neuron for neuron in self.view.neurons if neuron.has_permit]
        backers: dict[int, list[Neuron]] = {}
        for neuron in permits:
            for uid, weight in self.view.weights.get(neuron.hotkey, {}).items():
                if weight > 0 and (uid != neuron.uid or uid == 0):
                    backers.setdefault(uid, []).append(neuron)
        total = sum(neuron.stake for neuron in permits)
        stakes = {uid: sum(each.stake for each in by) for uid, by in backers.items()}
        emission = {uid: stake for uid, stake in stakes.items() if 2 * stake >= total}
        paid = {each for uid in emission for each in backers[uid]} if emission else permits
        for neuron in paid:
            emission[neuron.uid] = emission.get(neuron.uid, 0) + neuron.stake
        return emission

    def _set_weights(self, hotkey: str, weights: list[list[int]], number: int) -> None:
        neuron = self.view.of(hotkey)
        stake = neuron.stake if neuron else 0
        _require(stake >= self.params["stakeThreshold"], "too little stake")
        _require(1 <= len(weights) <= len(self.view.neurons), "too many weights, or none")
        if neuron is None:
            raise ValueError("not registered")
        recent = number - neuron.last_update < self.params["weightsRateLimit"]
        _require(neuron.last_update == 0 or not recent, "too soon")
        uids = [uid for uid, _ in weights]
        _require(neuron.has_permit or uids == [neuron.uid], "no permit")
        _require(len(set(uids)) == len(uids), "a uid is repeated")
        _require(all(uid < len(self.view.neurons) for uid in uids), "no such neuron")
        neurons = list(self.view.neurons)
        neurons[neuron.uid] = replace(neuron, last_update=number)
        given = {**self.view.weights, hotkey: {uid: weight for uid, weight in weights}}
        self.view = replace(self.view, neurons=tuple(neurons), weights=given)


def _first_neurons(given: Any, params: dict[str, int]) -> tuple[Neuron, ...]:
    _require(len({each["hotkey"] for each in given}) == len(given), "a hotkey is repeated")
    stakes = [int(each["stake"]) for each in given]
    able = [uid for uid, stake in enumerate(stakes) if stake >= max(1, params["stakeThreshold"])]
    able.sort(key=lambda uid: (-stakes[uid], -uid))
    permits = set(able[: params["maxValidators"]])
    return tuple(
        Neuron(uid, each["hotkey"], stakes[uid], uid in permits, 0, 0)
        for uid, each in enumerate(given)
    )
