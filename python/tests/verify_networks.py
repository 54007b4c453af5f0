"""The networks of `vectors/duel/networks.json` as arguments of `decide`."""

from collections.abc import Iterator, Mapping
from typing import Any

from vectors import examples

from affine_verify.chain import Neuron, View
from affine_verify.commitments import Attestation, Commitment, Slot
from affine_verify.evidence import Tallies
from affine_verify.rules import LOCAL
from affine_verify.state import State, decide, first_state, root_of

MAIN: dict[str, Any] = examples()["first state"]["out"]["state"]["protocol"]
"""The constants of the main network."""
HEAD, NEXT, OTHER_ROOT = "b" * 64, "c" * 64, "b" * 64
FULL = {env[0]: env for env in ("hex@0.1.0", "mult8@0.1.0", "tictactoe@0.1.0")}


def rules_at(changes: list[dict[str, Any]], epoch: int) -> dict[str, Any]:
    """Returns the local network's constants with the latest of `changes` up to this epoch."""
    change = next(each for each in reversed(changes) if each["from"] <= epoch)
    given = {name: value for name, value in change.items() if name not in ("from", "envs")}
    first = given.pop("quotaFirst", None)
    envs = {FULL[letter]: dict(LOCAL["envs"][FULL[letter]]) for letter in change.get("envs", FULL)}
    if first is not None:
        envs = {env: {**each, "quotaFirst": first} for env, each in envs.items()}
    return {**LOCAL, **given, "envs": envs}


def commitment(hotkey: str, revision: str) -> Commitment:
    """Returns a miner's commitment as vectors/README.md defines it."""
    return Commitment(hotkey, f"models/{hotkey}", revision, f"chutes/{hotkey}")


def tally(counts: list[int]) -> list[int]:
    """Returns the four numbers of a tally: wins, losses, and both miners' points."""
    wins, losses, *rest = counts
    if len(rest) == 1:
        return [wins, losses, (wins + rest[0]) * 10**6, (losses + rest[0]) * 10**6]
    return [wins, losses, *(rest or [0, 0])]


def bitmap(voters: Mapping[str, int], lanes: str) -> bytes:
    """Returns the bitmap of the voters whose hotkeys, of one letter each, are in `lanes`."""
    bits = sum(1 << index for index, hotkey in enumerate(sorted(voters)) if hotkey in lanes)
    return bits.to_bytes(16, "little")


def arguments_of(
    drawn: dict[str, Any], state: State, slots: dict[str, list[Any]]
) -> tuple[View, dict[str, str], dict[str, Tallies]]:
    """Returns the arguments of `decide` for an epoch. Adds the epoch's miners to `slots`."""
    slots.update({hotkey: rest for hotkey, *rest in drawn.get("miners", [])})
    stakes = {}
    given: dict[str, tuple[Slot, int]] = {
        h: (commitment(h, rest[0]), rest[1]) for h, rest in slots.items() if rest
    }
    for hotkey, stake, attested, lanes in drawn.get("validators", []):
        stakes[hotkey] = stake
        if attested:
            root = OTHER_ROOT if attested == "root" else root_of(state)
            bits = bitmap(state["voters"], lanes)
            attestation = Attestation(state["epoch"] - (attested == "epoch"), bits, NEXT, root, "")
            given[hotkey] = attestation, 0
    neurons = {}
    for hotkey in {*"abcdefg", *slots} - {*drawn.get("gone", [])}:
        *_, since = slots.get(hotkey) or [0]
        neurons[hotkey] = Neuron(0, stakes.get(hotkey, 0), hotkey in stakes, since, 0)
    lanes = {
        validator: {
            contender: {FULL.get(env, env): tally(counts) for env, counts in each.items()}
            for contender, each in lane.items()
        }
        for validator, lane in drawn.get("lanes", {}).items()
    }
    return View(neurons, given, {}), dict.fromkeys(drawn.get("seals", ""), HEAD), lanes


def roots_of(network: dict[str, Any]) -> Iterator[str]:
    """Yields the root after each epoch."""
    state: State = first_state(rules_at(network["rules"], 0), 0)
    slots: dict[str, list[Any]] = {}
    for epoch, drawn in enumerate(network["epochs"]):
        rules = rules_at(network["rules"], epoch + 1)
        state = decide(state, *arguments_of(drawn, state, slots), rules).state
        yield root_of(state)
