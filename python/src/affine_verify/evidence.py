"""Samples, blocks, lanes, and proofs of one sample. Protocol §6.1 to §6.3, §6.5 and §6.6."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from affine_envs.challenge import challenge_id, is_challenge_id
from affine_envs.digest import digest
from affine_envs.episode import replay
from affine_envs.registry import game_of
from affine_envs.two_players import SIDES, replay_game
from affine_verify import merkle
from affine_verify.keys import is_hotkey, is_signature, is_signed
from affine_verify.shapes import fits, int_to, is_hash, is_int, is_text, is_uint, list_of, matching
from affine_verify.text import FaultError, parse, require

HEADER_BYTES = 1024
SAMPLE_BYTES = 131072
BLOCK_SAMPLES = 2048
BLOCK_BYTES = 8388608
ROOM_BYTES = BLOCK_BYTES - 2048
NO_HEAD = "0" * 64
MILLION = 10**6

HEADER = {
    "v": int_to(1, 1),
    "genesis": is_hash,
    "netuid": int_to(2**16 - 1),
    "validator": is_hotkey,
    "epoch": int_to(2**32 - 1),
    "height": int_to(2**32 - 1),
    "prev": is_hash,
    "count": int_to(BLOCK_SAMPLES),
    "root": is_hash,
    "time": is_uint,
    "secret?": is_hash,
}
PROMPT = {"role": is_text, "content": is_text}
CALL = {"ms?": is_uint, "invocation?": matching("[!-~]{1,128}")}
REPLY = {**PROMPT, "role": matching("assistant"), **CALL}
EPISODE = {
    "miner": is_hotkey,
    "messages": list_of(lambda message: fits(message, PROMPT) or fits(message, REPLY)),
    "reward": is_int,
    "ms": is_uint,
    "fault?": matching("no-reply"),
}
PLACE = {"env": matching("[!-~]{1,64}"), "index": is_uint, "challengeId": is_challenge_id}
SAMPLE = {**PLACE, **EPISODE}
GAME: dict[str, Any] = {**PLACE, **dict.fromkeys(SIDES, EPISODE)}

Object = Mapping[str, Any]
Quotas = Mapping[str, Mapping[str, int]]
"""Numbers of challenges, by contender and environment."""
Tallies = dict[str, dict[str, list[int]]]
"""By contender and environment: wins, losses, the contender's points, the champion's points."""


class Scope(NamedTuple):
    """The members that are equal in the headers of all blocks of a lane."""

    genesis: str
    netuid: int
    validator: str
    epoch: int

    def has(self, header: Object) -> bool:
        """Reports whether a header is of this lane."""
        return self == tuple(header[name] for name in self._fields)


class Block(NamedTuple):
    """A block with a signed header. `lines` are the lines of its samples."""

    header: Object
    lines: Sequence[bytes]
    data: bytes


def read_header(line: bytes, code: str = "BAD_HEADER") -> dict[str, Any]:
    """Returns the header in line 0 of a block, or raises a FaultError. Protocol §6.2."""
    require(len(line) <= HEADER_BYTES, code)
    return parse(line, HEADER, code)  # type: ignore[no-any-return]


def read_block(data: bytes, hash: str, scope: Scope) -> Block:
    """Returns a block of a lane with its signature and root checked, or raises a FaultError."""
    block = read_signed(data, scope, hash)
    found = len(block.lines), merkle.root_of(block.lines).hex()
    require(found == (block.header["count"], block.header["root"]), "WRONG_ROOT")
    return block


def read_signed(data: bytes, scope: Scope, expected: str | None = None) -> Block:
    """Returns a block with its header and signature checked, or raises a FaultError.

    The hash fixes line 0, so faults of line 0 come before faults of other lines. Protocol §6.5.
    """
    require(len(data) <= BLOCK_BYTES and b"\n" in data, "BAD_LINES")
    first, *lines = data.split(b"\n", BLOCK_SAMPLES + 2)
    hash = merkle.leaf(first).hex()
    require(expected in (hash, None), "WRONG_HASH")
    header = read_header(first)
    require(scope.has(header), "WRONG_SCOPE")
    require(len(lines) > 1 and lines.pop() == b"", "BAD_LINES")
    second = parse(lines.pop(0), {"signature": is_signature}, "WRONG_SIGNATURE")
    check_signature(scope.validator, hash, second["signature"])
    return Block(header, lines, data)


def check_signature(validator: str, hash: str, signature: str) -> None:
    """Raises a FaultError unless a signature is the validator's, over a block's hash."""
    require(is_signature(signature), "WRONG_SIGNATURE")
    signed = bytes.fromhex(hash), bytes.fromhex(signature)
    require(is_signed(validator, *signed), "WRONG_SIGNATURE")


def read_sample(line: bytes) -> dict[str, Any]:
    """Returns the sample in a line, or raises a FaultError. Protocol §6.1."""
    require(len(line) <= SAMPLE_BYTES, "BAD_SAMPLE")
    sample = parse(line, lambda value: fits(value, SAMPLE) or fits(value, GAME), "BAD_SAMPLE")
    return sample  # type: ignore[no-any-return]


def episodes_of(sample: Object) -> list[Object]:
    """Returns the episodes of a sample: a game has the champion's, then the contender's."""
    return [sample[side] for side in SIDES] if "champion" in sample else [sample]


class Place(NamedTuple):
    """A sample that the plan requires: its challenge and its players."""

    env: str
    number: int
    miners: tuple[str, ...]


def plan_of(champion: str, quotas: Quotas) -> list[Place]:
    """Returns the samples of a lane in order. Protocol §6.5."""
    plan: list[Place] = []
    for env in sorted({env for each in quotas.values() for env in each}):
        counts = {hotkey: quotas[hotkey].get(env, 0) for hotkey in sorted(quotas)}
        if is_game(env):
            games = ((h, index) for h, count in counts.items() for index in range(count))
            plan += [Place(env, index, (champion, hotkey)) for hotkey, index in games]
            continue
        for index in range(max(counts.values())):
            players = [champion, *(h for h, count in counts.items() if count > index)]
            plan += [Place(env, index, (hotkey,)) for hotkey in players]
    return plan


def is_game(env: str) -> bool:
    """Reports whether an environment has two players."""
    return hasattr(game_of(env), "opening")


class Lane(NamedTuple):
    """A lane to read: its scope, sealed head, beacon, governing state and quotas."""

    scope: Scope
    head: str
    beacon: str
    state: Object
    quotas: Quotas

    def read(self, fetch: Callable[[str, Callable[[bytes], Block]], Block]) -> Tallies:
        """Returns the tallies of a valid lane, or raises a FaultError.

        Reads the blocks from the last to the first, and stops at the first fault. `fetch`
        returns the block of a hash, using its second argument to read the bytes.
        """
        plan = plan_of(self.state["champion"]["hotkey"], self.quotas)
        rewards: list[list[int]] = []
        invocations: set[str] = set()
        hash, height, secret, following = self.head, None, "", Block({}, [], b"")
        while height != 0:
            block = fetch(hash, lambda data, hash=hash: read_block(data, hash, self.scope))  # type: ignore[misc]
            header, is_head = block.header, height is None
            require(("secret" in header) == is_head, "WRONG_SECRET")
            require(is_head or header["height"] + 1 == height, "WRONG_HEIGHT")
            require(is_head or is_full(block.lines, following.lines), "SHORT_BLOCK")
            if is_head:
                secret = header["secret"]
                commitment = digest("commit", *self.scope, secret)
                require(commitment == self.state["due"][self.scope.validator], "WRONG_SECRET")
            left = len(plan) - len(rewards) - len(block.lines)
            require(left >= 0, "MISSING_INDEX")
            places = zip(plan[left:], block.lines, strict=False)
            rewards[:0] = [self._rewards(*each, secret, invocations) for each in places]
            hash, height, following = header["prev"], header["height"], block
        last_head = self.state["heads"].get(self.scope.validator, NO_HEAD)
        require(hash == last_head, "WRONG_PREVIOUS")
        require(len(rewards) == len(plan), "MISSING_INDEX")
        return self._tally(zip(plan, rewards, strict=True))

    def _rewards(self, place: Place, line: bytes, secret: str, invocations: set[str]) -> list[int]:
        """Returns the rewards in a sample of the plan. Adds its invocations to `invocations`."""
        sample = read_sample(line)
        env, number, miners = place
        lane = {**self.scope._asdict(), "beacon": self.beacon, "secret": secret}
        spec_hash = self.state["protocol"]["envs"][env]["specHash"]
        lane |= {"contender": miners[1]} if len(miners) == 2 else {}
        id = challenge_id(env=env, spec_hash=spec_hash, index=number, **lane)
        players = tuple(episode["miner"] for episode in episodes_of(sample))
        found = sample["env"], sample["index"], players, sample["challengeId"]
        require(found == (*place, id), "WRONG_CHALLENGE")
        for episode in episodes_of(sample):
            for invocation in (m["invocation"] for m in episode["messages"] if "invocation" in m):
                require(invocation not in invocations, "REPEATED_INVOCATION")
                invocations.add(invocation)
        return replayed_rewards(sample)

    def _tally(self, samples: Iterator[tuple[Place, list[int]]]) -> Tallies:
        tallies: Tallies = {h: {env: [0, 0, 0, 0] for env in q} for h, q in self.quotas.items()}
        champion_reward = 0
        for (env, _, miners), rewards in samples:
            if miners == (self.state["champion"]["hotkey"],):
                champion_reward = rewards[0]
                continue
            tally = tallies[miners[-1]][env]
            theirs, mine = rewards if is_game(env) else (champion_reward, rewards[0])
            tally[0] += mine > theirs
            tally[1] += mine < theirs
            if not is_game(env):
                tally[2] += points_of(env, mine)
                tally[3] += points_of(env, theirs)
        return tallies


def is_full(lines: Sequence[bytes], following: Sequence[bytes]) -> bool:
    """Reports whether a block is full, given the lines of the block after it. Protocol §6.2."""
    size = sum(len(line) + 1 for line in [*lines, *following[:1]])
    return len(lines) == BLOCK_SAMPLES or size > ROOM_BYTES


def replayed_rewards(sample: Object) -> list[int]:
    """Returns the replayed rewards of a sample's episodes, or raises a FaultError. §3.1."""
    env, id = sample["env"], sample["challengeId"]
    if "champion" in sample:
        games = replay_game(env, id, {side: sample[side]["messages"] for side in SIDES})
        results = games if isinstance(games, str) else [games[side] for side in SIDES]
    else:
        game = replay(env, id, sample["messages"])
        results = game if isinstance(game, str) else [game]
    if isinstance(results, str):
        raise FaultError(results)
    for episode, result in zip(episodes_of(sample), results, strict=True):
        require(("fault" in episode) == result.fault, "WRONG_FAULT")
        require(episode["reward"] == result.reward, "WRONG_REWARD")
    return [result.reward for result in results]


