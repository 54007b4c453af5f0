"""A small local network whose validators misbehave as told: its chain, and its buckets."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import sr25519

from affine_envs import challenge_id, seed_of
from affine_envs.canonical_json import canonical_text
from affine_envs.challenge import ALPHABET
from affine_envs.digest import digest
from affine_envs.episode import Episode
from affine_envs.registry import game_of, two_player_game_of
from affine_envs.two_players import SIDES, Match
from affine_verify import merkle
from affine_verify.buckets import Buckets
from affine_verify.chain import FORMAT, Chain, read_chain
from affine_verify.evidence import BLOCK_SAMPLES, NO_HEAD, Place, is_game, plan_of
from affine_verify.rules import LOCAL
from affine_verify.state import first_state, quotas_of, root_of
from affine_verify.verify import recompute

NETUID = 120
EPOCH, SEAL_AT, ATTEST_AT = LOCAL["epochBlocks"], 15, 25


def hotkey_of(public: bytes) -> str:
    """Returns the SS58 address of a public key."""
    data = b"\x2a" + public
    number = int.from_bytes(data + blake2b(b"SS58PRE" + data, digest_size=64).digest()[:2], "big")
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return text


@dataclass
class Key:
    """A hotkey that signs."""

    name: str
    pair: tuple[bytes, bytes] = field(init=False)
    hotkey: str = field(init=False)
    nonce: int = 0

    def __post_init__(self) -> None:
        self.pair = sr25519.pair_from_seed(self.name.encode().ljust(32, b"."))
        self.hotkey = hotkey_of(self.pair[0])

    def sign(self, message: bytes) -> str:
        return str(sr25519.sign(self.pair, message).hex())


Deeds = Mapping[tuple[str, int], set[str]]
"""By validator's name and epoch, what it does wrong."""


