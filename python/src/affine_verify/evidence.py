"""Samples, blocks and lanes. Protocol §6.1 to §6.3, and §6.5."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from affine_envs.challenge import challenge_id, is_challenge_id
from affine_envs.digest import digest
from affine_envs.episode import Replayed, replay
from affine_envs.registry import game_of
from affine_envs.two_players import SIDES, replay_game
from affine_verify import merkle
from affine_verify.keys import is_hotkey, is_signed
from affine_verify.text import (
    SIGNATURE,
    has_members,
    is_hash,
    is_printable,
    is_uint,
    parse,
)

HEADER_BYTES = 1024
SAMPLE_BYTES = 131072
BLOCK_SAMPLES = 2048
BLOCK_BYTES = 8388608
ROOM_BYTES = BLOCK_BYTES - 2048
HEADER = {"v", "genesis", "netuid", "validator", "epoch", "height", "prev", "count", "root", "time"}
EPISODE = {"miner", "messages", "reward", "ms"}
PLACE = {"env", "index", "challengeId"}
FAULT = frozenset({"fault"})
NO_HEAD = "0" * 64
MILLION = 10**6

Tallies = dict[str, dict[str, list[int]]]
"""By contender and environment: wins, losses, the contender's points, the champion's."""


class FaultError(Exception):
    """A lane is void; the code is one of those in §6.5."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def require(condition: object, code: str) -> None:
    """Raises a FaultError unless the condition is true."""
    if not condition:
        raise FaultError(code)


@dataclass(frozen=True)
class Scope:
    """What all blocks of a lane have in common."""

    genesis: str
    netuid: int
    validator: str
    epoch: int


@dataclass(frozen=True)
class Block:
    """A block whose header, signature and samples belong together."""

    header: Mapping[str, Any]
    lines: Sequence[bytes]


def read_header(line: bytes) -> dict[str, Any]:
    """Returns the header in line 0 of a block, or raises a FaultError. Protocol §6.2."""
    require(len(line) <= HEADER_BYTES, "BAD_LINES")
    header = _parse(line, "BAD_HEADER")
    require(has_members(header, HEADER, frozenset({"secret"})), "BAD_HEADER")
    require(is_uint(header["v"]) and header["v"] == 1, "BAD_HEADER")
    hashes = [header["genesis"], header["prev"], header["root"], header.get("secret", NO_HEAD)]
    require(all(map(is_hash, hashes)) and is_hotkey(header["validator"]), "BAD_HEADER")
    limits = {"netuid": 2**16, "epoch": 2**32, "height": 2**32, "count": BLOCK_SAMPLES + 1}
    require(all(is_uint(header[name], most - 1) for name, most in limits.items()), "BAD_HEADER")
    require(is_uint(header["time"]), "BAD_HEADER")
    return header  # type: ignore[no-any-return]


def read_block(data: bytes, hash: str, scope: Scope) -> Block:
    """Returns a block of a lane with its signature and root checked, or raises a FaultError."""
    require(len(data) <= BLOCK_BYTES and data.endswith(b"\n"), "BAD_LINES")
    lines = data[:-1].split(b"\n", BLOCK_SAMPLES + 2)
    require(2 <= len(lines) <= BLOCK_SAMPLES + 2, "BAD_LINES")
    first, second, *samples = lines
    require(all(len(line) <= SAMPLE_BYTES for line in samples), "BAD_LINES")
    require(merkle.leaf(first).hex() == hash, "WRONG_HASH")
    header = read_header(first)
    require(all(header[name] == value for name, value in vars(scope).items()), "WRONG_SCOPE")
    try:
        signature = parse(second)
    except ValueError:
        raise FaultError("WRONG_SIGNATURE") from None
    require(has_members(signature, {"signature"}), "WRONG_SIGNATURE")
    check_signature(scope.validator, hash, signature["signature"])
    require(header["count"] == len(samples), "WRONG_ROOT")
    require(merkle.root_of(samples).hex() == header["root"], "WRONG_ROOT")
    return Block(header, samples)


def check_signature(validator: str, hash: str, signature: object) -> None:
    """Raises a FaultError unless a signature is the validator's, over a block's hash."""
    require(isinstance(signature, str) and SIGNATURE.fullmatch(signature), "WRONG_SIGNATURE")
    data = bytes.fromhex(str(signature))
    require(is_signed(validator, bytes.fromhex(hash), data), "WRONG_SIGNATURE")