def points_of(env: str, reward: int) -> int:
    """Returns the points of an episode of one player, in millionths. Protocol §6.5."""
    game = game_of(env)
    return MILLION * (reward - game.lowest_reward) // (game.highest_reward - game.lowest_reward)


# One sample alone (6.6)

PROOF_BYTES = 16 * SAMPLE_BYTES
PROOF = {
    **dict.fromkeys(("sample", "header", "signature"), is_text),
    "index": is_uint,
    "path": list_of(is_hash, 11),
    "links": list_of(is_text),
}


def read_proof(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a proof file and its header, or raises a FaultError; checks only the schema."""
    require(len(data) <= PROOF_BYTES, "BAD_PROOF")
    proof = parse(data, PROOF, "BAD_PROOF")
    return proof, read_header(proof["header"].encode(), "BAD_PROOF")


def check_proof(data: bytes, scope: Scope, head: str, plan_samples: int) -> dict[str, Any]:
    """Returns the sample that a proof shows, or raises a FaultError.

    The arguments except `data` come from the reader, not from the proof. `plan_samples` is the
    maximum number of links.
    """
    proof, header = read_proof(data)
    require(scope.has(header) and len(proof["links"]) <= plan_samples, "BAD_PROOF")
    hash = last = merkle.leaf(proof["header"].encode()).hex()
    for link in proof["links"]:
        require(read_header(link.encode(), "BAD_PROOF")["prev"] == last, "BAD_PROOF")
        last = merkle.leaf(link.encode()).hex()
    require(last == head, "BAD_PROOF")
    check_signature(scope.validator, hash, proof["signature"])
    sample = proof["sample"].encode()
    siblings = [bytes.fromhex(each) for each in proof["path"]]
    place = proof["index"], header["count"]
    is_in = merkle.is_included(sample, *place, siblings, bytes.fromhex(header["root"]))
    require(is_in, "BAD_PROOF")
    return read_sample(sample)