class World:
    """Plays epochs, and writes `chain.json` and `buckets/` into a folder."""

    def __init__(
        self,
        folder: Path,
        deeds: Deeds,
        names: str = "abcd",
        skills: tuple[float, ...] = (0.5, 0.6),
    ) -> None:
        self.folder, self.deeds = folder, deeds
        self.random = random.Random(1)
        self.keys = [Key(name) for name in names]
        self.skills: dict[str, float] = {}
        self.miner_keys = [Key(f"m{i}") for i in range(len(skills))]
        for key, skill in zip(self.miner_keys, skills, strict=True):
            self.skills[key.hotkey] = skill
        params = {"tempo": 30, "maxValidators": 64, "stakeThreshold": 10, "weightsRateLimit": 1,
                  "commitmentBytes": 31000, "maxUids": 256, "immunityPeriod": 4096,
                  "minNonImmuneUids": 10}  # fmt: skip
        neurons = [{"hotkey": key.hotkey, "stake": "1000"} for key in self.keys]
        neurons += [{"hotkey": key.hotkey, "stake": "0"} for key in self.miner_keys]
        first: dict[str, Any] = {
            "format": FORMAT,
            "netuid": NETUID,
            "params": params,
            "neurons": neurons,
        }
        self.lines = [canonical_text(first)]
        self.hashes: list[str] = []
        self.parent = digest("local-chain", first)
        self.calls: list[dict[str, Any]] = []
        self.add_block()
        for key in self.miner_keys:
            texts = [f"affine/{key.name}-{key.hotkey}", "main", key.name]
            self.call(key, {"fields": [text.encode().hex() for text in texts]})
        (folder / "buckets").mkdir(parents=True, exist_ok=True)
        self.state = first_state(LOCAL, 0)

    # The chain

    def call(self, key: Key, body: dict[str, Any]) -> None:
        """Adds a call to the next block."""
        until = len(self.hashes) + 60
        signed: list[Any] = [FORMAT, self.hashes[0], NETUID, key.hotkey, key.nonce, until, body]
        signature = key.sign(canonical_text(signed).encode())
        call = {"hotkey": key.hotkey, "nonce": key.nonce, "until": until, "call": body}
        self.calls.append({**call, "signature": signature})
        key.nonce += 1

    def add_block(self) -> None:
        """Adds a block with the calls that wait."""
        time, entropy = 1000 * len(self.hashes), f"{len(self.hashes):064x}"
        hash = digest("local-block", self.parent, time, entropy, self.calls)
        block: dict[str, Any] = {
            "time": time,
            "entropy": entropy,
            "calls": self.calls,
            "hash": hash,
        }
        self.lines.append(canonical_text(block))
        self.hashes.append(hash)
        self.parent, self.calls = hash, []

    def advance(self, block: int) -> None:
        """Adds blocks up to the one with this number, which is not yet added."""
        while len(self.hashes) < block:
            self.add_block()

    def text(self) -> str:
        """Returns the export."""
        return "".join(line + "\n" for line in self.lines)

    def chain(self) -> Chain:
        """Returns the chain so far."""
        return read_chain(self.text().encode())

    # Epochs

    def does(self, key: Key, epoch: int) -> set[str]:
        return self.deeds.get((key.name, epoch), set())

    def secret(self, key: Key, epoch: int) -> str:
        return digest("test-secret", key.name, epoch)

    def play(self, epochs: int) -> None:
        """Plays epochs, then writes the chain."""
        for epoch in range(epochs):
            self.play_epoch(epoch)
        self.advance(epochs * EPOCH + 2)
        (self.folder / "chain.json").write_text(self.text())

    def play_epoch(self, epoch: int) -> None:
        state = self.state
        begin = epoch * EPOCH
        self.advance(begin + 1)
        lanes: dict[str, tuple[str, dict[str, bytes]]] = {}
        whole: set[str] = set()
        for key in self.keys:
            if key.hotkey in state["due"]:
                lanes[key.hotkey] = self.lane(key, epoch, state)
                if not self.does(key, epoch) & VOID:
                    whole.add(key.hotkey)
        self.advance(begin + SEAL_AT)
        for key in self.keys:
            if key.hotkey in lanes and "no-seal" not in self.does(key, epoch):
                head, blocks = lanes[key.hotkey]
                fields = b"\1\1" + epoch.to_bytes(4, "little") + bytes.fromhex(head)
                self.call(key, {"fields": [fields.hex(), self.address(key, epoch, "seal")]})
                for hash, data in blocks.items():
                    self.store(key, epoch, hash, data)
        self.advance(begin + ATTEST_AT)
        for key in self.keys:
            self.write_state(key, epoch, state)
            self.attest(key, epoch, state, whole)
            if "other-weights" in self.does(key, epoch):
                self.call(key, {"weights": [[1, 5]]})
        self.advance(begin + EPOCH + 1)
        buckets = Buckets(str(self.folder / "buckets"))
        self.state = next(recompute(self.chain(), buckets, state)).decision.state

    def address(self, key: Key, epoch: int, kind: str) -> str:
        is_bad = {"bad-address", f"bad-{kind}-address"} & self.does(key, epoch)
        return ("http://no.example" if is_bad else key.name).encode().hex()

    def store(self, key: Key, epoch: int, head: str, data: bytes) -> None:
        """Puts a block into the buckets."""
        for other in self.keys:
            deeds = self.does(other, epoch)
            is_own = other.name == key.name
            withheld = "withhold-own" if is_own else "no-copies"
            if withheld in deeds or "hidden" in self.does(key, epoch):
                continue
            self.put(other, f"blocks/{head}.jsonl", data)
        if {"signed-again", "second-header"} & self.does(key, epoch):
            first, _, *rest = data.split(b"\n")
            if "second-header" in self.does(key, epoch):
                first = first.replace(b'"time":0', b'"time":1')
            again = canonical_text({"signature": key.sign(merkle.leaf(first))}).encode()
            self.put(key, f"blocks/{head}.jsonl", b"\n".join([first, again, *rest]))

    def put(self, key: Key, path: str, data: bytes) -> None:
        file = self.folder / "buckets" / key.name / "v1" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def write_state(self, key: Key, epoch: int, state: Mapping[str, Any]) -> None:
        deeds = self.does(key, epoch)
        if epoch > 0 and "no-state" not in deeds:
            text = canonical_text(state)
            if "false-state" in deeds:
                text = text.replace('"ratio":5', '"ratio":6')
            self.put(key, f"states/{epoch}.json", text.encode())

    def attest(self, key: Key, epoch: int, state: Mapping[str, Any], whole: set[str]) -> None:
        deeds = self.does(key, epoch)
        if "no-attest" in deeds:
            return
        voters = sorted(state["voters"])
        lanes = set(voters) if "attest-all" in deeds else whole
        if "attest-none" in deeds:
            lanes = set()
        bits = sum(1 << i for i, hotkey in enumerate(voters) if hotkey in lanes)
        secret = self.secret(key, epoch + 1)
        next_ = digest("commit", self.hashes[0], NETUID, key.hotkey, epoch + 1, secret)
        root = "b" * 64 if "wrong-root" in deeds else root_of(state)
        named = epoch - 1 if "old-epoch" in deeds else epoch
        fields = b"\1\2" + named.to_bytes(4, "little") + bits.to_bytes(16, "little")
        fields += bytes.fromhex(next_) + bytes.fromhex(root)
        self.call(key, {"fields": [fields.hex(), self.address(key, epoch, "attest")]})

    def lane(self, key: Key, epoch: int, state: Mapping[str, Any]) -> tuple[str, dict[str, bytes]]:
        """Returns the head and the blocks of a lane, which is spoiled as told."""
        deeds = self.does(key, epoch)
        secret = self.secret(key, epoch + (1000 if "other-secret" in deeds else 0))
        rules = state["protocol"]
        champion = state["champion"]["hotkey"]
        lines = []
        for place in plan_of(champion, quotas_of(state)):
            id = challenge_id(
                genesis=self.hashes[0], netuid=NETUID, env=place.env,
                spec_hash=rules["envs"][place.env]["specHash"], validator=key.hotkey, epoch=epoch,
                beacon=self.hashes[epoch * EPOCH], secret=secret, index=place.number,
                contender=place.miners[1] if len(place.miners) == 2 else "",
            )  # fmt: skip
            lines.append(self.sample(place, id))
        for name, spoil in {**SPOILS, **EXTRAS}.items():
            if name in deeds:
                spoil(lines)
        if "one-short" in deeds:
            lines.pop()
        samples = [canonical_text(line).encode() for line in lines]
        prev = state["heads"].get(key.hotkey, NO_HEAD)
        size = 50 if "split" in deeds else BLOCK_SAMPLES
        parts = [samples[at : at + size] for at in range(0, len(samples), size)] or [[]]
        blocks: dict[str, bytes] = {}
        for height, part in enumerate(parts):
            facts = {"prev": prev, "height": height}
            facts |= {"secret": secret} if height == len(parts) - 1 else {}
            prev, block = self.block(key, epoch, part, facts)
            blocks |= block
        return prev, blocks

    def block(
        self, key: Key, epoch: int, samples: list[bytes], facts: dict[str, Any]
    ) -> tuple[str, dict[str, bytes]]:
        """Returns the hash of a signed block, and its bytes by that hash."""
        deeds = self.does(key, epoch)
        header = {
            "v": 1, "genesis": self.hashes[0], "netuid": NETUID, "validator": key.hotkey,
            "epoch": epoch, "count": len(samples), "root": merkle.root_of(samples).hex(),
            "time": 0, **facts,
        }  # fmt: skip
        header |= {"prev": "a" * 64} if "wrong-prev" in deeds else {}
        header |= {"netuid": 7} if "other-netuid" in deeds else {}
        header |= {"more": 1} if "bad-header" in deeds else {}
        header |= {"height": 1, "prev": "a" * 64} if "gap" in deeds else {}
        header |= {"count": len(samples) + 1} if "wrong-count" in deeds else {}
        if "no-secret" in deeds:
            del header["secret"]
        first = canonical_text(header).encode()
        hash = merkle.leaf(first)
        message = b"another" if "bad-signature" in deeds else hash
        second = canonical_text({"signature": key.sign(message)}).encode()
        data = b"".join(line + b"\n" for line in [first, second, *samples])
        return hash.hex(), {hash.hex(): data}

    def sample(self, place: Place, id: str) -> dict[str, Any]:
        base = {"env": place.env, "index": place.number, "challengeId": id}
        if not is_game(place.env):
            return {**base, **self.episode(place, id)}
        game = two_player_game_of(place.env)
        match = Match(game, seed_of(id))
        episodes: dict[str, Any] = {
            side: {"miner": miner, "messages": [], "ms": 1}
            for side, miner in zip(SIDES, place.miners, strict=True)
        }
        while match.winner is None:
            mine = episodes[match.mover]
            mine["messages"].append({"role": "user", "content": game.prompt(match.state)})
            if self.random.random() < 0.005:
                mine["fault"] = "no-reply"
                match.lose()
                continue
            is_good = self.random.random() < self.skills[mine["miner"]]
            reply = game.best_reply(match.state) if is_good else self.any_move(game, match.state)
            mine["messages"].append({"role": "assistant", "content": reply})
            match.reply(reply)
        for side in SIDES:
            episodes[side]["reward"] = match.reward(side)
        return {**base, **episodes}

    def any_move(self, game: Any, state: Any) -> str:
        return str(game.written(self.random.choice(game.legal(state))))

    def episode(self, place: Place, id: str) -> dict[str, Any]:
        game = game_of(place.env)
        episode = Episode(game, np.random.default_rng(seed_of(id)))
        messages: list[dict[str, Any]] = []
        result: dict[str, Any] = {"miner": place.miners[0], "messages": messages, "ms": 1}
        draws = np.random.default_rng(self.random.getrandbits(32))
        while not episode.over:
            messages.append({"role": "user", "content": game.prompt(episode.state)})
            if self.random.random() < 0.02:
                return {**result, "reward": game.lowest_reward, "fault": "no-reply"}
            is_good = self.random.random() < self.skills[place.miners[0]]
            state = episode.state
            reply = game.best_reply(state) if is_good else game.any_reply(state, draws)
            messages.append({"role": "assistant", "content": reply})
            episode.reply(reply)
        return {**result, "reward": episode.total}


