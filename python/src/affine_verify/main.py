"""The program `affine-verify`."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from affine_verify.buckets import Buckets, TooLargeError, is_url, read_file, read_url
from affine_verify.chain import Chain, read_chain
from affine_verify.commitments import Seal
from affine_verify.evidence import FaultError, Scope, require
from affine_verify.proof import PROOF_BYTES, check_proof, read_proof
from affine_verify.rules import LOCAL, plan_most
from affine_verify.verify import EpochResult, UnavailableError, Verifier

VALID, FLAWED, WRONG_USAGE, NOT_DONE = 0, 1, 2, 4
EXPORT_BYTES = 2**31
EXPORT_SECONDS = 600.0
BITTENSOR = ("finney", "test", "ws://", "wss://")


class UsageError(Exception):
    """An argument is wrong."""


class NotDoneError(Exception):
    """Something that the program needs is unavailable or invalid."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["proof"]:
            return _run_proof(_proof_parser().parse_args(words[1:]))
        return _run_history(_history_parser().parse_args(words))
    except UsageError as error:
        return _fail(error, WRONG_USAGE)
    except NotDoneError as error:
        return _fail(error, NOT_DONE)


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
    if where.startswith(BITTENSOR):
        raise UsageError(
            f"--network {where}: reading Bittensor's chain is not implemented: it needs the "
            "snapshots of section 5.1 at old blocks, from an archive node. Use af-verify, or give "
            "the export of a local chain"
        )
    try:
        data = _served_export(where) if is_url(where) else read_file(Path(where), EXPORT_BYTES)
    except TooLargeError as error:
        raise NotDoneError(f"--network {where}: the export is too large") from error
    if data is None and is_url(where):
        raise NotDoneError(f"--network {where}: no answer with status 200")
    if data is None:
        raise UsageError(f"--network {where}: no such file")
    try:
        return read_chain(data)
    except ValueError as error:
        raise NotDoneError(f"--network {where}: the export is invalid: {error}") from error


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
    verifier = Verifier(_chain_of(given.network), Buckets(base), LOCAL, given.first_epoch)
    root, flaws = "", 0
    try:
        for result in verifier.epochs():
            root = result.root
            flaws += len(result.flaws)
            _print_epoch(result, given.json)
    except UnavailableError as error:
        return _fail(error, FLAWED if flaws else NOT_DONE)
    if not root:
        raise NotDoneError("no epoch of the network has ended")
    line = {"kind": "end", "root": root, "flaws": flaws}
    print(json.dumps(line) if given.json else f"root {root}, {flaws} flaws")
    return FLAWED if flaws else VALID


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
    print(json.dumps({"kind": "epoch", **facts}) if is_json else _sentence(facts), flush=True)
    for flaw in result.flaws:
        text = json.dumps({"kind": "flaw", **vars(flaw)})
        print(text if is_json else f"  flaw: {flaw.validator} {flaw.code}", flush=True)


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
        proof, header = read_proof(data)
        validator, epoch = header["validator"], header["epoch"]
        scope = Scope(chain.genesis, chain.netuid, validator, epoch)
        head = _sealed_head(chain, validator, epoch)
        sample = check_proof(proof, header, scope, head, plan_most(LOCAL))
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
