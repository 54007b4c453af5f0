"""Tests the vectors of verifiers, and the examples of docs/protocol.md in chapters 1 and 5 to 9."""

import json
import re
from collections.abc import Mapping
from hashlib import blake2b, sha512
from typing import Any

import pytest

pytest.importorskip("ed25519_zebra", reason="needs the extra `verify`")

import ed25519_zebra
from vectors import ROOT, examples, vectors_of
from verify_networks import MAIN, bitmap, commitment, roots_of

from affine_envs.canonical_json import canonical_text
from affine_envs.challenge import ALPHABET
from affine_envs.digest import digest
from affine_verify import merkle
from affine_verify.chain import Neuron, View, read_chain
from affine_verify.commitments import Attestation, Commitment, Seal, Slot, read_slot
from affine_verify.evidence import Scope, check_proof, plan_of, read_block, read_sample
from affine_verify.judging import (
    MILLION,
    Counts,
    Evidence,
    are_apart,
    best_of,
    bound_of,
    decayed_ratio,
    judge,
    raised_ratio,
    supported,
    trust_of,
)
from affine_verify.keys import SMALL_ORDER, is_signed, is_signed_ed25519, public_key
from affine_verify.rules import LOCAL
from affine_verify.state import (
    acceptance_of,
    content_of,
    decide,
    first_state,
    outcome_of,
    queue_of,
    read_state,
    root_of,
    weigh_voters,
)
from affine_verify.text import FaultError, parse
from affine_verify.verify import COPY_FAULTS

EXAMPLES = examples()


def read(name: str) -> Any:
    """Returns the content of a file below `vectors/`."""
    return json.loads((ROOT / "vectors" / name).read_text(encoding="utf-8"))


def example(name: str) -> tuple[Any, Any]:
    """Returns `in` and `out` of an example on the page."""
    return EXAMPLES[name]["in"], EXAMPLES[name]["out"]


# Chapter 1


def is_canonical(text: str) -> bool:
    try:
        parse(text.encode("utf-8", "surrogatepass"), lambda _: True, "NOT_CANONICAL")
    except ValueError:
        return False
    return True


def test_reads_canonical_texts_only() -> None:
    for vector in vectors_of("prng/canonical-json"):
        expected = vector["want"].get("text") == vector["input"]
        assert is_canonical(vector["input"]) == expected, vector["what"]
    for texts in example("refused texts")[0].values():
        assert not any(map(is_canonical, texts))
    assert not is_canonical("[" * 10**6)
    assert is_canonical('"[[[[[[[[[[[[[[[[[[[["')


def test_computes_merkle_roots_and_checks_proofs() -> None:
    given = read("blocks/merkle-blake3.json")
    for vector in given["roots"]:
        assert merkle.root_of([line.encode() for line in vector["input"]]).hex() == vector["want"]
    for vector in given["proofs"]:
        parts = vector["input"]
        index, size = parts["index"], parts["size"]
        path = [bytes.fromhex(each) for each in parts["proof"]]
        root = bytes.fromhex(parts["root"])
        found = isinstance(index, int) and merkle.is_included(
            parts["leaf"].encode(), index, size, path, root
        )
        assert found == vector["want"], vector["what"]


LANE = Scope("11" * 32, 120, "5CcyqxXnJucaCnQQvvUg5EPzj1uoNAxACZvzArHw5aVDvgNH", 7)
"""The lane of the block on the page."""


def test_verifies_proofs() -> None:
    for vector in read("blocks/copies.json")["proofs"]:
        text = canonical_text(vector["input"]["proof"]).encode()
        try:
            check_proof(text, LANE, vector["input"]["head"], 2)
            found = True
        except FaultError:
            found = False
        assert found == vector["want"], vector["what"]


def test_tells_altered_copies_from_faults_of_a_validator() -> None:
    for vector in read("blocks/copies.json")["vectors"]:
        data = b"".join(bytes.fromhex(part) * times for part, times in vector["input"]["copy"])
        try:
            for line in read_block(data, vector["input"]["hash"], LANE).lines:
                read_sample(line)
            found = "valid"
        except FaultError as fault:
            found = "altered" if str(fault) in COPY_FAULTS else str(fault)
        assert found == vector["want"], vector["what"]