def _one_player(lines: list[Any]) -> dict[str, Any]:
    found = next(line for line in lines if len(line.get("messages", [])) == 2)
    assert isinstance(found, dict)
    return found


def _reward(lines: list[Any]) -> None:
    line = _one_player(lines)
    line["reward"] += 1


def _invocations(lines: list[Any]) -> None:
    replied = [line for line in lines if "messages" in line and len(line["messages"]) > 1]
    for line in replied[:2]:
        line["messages"][1]["invocation"] = "call-1"


def _member(lines: list[Any]) -> None:
    _one_player(lines)["more"] = 1


def _prompt(lines: list[Any]) -> None:
    _one_player(lines)["messages"][0]["content"] += "!"


def _reply(lines: list[Any]) -> None:
    _one_player(lines)["messages"][1]["content"] += "\t"


def _fault(lines: list[Any]) -> None:
    _one_player(lines)["fault"] = "no-reply"


def _role(lines: list[Any]) -> None:
    _one_player(lines)["messages"][1]["role"] = "system"


def _longer(lines: list[Any]) -> None:
    _one_player(lines)["messages"].append({"role": "user", "content": "more"})


def _shorter(lines: list[Any]) -> None:
    _one_player(lines)["messages"].clear()


def _swapped(lines: list[Any]) -> None:
    lines[0], lines[1] = lines[1], lines[0]


