"""The export of a local chain, replayed by its rules. Protocol §5.1."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from affine_envs.canonical_json import canonical_text
from affine_envs.digest import digest
from affine_verify.commitments import Slot, read_slot
from affine_verify.keys import is_hotkey, is_signature, is_signed, is_signed_ed25519
from affine_verify.shapes import fits, int_to, is_hash, is_uint, list_of, map_of, matching
from affine_verify.text import FaultError, parse, require

FORMAT = "affine-chain/1"
LINE_CHARACTERS = 2**22

is_u16 = int_to(2**16 - 1)
is_quota = int_to(4096, 1)
PARAMS = {
    "tempo": int_to(2**53 - 1, 1),
    "maxValidators": is_uint,
    "stakeThreshold": is_uint,
    "weightsRateLimit": is_uint,
    "commitmentBytes": is_uint,
    "maxUids": int_to(256, 1),
    "immunityPeriod": is_u16,
    "minNonImmuneUids": is_u16,
}
ENV = {"specHash": is_hash, "players": int_to(2, 1), "quotaFirst": is_quota, "quotaMost": is_quota}
is_env = matching("[a-z0-9-]{1,64}@[0-9.]{5,32}")
FIRST = {
    "format": matching(FORMAT),
    "netuid": is_u16,
    "params": PARAMS,
    "neurons": list_of({"hotkey": is_hotkey, "stake": matching("0|[1-9][0-9]{0,19}")}),
    "envs?": lambda given: map_of(ENV)(given) and all(map(is_env, given)) and 1 <= len(given) <= 16,
}
BODIES: list[dict[str, Any]] = [
    {"fields": list_of(matching("(?:[0-9a-f]{2}){0,1024}"), 16)},
    {"weights": list_of(list_of(is_u16, 2, 2), 4096)},
    {"register": lambda value: value is True},
]
CALL = {
    "hotkey": is_hotkey,
    "nonce": is_uint,
    "until": is_uint,
    "call": lambda value: any(fits(value, body) for body in BODIES),
    "signature": is_signature,
}
BLOCK = {"time": is_uint, "entropy": is_hash, "calls": list_of(CALL, 4096), "hash": is_hash}


class Neuron(NamedTuple):
    """A registered hotkey. `last_update` is the block of its last weights or registration."""

    uid: int
    stake: int
    has_permit: bool
    registered: int
    last_update: int


class View(NamedTuple):
    """The chain's state at the end of a block, by hotkey. A slot has the block of its contents."""

    neurons: Mapping[str, Neuron]
    slots: Mapping[str, tuple[Slot, int]]
    weights: Mapping[str, Mapping[int, int]]

    def slot(self, hotkey: str) -> Slot:
        """Returns the contents of a hotkey's slot."""
        return self.slots.get(hotkey, (None, 0))[0]


def read_chain(data: bytes) -> "Chain":
    """Reads an export. Raises a FaultError, which names the first invalid line or block."""
    where = "the export"
    try:
        *lines, rest = data.decode().split("\n")
        require(len(lines) > 1 and not rest, "it does not end with a line feed, or has no block")
        where = "first line"
        chain = Chain(_read_line(lines[0]))
        for number, line in enumerate(lines[1:]):
            where = f"block {number}"
            chain.add(_read_line(line))
    except ValueError as error:
        raise FaultError(f"{where}: {error}") from error
    return chain


def _read_line(line: str) -> Any:
    require(len(line) <= LINE_CHARACTERS, "the line is too long")
    return parse(line.encode(), lambda _: True, "not canonical")