def test_reads_hotkeys_and_checks_signatures() -> None:
    given = read("chain/accounts.json")
    for vector in given["addresses"]:
        key = public_key(vector["input"])
        assert (key.hex() if key else None) == vector["want"], vector["what"]
    for vector in given["signatures"]:
        message, signature = (bytes.fromhex(vector[name]) for name in ("message", "signature"))
        found = is_signed(vector["hotkey"], message, signature)
        assert found == vector["want"], vector["what"]
    for vector in given["ed25519"]:
        message, signature = (bytes.fromhex(vector[name]) for name in ("message", "signature"))
        assert is_signed_ed25519(vector["hotkey"], message, signature)
        assert not is_signed_ed25519(vector["hotkey"], message + b"!", signature)
        assert not is_signed(vector["hotkey"], message, signature)


def hotkey_of(public: bytes) -> str:
    """Returns the SS58 address of a public key."""
    data = b"\x2a" + public
    number = int.from_bytes(data + blake2b(b"SS58PRE" + data, digest_size=64).digest()[:2], "big")
    text = ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return text


ORDER = 2**252 + 27742317777372353535851937790883648493
IDENTITY = (1).to_bytes(32, "little")
TAMPERED = {
    "the y of the identity plus the prime": (2**255 - 18).to_bytes(32, "little"),
    "the identity with a sign": (2**255 + 1).to_bytes(32, "little"),
}


def test_checks_ed25519_as_the_page_defines_it() -> None:
    # A signature whose point is the identity has this scalar: the key's scalar times the challenge.
    seed = b"affine".ljust(32)
    secret = int.from_bytes(sha512(seed).digest()[:32], "little") & (2**254 - 8) | 2**254
    _, key = ed25519_zebra.ed_from_seed(seed)

    def signed(point: bytes) -> bytes:
        challenge = int.from_bytes(sha512(point + key + b"text").digest(), "little")
        return point + (challenge * secret % ORDER).to_bytes(32, "little")

    assert is_signed_ed25519(hotkey_of(key), b"text", signed(IDENTITY))
    for what, point in TAMPERED.items():
        assert ed25519_zebra.ed_verify(signed(point), b"text", key), what
        assert not is_signed_ed25519(hotkey_of(key), b"text", signed(point)), what
    for y in SMALL_ORDER:
        for sign in (0, 2**255):
            small = (y + sign).to_bytes(32, "little")
            assert not is_signed_ed25519(hotkey_of(small), b"", IDENTITY + bytes(32))


# Chapter 5


def test_reads_commitments() -> None:
    for case in read("chain/commitments.json")["cases"]:
        fields = tuple(bytes.fromhex(field) for field in case["input"]["fields"])
        slot = read_slot(fields, case["input"]["hotkey"])
        assert described(slot) == case["want"], case["what"]


def described(slot: Any) -> Any:
    """Returns a slot as the vectors write it."""
    if isinstance(slot, Seal):
        return {"kind": "seal", "epoch": slot.epoch, "head": slot.head, "url": slot.address}
    if isinstance(slot, Attestation):
        given = {"bitmap": slot.bitmap.hex(), "next": slot.next, "stateRoot": slot.root}
        return {"kind": "attest", "epoch": slot.epoch, **given, "url": slot.address}
    if isinstance(slot, Commitment):
        return {"kind": "miner", **{k: v for k, v in slot._asdict().items() if k != "hotkey"}}
    return None


