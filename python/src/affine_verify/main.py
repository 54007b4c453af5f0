"""The program `affine-verify`."""

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from affine_verify.buckets import NAME, Buckets, UnavailableError, is_url, read_file, read_url
from affine_verify.chain import Chain, read_chain
from affine_verify.commitments import Attestation, Seal
from affine_verify.evidence import PROOF_BYTES, Scope, check_proof, read_proof
from affine_verify.rules import UsageError, plan_most, rules_of
from affine_verify.state import first_state, root_of
from affine_verify.text import FaultError, require
from affine_verify.verify import Epoch, read_attested_state, recompute

VALID, FLAWED, WRONG_USAGE, NOT_DONE, STOPPED = 0, 1, 2, 4, 130
EXPORT_BYTES = 2**31
EXPORT_SECONDS = 600.0
BITTENSOR = re.compile("finney|test|local|wss?://.*")


def main(words: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit code."""
    words = sys.argv[1:] if words is None else words
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if words[:1] == ["proof"]:
            return _run_proof(_proof_parser().parse_args(words[1:]))
        return _run_history(_history_parser().parse_args(words))
    except (UsageError, UnavailableError) as error:
        return _fail(error, WRONG_USAGE if isinstance(error, UsageError) else NOT_DONE)
    except BrokenPipeError:  # the reader of the output closes it early
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return VALID
    except KeyboardInterrupt:
        return STOPPED


def _fail(error: Exception, code: int) -> int:
    print(f"affine-verify: {error}", file=sys.stderr)
    return code


def _history_parser() -> argparse.ArgumentParser:
    parser = _parser("affine-verify", "Recompute a local network from its chain and its buckets.")
    parser.epilog = "To check a proof of one sample: affine-verify proof --help"
    parser.add_argument("buckets", nargs="?", help="the folder or URL of the buckets by name")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    parser.add_argument("--first-epoch", type=int, default=0, help="the network's first epoch")
    parser.add_argument("--from-epoch", type=int, help="trust its attested state")
    return parser


def _proof_parser() -> argparse.ArgumentParser:
    parser = _parser("affine-verify proof", "Check a proof of one sample against a seal on chain.")
    parser.add_argument("file", help="the proof, which the page saves as a file")
    return parser


def _parser(name: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(name, description=description)
    parser.add_argument("--network", required=True, help="a local chain's export: a file or a URL")
    return parser


def _read_network(where: str) -> tuple[Chain, dict[str, Any]]:
    """Returns the chain and the constants of a network."""
    if BITTENSOR.fullmatch(where):
        raise UsageError(
            f"--network {where}: reading Bittensor's chain is not implemented: it needs the "
            "snapshots of section 5.1 at old blocks, from an archive node. Use af-verify, or give "
            "the export of a local chain"
        )
    data = _served_export(where) if is_url(where) else read_file(Path(where), EXPORT_BYTES)
    if data is None and is_url(where):
        advice = "check the URL, and that its server runs"
        raise UnavailableError(f"--network {where}: no answer with status 200: {advice}")
    if data is None:
        raise UsageError(f"--network {where}: no such file")
    if len(data) > EXPORT_BYTES:
        raise UnavailableError(f"--network {where}: the export is too large")
    try:
        chain = read_chain(data)
    except FaultError as fault:
        raise UnavailableError(f"--network {where}: the export is invalid: {fault}") from fault
    return chain, rules_of(chain.first.get("envs"))


def _served_export(url: str) -> bytes | None:
    """Returns the export at a URL of `af localnet` or of a web server.

    `af localnet` answers the question `{"log":n}` with the first line and some blocks from n on.
    """
    lines, has_more = list[bytes](), True
    while has_more and sum(map(len, lines)) <= EXPORT_BYTES:
        question = b'{"log":%d}' % max(0, len(lines) - 1)
        answer = read_url(url, EXPORT_BYTES, EXPORT_SECONDS, question) or b""
        first, *blocks = answer.splitlines(keepends=True) or [b""]
        lines += blocks if lines else [first, *blocks]
        has_more = len(blocks) > 1
    return b"".join(lines) or read_url(url, EXPORT_BYTES, EXPORT_SECONDS)


def _run_history(given: argparse.Namespace) -> int:
    base = given.buckets
    if base is not None and not is_url(base) and not Path(base).is_dir():
        raise UsageError(f"buckets {base}: no such folder")
    chain, rules = _read_network(given.network)
    buckets = Buckets(base)
    _check_base(base, chain)
    first, ended = given.first_epoch, len(chain.hashes) // rules["epochBlocks"]
    if ended <= first:
        raise UnavailableError("no epoch of the network has ended")
    begin = first if given.from_epoch is None else given.from_epoch
    if not 0 <= first <= begin < ended:
        expected = f"--first-epoch expected 0 or more, and --from-epoch {first} to {ended - 1}"
        raise UsageError(f"{expected}, got {first} and {begin}")
    state, is_first = first_state(rules, first), begin == first
    state = state if is_first else read_attested_state(chain, buckets, rules, begin)
    root, flaws, show = root_of(state), 0, partial(_show, given.json)
    show("begin", epoch=begin, root=root, believed=not is_first)
    try:
        for epoch in recompute(chain, buckets, state):
            root = epoch.root
            flaws += len(epoch.flaws)
            _show_epoch(epoch, show)
    except UnavailableError as error:
        return _fail(error, FLAWED if flaws else NOT_DONE)
    show("end", root=root, flaws=flaws)
    return FLAWED if flaws else VALID


def _check_base(base: str | None, chain: Chain) -> None:
    """Raises a UsageError if validators announce names, and none is found below the base."""
    view = chain.views[-1]
    slots = [view.slot(hotkey) for hotkey, neuron in view.neurons.items() if neuron.has_permit]
    addresses = [slot.address for slot in slots if isinstance(slot, Seal | Attestation)]
    names = [address for address in addresses if NAME.fullmatch(address)]
    is_known = base is not None and (is_url(base) or any((Path(base) / n).is_dir() for n in names))
    if names and not is_known:
        advice = f"expected the folder or URL of the buckets announced by name, such as {names[0]}"
        raise UsageError(f"buckets {base or ''}: {advice}")


def _show_epoch(epoch: Epoch, show: Callable[..., None]) -> None:
    state, acceptance, _, lost, crowned, begun = epoch.decision
    champion, is_frozen = state.get("champion", {}).get("hotkey"), acceptance.is_frozen
    turns = {"frozen": is_frozen, "begun": begun, "lost": lost, "crowned": crowned}
    show("epoch", epoch=epoch.number, root=epoch.root, champion=champion, **turns)
    for kind, findings in (("flaw", epoch.flaws), ("warning", epoch.warnings)):
        for validator, code in findings:
            show(kind, validator=validator, epoch=epoch.number, code=code)


def _show(is_json: bool, kind: str, **facts: Any) -> None:
    """Prints all facts as JSON, or as text without None and empty lists."""
    texts = [f"{name} {each}" for name, each in facts.items() if each not in (None, [])]
    print(json.dumps({"type": kind, **facts}) if is_json else ", ".join([kind, *texts]), flush=True)


def _run_proof(given: argparse.Namespace) -> int:
    chain, rules = _read_network(given.network)
    data = read_file(Path(given.file), PROOF_BYTES)
    if data is None or len(data) > PROOF_BYTES:
        expected = f"expected a file of at most {PROOF_BYTES} bytes"
        raise UsageError(f"proof {given.file}: {'no such file' if data is None else expected}")
    try:
        _, header = read_proof(data)
        validator, epoch = header["validator"], header["epoch"]
        block = epoch * rules["epochBlocks"] + rules["sealBlock"]
        require(block < len(chain.views), "BAD_PROOF")
        seal = chain.views[block].slot(validator)
        if not isinstance(seal, Seal) or seal.epoch != epoch:
            raise FaultError("BAD_PROOF")
        scope = Scope(chain.genesis, chain.netuid, validator, epoch)
        sample = check_proof(data, scope, seal.head, plan_most(rules))
    except FaultError as fault:
        print(f"invalid: {fault}")
        return FLAWED
    what = f"{sample['env']}#{sample['index']} {sample['challengeId']}"
    print(f"valid: {what} of {validator}, epoch {epoch}")
    return VALID


if __name__ == "__main__":
    sys.exit(main())