class Chain:
    """The blocks of an export, applied one after the other."""

    def __init__(self, first: Any) -> None:
        require(fits(first, FIRST), "wrong members")
        self.first, self.params, self.netuid = first, first["params"], first["netuid"]
        self.view = View(_first_neurons(first["neurons"], self.params), {}, {})
        self.genesis = ""
        self.hashes: list[str] = []
        self.views: list[View] = []
        self.time = 0
        self.nonces: dict[str, int] = {}
        self.committed: dict[tuple[str, int], int] = {}

    def add(self, block: Any) -> None:
        """Applies one block, or raises a FaultError."""
        require(fits(block, BLOCK), "wrong members")
        require(block["time"] >= self.time, "the time decreases")
        calls = block["calls"]
        parent = self.hashes[-1] if self.hashes else digest("local-chain", self.first)
        expected = digest("local-block", parent, block["time"], block["entropy"], calls)
        require(block["hash"] == expected, "wrong hash")
        for index, call in enumerate(calls):
            try:
                self._call(call, len(self.hashes))
            except FaultError as fault:
                raise FaultError(f"call {index}: {fault}") from fault
        self.time, self.genesis = block["time"], self.genesis or expected
        self.hashes.append(expected)
        self.views.append(self.view)

    def _call(self, call: Any, number: int) -> None:
        hotkey, nonce, until, body = (call[name] for name in ("hotkey", "nonce", "until", "call"))
        text = canonical_text([FORMAT, self.genesis, self.netuid, hotkey, nonce, until, body])
        signed = hotkey, text.encode(), bytes.fromhex(call["signature"])
        require(is_signed(*signed) or is_signed_ed25519(*signed), "wrong signature")
        require(until >= number, "'until' is an earlier block")
        require(nonce > self.nonces.get(hotkey, -1), "the nonce was used")
        self.nonces[hotkey] = nonce
        is_registered = hotkey in self.view.neurons
        if "register" in body:
            require(not is_registered, "already registered")
            self._register(hotkey, number)
            return
        require(is_registered, "not registered")
        if "fields" in body:
            self._commit(hotkey, tuple(bytes.fromhex(each) for each in body["fields"]), number)
        else:
            self._set_weights(hotkey, dict(body["weights"]), len(body["weights"]), number)

    def _commit(self, hotkey: str, fields: tuple[bytes, ...], number: int) -> None:
        require(len(fields) <= 3 and all(len(each) <= 128 for each in fields), "too many bytes")
        tempo = hotkey, number // self.params["tempo"]
        used = self.committed.get(tempo, 0) + max(100, sum(map(len, fields)))
        require(used <= self.params["commitmentBytes"], "too much in this tempo")
        self.committed[tempo] = used
        slot = read_slot(fields, hotkey), number
        self.view = self.view._replace(slots={**self.view.slots, hotkey: slot})

    def _register(self, hotkey: str, number: int) -> None:
        neurons, _, weights = self.view
        uid = len(neurons)
        if uid >= self.params["maxUids"]:
            evicted = self._evicted(number)
            uid = neurons[evicted].uid
            neurons = {h: each for h, each in neurons.items() if h != evicted}
            left = {h: each for h, each in weights.items() if h != evicted}
            weights = {h: {u: w for u, w in each.items() if u != uid} for h, each in left.items()}
        neurons = {**neurons, hotkey: Neuron(uid, 0, False, number, number)}
        self.view = self.view._replace(neurons=neurons, weights=weights)

    def _evicted(self, number: int) -> str:
        """Returns the hotkey that a registration evicts."""
        young = self.params["immunityPeriod"]
        others = {h: each for h, each in self.view.neurons.items() if each.uid != 0}
        immune = [h for h, each in others.items() if number - each.registered < young]
        is_many = len(others) - len(immune) > self.params["minNonImmuneUids"]
        group = others.keys() - immune if is_many else immune
        require(group, "no one can be evicted")
        paid = self._emission()
        return min(group, key=lambda h: (paid.get(h, 0), others[h].registered, others[h].uid))

    def _emission(self) -> dict[str, int]:
        neurons, _, weights = self.view
        stakes = {h: each.stake for h, each in neurons.items() if each.has_permit}
        emission, paid = dict[str, int](), set[str]()
        for hotkey, (uid, *_) in neurons.items():
            givers = {h for h in stakes if weights.get(h, {}).get(uid, 0) > 0}
            backers = givers - ({hotkey} if uid else set())
            stake = sum(stakes[h] for h in backers)
            if backers and 2 * stake >= sum(stakes.values()):
                emission[hotkey] = stake
                paid |= backers
        for hotkey in paid or stakes:
            emission[hotkey] = emission.get(hotkey, 0) + stakes[hotkey]
        return emission

    def _set_weights(self, hotkey: str, weights: dict[int, int], count: int, number: int) -> None:
        neurons = self.view.neurons
        neuron = neurons[hotkey]
        require(neuron.stake >= self.params["stakeThreshold"], "too little stake")
        recent = number - neuron.last_update < self.params["weightsRateLimit"]
        require(neuron.last_update == 0 or not recent, "too soon")
        require(neuron.has_permit or [*weights] == [neuron.uid], "no permit")
        require(len(weights) == count > 0, "a uid is repeated, or none is given")
        require(all(uid < len(neurons) for uid in weights), "no such neuron")
        self.view = self.view._replace(
            neurons={**neurons, hotkey: neuron._replace(last_update=number)},
            weights={**self.view.weights, hotkey: weights},
        )


def _first_neurons(given: Any, params: dict[str, int]) -> dict[str, Neuron]:
    stakes = {each["hotkey"]: int(each["stake"]) for each in given}
    require(len(stakes) == len(given), "a hotkey is repeated")
    uids = {hotkey: uid for uid, hotkey in enumerate(stakes)}
    order = sorted(stakes, key=lambda h: (-stakes[h], -uids[h]))[: params["maxValidators"]]
    permits = {h for h in order if stakes[h] >= max(1, params["stakeThreshold"])}
    return {h: Neuron(uids[h], stake, h in permits, 0, 0) for h, stake in stakes.items()}