def test_replays_the_log_of_a_local_chain() -> None:
    given = read("chain/log.json")
    text = "".join(canonical_text(line) + "\n" for line in given["log"])
    chain = read_chain(text.encode())
    want, view = given["want"], chain.views[-1]
    assert {"number": len(chain.hashes) - 1, "hash": chain.hashes[-1]} == want["head"]
    found = [
        {
            "uid": each.uid,
            "hotkey": hotkey,
            "stake": str(each.stake),
            "permit": each.has_permit,
            "registered": each.registered,
            "lastUpdate": each.last_update,
        }
        for hotkey, each in sorted(view.neurons.items(), key=lambda pair: pair[1].uid)
    ]
    assert found == want["neurons"]
    assert sorted([h, block] for h, (_, block) in view.slots.items()) == want["commitments"]
    weights = {h: [list(pair) for pair in each.items()] for h, each in view.weights.items()}
    assert weights == want["weights"]
    for altered in (text[:-1], text.replace("4000", "4001", 1), text.replace('"nonce":1', "1", 1)):
        with pytest.raises(ValueError):
            read_chain(altered.encode())


def test_writes_bitmaps() -> None:
    given, want = example("bitmap")
    order = {hotkey: 1 for hotkey in given["voters"]}
    found = sum(1 << i for i, h in enumerate(sorted(order)) if h in given["whole"])
    assert found.to_bytes(16, "little").hex() == want


# Chapter 6