def read_sample(line: bytes) -> dict[str, Any]:
    """Returns a sample in its line, or raises a FaultError. Protocol §6.1."""
    sample = _parse(line, "BAD_SAMPLE")
    is_game = isinstance(sample, dict) and "champion" in sample
    if is_game:
        require(has_members(sample, {*PLACE, *SIDES}), "BAD_SAMPLE")
        require(all(has_members(sample[side], EPISODE, FAULT) for side in SIDES), "BAD_SAMPLE")
    else:
        require(has_members(sample, PLACE | EPISODE, FAULT), "BAD_SAMPLE")
    require(is_printable(sample["env"], 64) and is_uint(sample["index"]), "BAD_SAMPLE")
    require(is_challenge_id(sample["challengeId"]), "BAD_SAMPLE")
    for episode in episodes_of(sample):
        require(is_hotkey(episode["miner"]) and is_uint(episode["ms"]), "BAD_SAMPLE")
        reward = episode["reward"]
        require(isinstance(reward, int) and not isinstance(reward, bool), "BAD_SAMPLE")
        require(episode.get("fault", "no-reply") == "no-reply", "BAD_SAMPLE")
        messages = episode["messages"]
        require(isinstance(messages, list) and all(map(_is_message, messages)), "BAD_SAMPLE")
    return sample  # type: ignore[no-any-return]