def _prompt_ms(lines: list[Any]) -> None:
    _one_player(lines)["messages"][0]["ms"] = 1


def _prompt_invocation(lines: list[Any]) -> None:
    _one_player(lines)["messages"][0]["invocation"] = "call-1"


def _long_invocation(lines: list[Any]) -> None:
    _one_player(lines)["messages"][1]["invocation"] = "c" * 129


def _extras(lines: list[Any]) -> None:
    """Adds what a valid lane may have: times, ids of calls, and a game that did not begin."""
    for number, line in enumerate(lines):
        if len(line.get("messages", [])) > 1:
            line["messages"][1] |= {"ms": number, "invocation": f"{number:~>128}"}
    for line in lines:
        if "champion" in line:
            for side in SIDES:
                line[side] |= {"messages": [], "reward": -1, "fault": "no-reply"}
            break


def _half_begun(lines: list[Any]) -> None:
    for line in lines:
        if "champion" in line:
            line["champion"] |= {"messages": [], "reward": -1, "fault": "no-reply"}
            break


SPOILS: dict[str, Callable[[list[Any]], None]] = {
    "wrong-reward": _reward,
    "repeated-invocation": _invocations,
    "more-members": _member,
    "other-prompt": _prompt,
    "unnormalised": _reply,
    "false-fault": _fault,
    "other-role": _role,
    "too-long": _longer,
    "too-short": _shorter,
    "other-order": _swapped,
    "ms-of-prompt": _prompt_ms,
    "invocation-of-prompt": _prompt_invocation,
    "long-invocation": _long_invocation,
    "half-begun": _half_begun,
}
EXTRAS = {"extras": _extras}
"""Changes that leave a lane valid."""
VOID = {*SPOILS, "one-short", "wrong-prev", "other-netuid", "bad-header", "gap", "no-secret",
        "other-secret", "wrong-count", "bad-signature", "split", "no-seal", "hidden"}  # fmt: skip
