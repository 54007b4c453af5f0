"""Answers cases of differential.machine.test.ts: JSON lines in, JSON lines out."""

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from test_verify_vectors import described

from affine_envs.canonical_json import canonical_text
from affine_envs.registry import GAMES
from affine_envs.text import answer, recorded
from affine_verify import evidence
from affine_verify.buckets import Buckets, UnavailableError
from affine_verify.chain import read_chain
from affine_verify.commitments import Attestation, Commitment, read_slot
from affine_verify.evidence import Block, FaultError, Lane, Scope
from affine_verify.proof import check_proof
from affine_verify.state import Miner, Snapshot, Validator, decide, first_state, root_of
from affine_verify.verify import Verifier


def roots(case: Any) -> list[str]:
    """Returns the root of the state after each epoch."""
    state, found = first_state(case["rules"], 0), []
    for facts in case["epochs"]:
        validators = {}
        for each in facts["validators"]:
            given = each.get("attest")
            if given is not None:
                given = Attestation(
                    given["epoch"],
                    bytes.fromhex(given["bitmap"]),
                    given["next"],
                    given["stateRoot"],
                    "",
                )
            validators[each["hotkey"]] = Validator(int(each["stake"]), given)
        miners = [
            Miner(
                Commitment(*(each[name] for name in ("hotkey", "model", "revision", "chute"))),
                each["block"],
                each["registered"],
            )
            for each in facts["miners"]
        ]
        snapshot = Snapshot(facts["rules"], frozenset(facts["hotkeys"]), validators, miners)
        state = decide(state, snapshot, facts["seals"], facts["lanes"]).state
        found.append(root_of(state))
    return found


def lane(case: Any) -> Any:
    """Returns the tallies of a lane, or None if it is void."""
    scope = case["scope"]
    blocks = {hash: text.encode("latin-1") for hash, text in case["blocks"].items()}
    given = Lane(
        scope=Scope(*(scope[name] for name in ("genesis", "netuid", "validator", "epoch"))),
        head=case["head"],
        last_head=case["previous"],
        commitment=scope["commitment"],
        beacon=scope["beacon"],
        champion=scope["champion"],
        quotas=scope["quotas"],
        spec_hashes=scope["specHashes"],
    )

    def fetch(hash: str, read: Callable[[bytes], Block]) -> Block:
        if hash not in blocks:
            raise FaultError("MISSING_BLOCK")
        return read(blocks[hash])

    try:
        return given.read(fetch)
    except FaultError:
        return None


def reply(case: Any) -> Any:
    """Returns the record of a reply, its answer, and the action that each environment reads."""
    record = recorded(case["text"])
    read = {name: game.parse(answer(record)) for name, game in GAMES.items()}
    actions = {name: list(a) if isinstance(a, tuple) else a for name, a in read.items()}
    return [record, answer(record), actions]


def slot(case: Any) -> Any:
    """Returns the commitment in a slot."""
    return described(read_slot(tuple(map(bytes.fromhex, case["fields"])), case["hotkey"]))


def proof(case: Any) -> Any:
    """Returns the sample that a proof shows, or None."""
    scope = Scope(*(case["scope"][name] for name in ("genesis", "netuid", "validator", "epoch")))
    try:
        sample = check_proof(case["text"].encode("latin-1"), scope, case["head"], case["most"])
    except FaultError:
        return None
    return canonical_text(sample)


def history(case: Any) -> Any:
    """Returns the roots and the flaws of a history, as far as it can be decided."""
    chain = read_chain(case["chain"].encode())
    verifier = Verifier(chain, Buckets(case["buckets"]), case["rules"])
    found: list[Any] = []
    try:
        for result in verifier.epochs():
            flaws = {(flaw.validator, flaw.code) for flaw in result.flaws}
            found.append([result.root, sorted(flaws)])
    except UnavailableError:
        found.append("unavailable")
    return found


KINDS = {each.__name__: each for each in (roots, lane, reply, slot, proof, history)}

if __name__ == "__main__":
    evidence.BLOCK_SAMPLES = int(sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        try:
            result = KINDS[case["kind"]](case)
        except Exception:
            result = {"error": traceback.format_exc()}
        print(json.dumps(result), flush=True)
