"""Samples, blocks and lanes. Protocol §6.1 to §6.3, and §6.5."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from affine_envs.challenge import challenge_id, is_challenge_id
from affine_envs.digest import digest
from affine_envs.episode import Replayed, replay
from affine_envs.registry import GAMES
from affine_envs.two_players import SIDES, replay_game
from affine_verify import merkle
from affine_verify.keys import is_hotkey, is_signed
from affine_verify.text import (
    fits,
    is_hash,
    is_signature,
    is_text,
    is_uint,
    list_of,
    matching,
    parse,
    uint_to,
)

HEADER_BYTES = 1024
SAMPLE_BYTES = 131072
BLOCK_SAMPLES = 2048
BLOCK_BYTES = 8388608
ROOM_BYTES = BLOCK_BYTES - 2048
NO_HEAD = "0" * 64
MILLION = 10**6

HEADER = {
    "v": uint_to(1, 1),
    "genesis": is_hash,
    "netuid": uint_to(2**16 - 1),
    "validator": is_hotkey,
    "epoch": uint_to(2**32 - 1),
    "height": uint_to(2**32 - 1),
    "prev": is_hash,
    "count": uint_to(BLOCK_SAMPLES),
    "root": is_hash,
    "time": is_uint,
    "secret?": is_hash,
}
PROMPT = {"role": is_text, "content": is_text}
CALL = {"ms?": is_uint, "invocation?": matching("[!-~]{1,128}")}
REPLY = {"role": matching("assistant"), "content": is_text, **CALL}
EPISODE = {
    "miner": is_hotkey,
    "messages": list_of(lambda message: fits(message, PROMPT) or fits(message, REPLY)),
    "reward": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "ms": is_uint,
    "fault?": matching("no-reply"),
}
PLACE = {"env": matching("[!-~]{1,64}"), "index": is_uint, "challengeId": is_challenge_id}
SAMPLE = {**PLACE, **EPISODE}
GAME: dict[str, Any] = {**PLACE, "champion": EPISODE, "contender": EPISODE}

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
    """A block with a signed header. `lines` are those of its samples."""

    header: Mapping[str, Any]
    lines: Sequence[bytes]
    data: bytes


def read_header(line: bytes) -> dict[str, Any]:
    """Returns the header in line 0 of a block, or raises a FaultError. Protocol §6.2."""
    require(len(line) <= HEADER_BYTES, "BAD_HEADER")
    header = _parse(line, "BAD_HEADER")
    require(fits(header, HEADER), "BAD_HEADER")
    return header  # type: ignore[no-any-return]


def read_block(data: bytes, hash: str, scope: Scope) -> Block:
    """Returns a block of a lane with its signature and root checked, or raises a FaultError."""
    block = read_signed(data, scope, hash)
    require(block.header["count"] == len(block.lines), "WRONG_ROOT")
    require(merkle.root_of(block.lines).hex() == block.header["root"], "WRONG_ROOT")
    return block


def read_signed(data: bytes, scope: Scope, expected: str | None = None) -> Block:
    """Returns a block with its header and signature checked, or raises a FaultError.

    The hash fixes line 0, so its faults come before those of the other lines. Protocol §6.5.
    """
    require(len(data) <= BLOCK_BYTES and b"\n" in data, "BAD_LINES")
    lines = data.split(b"\n", BLOCK_SAMPLES + 2)
    hash = merkle.leaf(lines[0]).hex()
    require(expected in (hash, None), "WRONG_HASH")
    header = read_header(lines[0])
    require(all(header[name] == value for name, value in vars(scope).items()), "WRONG_SCOPE")
    require(len(lines) > 2 and lines.pop() == b"", "BAD_LINES")
    second, *samples = lines[1:]
    try:
        signature = parse(second)
    except ValueError:
        raise FaultError("WRONG_SIGNATURE") from None
    require(fits(signature, {"signature": is_signature}), "WRONG_SIGNATURE")
    check_signature(scope.validator, hash, signature["signature"])
    return Block(header, samples, data)


def check_signature(validator: str, hash: str, signature: object) -> None:
    """Raises a FaultError unless a signature is the validator's, over a block's hash."""
    require(is_signature(signature), "WRONG_SIGNATURE")
    data = bytes.fromhex(str(signature))
    require(is_signed(validator, bytes.fromhex(hash), data), "WRONG_SIGNATURE")


def read_sample(line: bytes) -> dict[str, Any]:
    """Returns a sample in its line, or raises a FaultError. Protocol §6.1."""
    require(len(line) <= SAMPLE_BYTES, "BAD_SAMPLE")
    sample = _parse(line, "BAD_SAMPLE")
    require(fits(sample, SAMPLE) or fits(sample, GAME), "BAD_SAMPLE")
    return sample  # type: ignore[no-any-return]


def episodes_of(sample: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the episodes of a sample: a game has the champion's, then the contender's."""
    return [sample[side] for side in SIDES] if "champion" in sample else [sample]


def _parse(line: bytes, code: str) -> Any:
    try:
        return parse(line)
    except ValueError:
        raise FaultError(code) from None


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
    return hasattr(GAMES[env], "opening")


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
    lowest, highest = GAMES[env].lowest_reward, GAMES[env].highest_reward
    return MILLION * (reward - lowest) // (highest - lowest)