def test_reads_the_block_on_the_page() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    found = re.search(r"^```jsonl\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    keys, ids = example("keys")[1], example("ids")
    given, want = example("block")
    scope = Scope(ids[0]["genesis"], 120, keys["validator"]["hotkey"], 7)
    block = read_block(found[1].encode(), want["hash"], scope)
    assert block.header["root"] == want["root"]
    plan = plan_of(given["champion"], given["quotas"])
    assert [place.miners for place in plan] == [
        (keys["champion"]["hotkey"],),
        (keys["contender"]["hotkey"],),
    ]


# Chapter 8


RULES = [MAIN, LOCAL, {**MAIN, "floorZSquaredPpm": MAIN["aloneZSquaredPpm"]}]


def counts_of(lane: Any) -> Counts:
    if isinstance(lane, dict):
        names = ("wins", "losses", "played", "contenderPoints", "championPoints")
        lane = [lane[name] for name in names]
    wins, losses, played, *points = lane
    return Counts(wins, losses, *points)._replace(played=played)


def shown_of(view: Evidence) -> dict[str, Any]:
    """Returns evidence as `compact.json` writes it."""
    lead, variance = view.score
    middle = view.middle()
    # The vectors have `continue` for no verdict, and for `even`, which epoch 0 gives only if all
    # of at least 96 challenges are ties.
    verdict = view.verdict(0)
    return {
        "setAside": sorted(view.aside),
        "win": [str(each) for each in view.win],
        "hold": [str(each) for each in view.hold],
        "score": [str(lead), str(100 * variance)],
        "rates": [view.rate("contender_points"), view.rate("champion_points")],
        "verdict": "continue" if verdict in (None, "even") else verdict,
        **({"median": [middle.trials, middle.played]} if view.lanes else {}),
    }


def test_judges_one_environment_of_several_lanes() -> None:
    for vector in vectors_of("duel/compact"):
        epochs = [{h: counts_of(x) for h, x in each.items()} for each in vector["epochs"]]
        view = judge(vector["weights"], epochs, vector["ratio"], RULES[vector["rule"]])
        assert shown_of(view) == vector["want"]
    for vector in vectors_of("duel/evidence"):
        given = vector["input"]
        epochs = [{h: counts_of(x) for h, x in each.items()} for each in given["epochs"]]
        view = judge(given["weights"], epochs, given["ratioPpm"], {**MAIN, **given["rule"]})
        pairs = ("win", "hold", "score", "median", "rates")
        want = vector["want"]
        want = {k: list(v.values()) if k in pairs else v for k, v in want.items()}
        assert shown_of(view) == want, vector["what"]


def test_crowns_the_best() -> None:
    for vector in vectors_of("duel/crowning"):
        shown = []
        for duel in vector["duels"]:
            views = {}
            for env, lanes in duel.items():
                epochs = [{h: counts_of(x) for h, x in each.items()} for each in lanes]
                views[env] = judge(vector["weights"], epochs, 510000, MAIN).shown(
                    "contender_points"
                )
            shown.append(views)
        most = dict.fromkeys(shown[0], vector["most"])
        assert best_of(shown, MAIN, most) == vector["want"]


def test_raises_and_lowers_the_ratio() -> None:
    for vector in vectors_of("duel/ratchet"):
        bounds = []
        for won in vector["input"]:
            wins, trials = int(won["wins"]), int(won["trials"])
            limit = supported(won["contender"], won["champion"])
            bounds.append(min(bound_of(wins, trials, MAIN), limit))
        assert (bounds, raised_ratio(bounds, MAIN)) == (vector["bounds"], vector["want"])
    for vector in vectors_of("duel/decay"):
        ratio = vector["input"]
        wants = vector["want"] if isinstance(vector["want"], list) else [vector["want"]]
        for want in wants:
            ratio = decayed_ratio(ratio, MAIN)
            assert ratio == want, vector["what"]
    for vector in vectors_of("duel/trust"):
        assert trust_of(**vector["input"]) == vector["want"]


def test_orders_the_queue() -> None:
    for vector in vectors_of("duel/queue"):
        miners = vector["miners"]
        slots = {h: (commitment(h, revision), block) for h, revision, block, _ in miners}
        neurons = {
            hotkey: Neuron(0, 0, False, since, 0)
            for hotkey, *_, since in miners
            if hotkey in vector["registered"]
        }
        played = {
            hotkey: {
                "content": content_of(commitment(hotkey, rev)),
                **({"left": left} if left else {}),
            }
            for hotkey, rev, left in vector["lastPlayed"]
        }
        playing = {*vector["listed"], vector["champion"]}
        found = [miner.hotkey for miner in queue_of(View(neurons, slots, {}), played, playing)]
        assert found == vector["want"]


def test_weighs_voters_and_accepts_lanes() -> None:
    for vector in vectors_of("duel/weights"):
        active = {hotkey: int(stake) for hotkey, stake in vector["attested"].items()}
        stakes = {h: min(int(s), active[h]) for h, s, *_ in vector["validators"] if h in active}
        trust = {h: {"correct": c, "incorrect": i} for h, _, c, i in vector["validators"]}
        assert weigh_voters(stakes, trust, vector["most"]) == vector["want"]
    for vector in vectors_of("duel/acceptance"):
        counted = {
            hotkey: Attestation(0, bytes.fromhex(bits), "", "", "")
            for hotkey, (bits, fault) in vector["attests"].items()
            if fault == "none"
        }
        found = acceptance_of(vector["weights"], counted)
        want = vector["want"]
        asked = sorted(found.attested & set(vector["due"]))
        whole = {*vector["sealed"]} & {*vector["whole"]}
        assert found.is_frozen == want["frozen"]
        assert asked == want["asked"]
        assert [hotkey for hotkey in asked if hotkey in whole] == want["accepted"]


def test_computes_what_the_page_shows() -> None:
    given, want = example("outliers")
    found = [are_apart(*[*each["lane"], *each["median"], 36]) for each in given]
    assert found == [each["aside"] for each in want]
    given, want = example("apart")
    found = [are_apart(*[*each["one"], *each["other"], 4, MILLION]) for each in given]
    assert found == [each["apart"] for each in want]
    given, want = example("outcomes")
    outcomes = {"won": "contender", "lost": "champion", "open": "open"}
    for verdicts, expected in zip(given, want, strict=True):
        rules = {"envs": dict.fromkeys(map(str, range(len(verdicts)))), "margin": 1}
        known = {str(i): each for i, each in enumerate(verdicts) if each != "continue"}
        assert outcomes[outcome_of(known, rules)] == expected
    given, want = example("one environment of four lanes")
    epochs = [{h: counts_of(each) for h, each in given["lanes"].items()}]
    view = judge(given["weights"], epochs, given["ratio"], MAIN)
    assert (sorted(view.aside), view.verdict(1)) == (want["aside"], want["given"])
    assert ([*view.win], [*view.hold]) == (want["win"], want["hold"])


# Chapter 9


def test_has_the_constants_of_the_page() -> None:
    _, want = example("first state")
    assert first_state(MAIN, 0) == want["state"]
    assert root_of(want["state"]) == want["root"]
    _, want = example("local constants")
    envs = {env: {**MAIN["envs"][env], **own} for env, own in want["envs"].items()}
    assert {**MAIN, **want, "envs": {**MAIN["envs"], **envs}} == LOCAL


def test_computes_the_root_of_a_state() -> None:
    given = read("duel/states.json")
    assert digest("state", given["base"]) == given["root"]


def edited(state: Any, edit: dict[str, Any]) -> Any:
    """Returns a copy of a state in which an edit has replaced or removed the value at its path."""
    copy = json.loads(json.dumps(state))
    *path, last = (int(name) if name.isdecimal() else name for name in edit["path"].split())
    place = copy
    for name in path:
        place = place[name]
    if "to" in edit:
        place[last] = edit["to"]
    else:
        del place[last]
    return copy


UNCHECKED = {"more than the quota", "more points than the quota has",
             "an environment that is not played", "past any count"}  # fmt: skip
"""Edits after which a state is still read: a reader believes the majority that attests it."""


def is_read(state: Any, rules: Any, epoch: int) -> bool:
    """Reports whether the canonical text of a state, valid or not, is accepted."""
    try:
        read_state(json.dumps(state, sort_keys=True, separators=(",", ":")).encode(), rules, epoch)
    except FaultError:
        return False
    return True


def test_begins_with_valid_states_only() -> None:
    given = read("duel/states.json")
    base = given["base"]
    rules, epoch = base["protocol"], base["epoch"]
    assert is_read(base, rules, epoch)
    for edit in given["edits"]:
        state = edited(base, edit)
        is_expected = edit["what"] in UNCHECKED and state["epoch"] == epoch
        assert is_read(state, rules, epoch) == is_expected, edit["what"]


def test_decides_networks_long() -> None:
    for number, network in enumerate(vectors_of("duel/networks")):
        found = [root[:16] for root in roots_of(network)]
        assert found == network["roots"], f"network {number}"


def test_decides_the_story() -> None:
    story = read("duel/story.json")
    envs = {env: MAIN["envs"][env] for env in ("mult8@0.1.0", "tictactoe@0.1.0")}
    rules = {**MAIN, "envs": envs}
    miners: dict[str, tuple[Slot, int]] = {
        name: (Commitment(name, f"lab/{name}", "main", name), 100 + index)
        for index, name in enumerate(("m1", "m2", "m3"))
    }
    stakes = story["in"]["stakes"]
    state = first_state(rules, 0)
    for epoch, (given, want) in enumerate(zip(story["in"]["epochs"], story["out"], strict=True)):
        lanes = {
            validator: {
                contender: {e: [w, n, w * MILLION, n * MILLION] for e, (w, n) in each.items()}
                for contender, each in lane.items()
            }
            for validator, lane in given.items()
        }
        silent = {"a"} if epoch == 4 else set()
        bits = bitmap(state["voters"], "".join(lanes))
        attestation = Attestation(epoch, bits, "7" * 64, root_of(state), "")
        neurons = {h: Neuron(0, stakes.get(h, 0), h in stakes, 0, 0) for h in [*stakes, *miners]}
        slots = {**miners, **{h: (attestation, 0) for h in stakes.keys() - silent}}
        seals = dict.fromkeys(lanes, "8" * 64)
        decision = decide(state, View(neurons, slots, {}), seals, lanes, rules)
        state = decision.state
        assert decision.acceptance.is_frozen == want["frozen"]
        assert (root_of(state), state["ratio"]) == (want["root"], want["ratio"])


def test_writes_the_bits_of_voters() -> None:
    voters: Mapping[str, int] = {"a": 1, "b": 1, "c": 1}
    assert bitmap(voters, "ac")[0] == 5
    assert commitment("m", "r").model == "models/m"
