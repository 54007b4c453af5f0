"""The program `affine-verify`."""

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from affine_verify.attested_state import read_attested_state
from affine_verify.buckets import (
    NAME,
    Buckets,
    TooLargeError,
    UnavailableError,
    is_url,
    read_file,
    read_url,
)
from affine_verify.chain import Chain, read_chain
from affine_verify.commitments import Attestation, Seal
from affine_verify.evidence import FaultError, Scope, require
from affine_verify.proof import PROOF_BYTES, check_proof, read_proof
from affine_verify.rules import LOCAL, plan_most
from affine_verify.state import State, root_of
from affine_verify.verify import EpochResult, Verifier

VALID, FLAWED, WRONG_USAGE, NOT_DONE, STOPPED = 0, 1, 2, 4, 130
EXPORT_BYTES = 2**31
EXPORT_SECONDS = 600.0
BITTENSOR = re.compile("finney|test|local|wss?://.*")


class UsageError(Exception):
    """An argument is wrong."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    words = sys.argv[1:] if words is None else words
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if words[:1] == ["proof"]:
            return _run_proof(_proof_parser().parse_args(words[1:]))
        return _run_history(_history_parser().parse_args(words))
    except UsageError as error:
        return _fail(error, WRONG_USAGE)
    except UnavailableError as error:
        return _fail(error, NOT_DONE)
    except BrokenPipeError:  # the reader of the output closes it early
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return VALID
    except KeyboardInterrupt:
        return STOPPED


def _fail(error: Exception, code: int) -> int:
    print(f"affine-verify: {error}", file=sys.stderr)
    return code


def _history_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "affine-verify", description="Recompute a local network from its chain and its buckets."
    )
    parser.add_argument("buckets", nargs="?", help="the folder or URL of the buckets by name")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    parser.add_argument("--first-epoch", type=int, default=0, help="the network's first epoch")
    text = "begin with this epoch, from its attested state, which is believed"
    parser.add_argument("--from-epoch", type=int, help=text)
    _add_network(parser)
    return parser


def _proof_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "affine-verify proof", description="Check a proof of one sample against a seal on chain."
    )
    parser.add_argument("file", help="the proof, which the page saves as a file")
    _add_network(parser)
    return parser


def _add_network(parser: argparse.ArgumentParser) -> None:
    text = "the file, or the http URL, of a local chain's export"
    parser.add_argument("--network", required=True, help=text)


def _chain_of(where: str) -> Chain:
    if BITTENSOR.fullmatch(where):
        raise UsageError(
            f"--network {where}: reading Bittensor's chain is not implemented: it needs the "
            "snapshots of section 5.1 at old blocks, from an archive node. Use af-verify, or give "
            "the export of a local chain"
        )
    try:
        data = _served_export(where) if is_url(where) else read_file(Path(where), EXPORT_BYTES)
    except TooLargeError as error:
        raise UnavailableError(f"--network {where}: the export is too large") from error
    if data is None and is_url(where):
        raise UnavailableError(f"--network {where}: no answer with status 200")
    if data is None:
        raise UsageError(f"--network {where}: no such file")
    try:
        return read_chain(data)
    except ValueError as error:
        raise UnavailableError(f"--network {where}: the export is invalid: {error}") from error


def _served_export(url: str) -> bytes | None:
    """Returns the export that `af localnet`, which answers questions, or a web server serves.

    An answer to `{"log":n}` is the first line and the blocks from n.
    """
    answer = read_url(url, EXPORT_BYTES, EXPORT_SECONDS, b'{"log":0}')
    if answer is None:
        return read_url(url, EXPORT_BYTES, EXPORT_SECONDS)
    lines = answer.splitlines(keepends=True)
    while len(lines) > 1:
        question = b'{"log":%d}' % (len(lines) - 1)
        answer = read_url(url, EXPORT_BYTES, EXPORT_SECONDS, question)
        more = answer.splitlines(keepends=True)[1:] if answer else []
        lines += more
        if len(more) <= 1:
            break
    return b"".join(lines)


def _run_history(given: argparse.Namespace) -> int:
    base = given.buckets
    if base is not None and not is_url(base) and not Path(base).is_dir():
        raise UsageError(f"buckets {base}: no such folder")
    if given.first_epoch < 0:
        raise UsageError("--first-epoch expected an integer from 0")
    chain, buckets = _chain_of(given.network), Buckets(base)
    _check_base(base, chain)
    first, ended = given.first_epoch, len(chain.hashes) // LOCAL["epochBlocks"]
    if ended <= first:
        raise UnavailableError("no epoch of the network has ended")
    begin = first if given.from_epoch is None else given.from_epoch
    if not first <= begin < ended:
        raise UsageError(f"--from-epoch expected an epoch from {first} to {ended - 1}, got {begin}")
    state = None if begin == first else read_attested_state(chain, buckets, LOCAL, begin)
    verifier = Verifier(chain, buckets, LOCAL, first, state)
    _print_beginning(verifier.state, state is not None, given.json)
    root, flaws = "", 0
    try:
        for result in verifier.epochs():
            root = result.root
            flaws += len(result.flaws)
            _print_epoch(result, given.json)
    except UnavailableError as error:
        return _fail(error, FLAWED if flaws else NOT_DONE)
    _print("end", {"root": root, "flaws": flaws}, f"root {root}, {flaws} flaws", given.json)
    return FLAWED if flaws else VALID


def _check_base(base: str | None, chain: Chain) -> None:
    """Refuses a folder that has no bucket of those that validators announce by name."""
    view = chain.views[-1]
    slots = [view.slot(neuron.hotkey)[0] for neuron in view.neurons if neuron.has_permit]
    addresses = [slot.address for slot in slots if isinstance(slot, Seal | Attestation)]
    names = [address for address in addresses if NAME.fullmatch(address)]
    if not names or (base is not None and is_url(base)):
        return
    if base is None or not any((Path(base) / name).is_dir() for name in names):
        advice = f"expected the folder or URL of the buckets announced by name, such as {names[0]}"
        raise UsageError(f"buckets {base or ''}: {advice}")


def _print_epoch(result: EpochResult, is_json: bool) -> None:
    champion = result.state.get("champion")
    facts = {
        "epoch": result.epoch,
        "root": result.root,
        "champion": champion["hotkey"] if champion else None,
        "frozen": result.decision.acceptance.is_frozen,
        "begun": result.decision.begun,
        "lost": result.decision.lost,
        "crowned": result.decision.crowned,
    }
    _print("epoch", facts, _sentence(facts), is_json)
    for kind, findings in (("flaw", result.flaws), ("warning", result.warnings)):
        for each in findings:
            _print(kind, vars(each), f"  {kind}: {each.validator} {each.code}", is_json)


def _print_beginning(state: State, is_believed: bool, is_json: bool) -> None:
    facts = {"epoch": state["epoch"], "root": root_of(state), "believed": is_believed}
    source = "the network's first"
    if is_believed:
        source = (
            "which more than half of the active stake attests; epochs before are not recomputed"
        )
    text = f"begins with epoch {facts['epoch']} and the state {facts['root']}, {source}"
    _print("begin", facts, text, is_json)


def _print(kind: str, facts: Mapping[str, Any], text: str, is_json: bool) -> None:
    print(json.dumps({"type": kind, **facts}) if is_json else text, flush=True)


def _sentence(facts: Mapping[str, Any]) -> str:
    parts = [f"epoch {facts['epoch']}", facts["root"], f"champion {facts['champion'] or 'none'}"]
    parts += ["frozen"] if facts["frozen"] else []
    parts += [f"{hotkey} begins a duel" for hotkey in facts["begun"]]
    parts += [f"{hotkey} has lost" for hotkey in facts["lost"]]
    parts += [f"{facts['crowned']} takes the throne"] if facts["crowned"] else []
    return ", ".join(parts)


def _run_proof(given: argparse.Namespace) -> int:
    chain = _chain_of(given.network)
    try:
        data = read_file(Path(given.file), PROOF_BYTES)
    except TooLargeError as error:
        text = f"proof {given.file}: expected at most {PROOF_BYTES} bytes"
        raise UsageError(text) from error
    if data is None:
        raise UsageError(f"proof {given.file}: no such file")
    try:
        _, header = read_proof(data)
        validator, epoch = header["validator"], header["epoch"]
        scope = Scope(chain.genesis, chain.netuid, validator, epoch)
        head = _sealed_head(chain, validator, epoch)
        sample = check_proof(data, scope, head, plan_most(LOCAL))
    except FaultError as fault:
        print(f"invalid: {fault.code}")
        return FLAWED
    what = f"{sample['env']}#{sample['index']} {sample['challengeId']}"
    print(f"valid: {what} of {validator}, epoch {epoch}")
    return VALID


def _sealed_head(chain: Chain, validator: str, epoch: int) -> str:
    """Returns the head that a validator sealed in an epoch, or raises a FaultError."""
    block = epoch * LOCAL["epochBlocks"] + LOCAL["sealBlock"]
    require(block < len(chain.views), "BAD_PROOF")
    slot, _ = chain.views[block].slot(validator)
    if not isinstance(slot, Seal) or slot.epoch != epoch:
        raise FaultError("BAD_PROOF")
    return slot.head


if __name__ == "__main__":
    sys.exit(main())
