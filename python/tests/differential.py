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
from affine_verify.chain import Neuron, View, read_chain
from affine_verify.commitments import Attestation, Commitment, Slot, read_slot
from affine_verify.evidence import Block, Lane, Scope, check_proof
from affine_verify.state import decide, first_state, root_of
from affine_verify.text import FaultError, require
from affine_verify.verify import recompute


def roots(case: Any) -> list[str]:
    """Returns the root of the state after each epoch."""
    state, found = first_state(case["rules"], 0), []
    for facts in case["epochs"]:
        slots: dict[str, tuple[Slot, int]] = {
            each["hotkey"]: (
                Commitment(*(each[name] for name in Commitment._fields)),
                each["block"],
            )
            for each in facts["miners"]
        }
        stakes = {each["hotkey"]: int(each["stake"]) for each in facts["validators"]}
        for each in facts["validators"]:
            if given := each.get("attest"):
                bits, roots = bytes.fromhex(given["bitmap"]), (given["next"], given["stateRoot"])
                slots[each["hotkey"]] = Attestation(given["epoch"], bits, *roots, ""), 0
        since = {each["hotkey"]: each["registered"] for each in facts["miners"]}
        neurons = {
            hotkey: Neuron(0, stakes.get(hotkey, 0), hotkey in stakes, since.get(hotkey, 0), 0)
            for hotkey in facts["hotkeys"]
        }
        view = View(neurons, slots, {})
        state = decide(state, view, facts["seals"], facts["lanes"], facts["rules"]).state
        found.append(root_of(state))
    return found


def lane(case: Any) -> Any:
    """Returns the tallies of a lane, or None if it is void."""
    scope, blocks = case["scope"], case["blocks"]
    state = {
        "protocol": {"envs": {env: {"specHash": h} for env, h in scope["specHashes"].items()}},
        "champion": {"hotkey": scope["champion"]},
        "heads": {scope["validator"]: case["previous"]},
        "due": {scope["validator"]: scope["commitment"]},
    }
    own = Scope(*(scope[name] for name in Scope._fields))

    def fetch(hash: str, read: Callable[[bytes], Block]) -> Block:
        require(hash in blocks, "MISSING_BLOCK")
        return read(blocks[hash].encode("latin-1"))

    try:
        return Lane(own, case["head"], scope["beacon"], state, scope["quotas"]).read(fetch)
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
    scope = Scope(*(case["scope"][name] for name in Scope._fields))
    try:
        data = case["text"].encode("latin-1")
        sample = check_proof(data, scope, case["head"], case["most"])
    except FaultError:
        return None
    return canonical_text(sample)


def history(case: Any) -> Any:
    """Returns roots, flaws and warnings by epoch, as far as the history can be decided."""
    chain = read_chain(case["chain"].encode())
    found: list[Any] = []
    try:
        for epoch in recompute(chain, Buckets(case["buckets"]), first_state(case["rules"], 0)):
            found.append([epoch.root, sorted(epoch.flaws), sorted(epoch.warnings)])
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