def episodes_of(sample: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the episodes of a sample: a game has the champion's, then the contender's."""
    return [sample[side] for side in SIDES] if "champion" in sample else [sample]


def _parse(line: bytes, code: str) -> Any:
    try:
        return parse(line)
    except ValueError:
        raise FaultError(code) from None


def _is_message(message: object) -> bool:
    more = frozenset({"ms", "invocation"})
    if not isinstance(message, dict) or not has_members(message, {"role", "content"}, more):
        return False
    is_reply = message["role"] == "assistant"
    return (
        all(isinstance(message[name], str) for name in ("role", "content"))
        and (is_reply or len(message) == 2)
        and is_uint(message.get("ms", 0))
        and is_printable(message.get("invocation", "-"), 128)
    )


@dataclass(frozen=True)
class Place:
    """A sample that the plan requires: its challenge, and who plays it."""

    env: str
    index: int
    miners: tuple[str, ...]


def plan_of(champion: str, quotas: Mapping[str, Mapping[str, int]]) -> list[Place]:
    """Returns the samples of a lane in order; quotas are by contender and environment. §6.5."""
    plan: list[Place] = []
    contenders = sorted(quotas)
    for env in sorted({env for each in quotas.values() for env in each}):
        counts = {hotkey: quotas[hotkey].get(env, 0) for hotkey in contenders}
        if is_game(env):
            games = ((h, i) for h in contenders for i in range(counts[h]))
            plan += [Place(env, index, (champion, hotkey)) for hotkey, index in games]
            continue
        for index in range(max(counts.values())):
            plan.append(Place(env, index, (champion,)))
            plan += [Place(env, index, (h,)) for h in contenders if counts[h] > index]
    return plan


def is_game(env: str) -> bool:
    """Reports whether an environment has two players."""
    return hasattr(game_of(env), "opening")


@dataclass(frozen=True)
class Lane:
    """What a lane must be: its plan, and what the state and the chain say of it."""

    scope: Scope
    head: str
    last_head: str
    commitment: str
    beacon: str
    champion: str
    quotas: Mapping[str, Mapping[str, int]]
    spec_hashes: Mapping[str, str]

    def read(self, fetch: Callable[[str, Callable[[bytes], Block]], Block]) -> Tallies:
        """Returns the tallies of a valid lane, or raises a FaultError.

        `fetch` returns the block of a hash, as its second argument reads it.
        """
        plan = plan_of(self.champion, self.quotas)
        blocks = self._blocks(len(plan), fetch)
        secret = blocks[-1].header["secret"]
        validator, epoch = self.scope.validator, self.scope.epoch
        due = digest("commit", self.scope.genesis, self.scope.netuid, validator, epoch, secret)
        require(due == self.commitment, "WRONG_SECRET")
        lines = [line for block in blocks for line in block.lines]
        require(len(lines) == len(plan), "MISSING_INDEX")
        return self._tally(zip(plan, lines, strict=True), secret)

    def _blocks(
        self, samples: int, fetch: Callable[[str, Callable[[bytes], Block]], Block]
    ) -> list[Block]:
        """Goes back from the head, so that a fault ends the reading early."""
        blocks: list[Block] = []
        hash, height, left = self.head, None, samples
        while height != 0:
            block = fetch(hash, lambda data, hash=hash: read_block(data, hash, self.scope))  # type: ignore[misc]
            header = block.header
            require(height is None or header["height"] == height - 1, "WRONG_HEIGHT")
            require(("secret" in header) == (not blocks), "WRONG_SECRET")
            require(not blocks or is_full(block.lines, blocks[0].lines), "SHORT_BLOCK")
            left -= len(block.lines)
            require(left >= 0, "MISSING_INDEX")
            blocks.insert(0, block)
            hash, height = header["prev"], header["height"]
        require(hash == self.last_head, "WRONG_PREVIOUS")
        return blocks

    def _tally(self, samples: Iterator[tuple[Place, bytes]], secret: str) -> Tallies:
        tallies: Tallies = {h: {env: [0, 0, 0, 0] for env in q} for h, q in self.quotas.items()}
        invocations: set[str] = set()
        champion_reward = 0
        for place, line in samples:
            sample = read_sample(line)
            self._check_place(sample, place, secret)
            for episode in episodes_of(sample):
                check_invocations(episode, invocations)
            rewards = replayed_rewards(sample)
            if is_game(place.env):
                tally = tallies[place.miners[1]][place.env]
                tally[0 if rewards[1] > rewards[0] else 1] += rewards[0] != rewards[1]
            elif place.miners[0] == self.champion:
                champion_reward = rewards[0]
            else:
                tally = tallies[place.miners[0]][place.env]
                tally[0] += rewards[0] > champion_reward
                tally[1] += rewards[0] < champion_reward
                tally[2] += points_of(place.env, rewards[0])
                tally[3] += points_of(place.env, champion_reward)
        return tallies

    def _check_place(self, sample: Mapping[str, Any], place: Place, secret: str) -> None:
        miners = tuple(episode["miner"] for episode in episodes_of(sample))
        expected = challenge_id(
            genesis=self.scope.genesis,
            netuid=self.scope.netuid,
            env=place.env,
            spec_hash=self.spec_hashes[place.env],
            validator=self.scope.validator,
            epoch=self.scope.epoch,
            beacon=self.beacon,
            secret=secret,
            index=place.index,
            contender=place.miners[1] if len(place.miners) == 2 else "",
        )
        found = sample["env"], sample["index"], sample["challengeId"], miners
        require(found == (place.env, place.index, expected, place.miners), "WRONG_CHALLENGE")


def is_full(lines: Sequence[bytes], following: Sequence[bytes]) -> bool:
    """Reports whether a block before another one is full. Protocol §6.2."""
    size = sum(len(line) + 1 for line in [*lines, *following[:1]])
    return len(lines) == BLOCK_SAMPLES or size > ROOM_BYTES


def check_invocations(episode: Mapping[str, Any], seen: set[str]) -> None:
    """Raises a FaultError for an invocation that the lane had before, and remembers the others."""
    for message in episode["messages"]:
        if "invocation" in message:
            require(message["invocation"] not in seen, "REPEATED_INVOCATION")
            seen.add(message["invocation"])


def replayed_rewards(sample: Mapping[str, Any]) -> list[int]:
    """Returns the replayed rewards of a sample's episodes, or raises a FaultError. §3.1."""
    env, id = sample["env"], sample["challengeId"]
    results: list[Replayed]
    if "champion" in sample:
        both = replay_game(env, id, {side: sample[side]["messages"] for side in SIDES})
        if isinstance(both, str):
            raise FaultError(both)
        results = [both[side] for side in SIDES]
    else:
        one = replay(env, id, sample["messages"])
        if isinstance(one, str):
            raise FaultError(one)
        results = [one]
    for episode, result in zip(episodes_of(sample), results, strict=True):
        require(("fault" in episode) == result.fault, "WRONG_FAULT")
        require(episode["reward"] == result.reward, "WRONG_REWARD")
    return [result.reward for result in results]


def points_of(env: str, reward: int) -> int:
    """Returns the points of an episode of one player, in millionths. Protocol §6.5."""
    game = game_of(env)
    return MILLION * (reward - game.lowest_reward) // (game.highest_reward - game.lowest_reward)
