"""One sample alone. Protocol §6.6."""

from collections.abc import Sequence
from typing import Any

from affine_verify import merkle
from affine_verify.evidence import (
    SAMPLE_BYTES,
    FaultError,
    Scope,
    check_signature,
    read_header,
    read_sample,
    require,
)
from affine_verify.text import fits, is_hash, is_text, is_uint, list_of, parse

PROOF_BYTES = 16 * SAMPLE_BYTES
PROOF = {
    "sample": is_text,
    "index": is_uint,
    "path": list_of(is_hash, 11),
    "header": is_text,
    "signature": is_text,
    "links": list_of(is_text),
}


def read_proof(data: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns a proof file and its header, or raises a FaultError; checks only the schema."""
    require(len(data) <= PROOF_BYTES, "BAD_PROOF")
    try:
        proof = parse(data)
    except ValueError:
        raise FaultError("BAD_PROOF") from None
    require(fits(proof, PROOF), "BAD_PROOF")
    return proof, _read_link(proof["header"])


def check_proof(data: bytes, scope: Scope, head: str, plan_samples: int) -> dict[str, Any]:
    """Returns the sample that a proof shows, or raises a FaultError.

    The scope, the sealed head and the number of samples in the lane's plan are the reader's own.
    """
    proof, header = read_proof(data)
    require(all(header[name] == value for name, value in vars(scope).items()), "BAD_PROOF")
    require(len(proof["links"]) <= plan_samples, "BAD_PROOF")
    hash = merkle.leaf(proof["header"].encode()).hex()
    require(_head_of(hash, proof["links"]) == head, "BAD_PROOF")
    check_signature(scope.validator, hash, proof["signature"])
    sample = proof["sample"].encode()
    siblings = [bytes.fromhex(each) for each in proof["path"]]
    root = bytes.fromhex(header["root"])
    is_in = merkle.is_included(sample, proof["index"], header["count"], siblings, root)
    require(is_in, "BAD_PROOF")
    return read_sample(sample)


def _head_of(hash: str, links: Sequence[str]) -> str:
    """Returns the hash of the last link, each of which names the one before."""
    for link in links:
        require(_read_link(link)["prev"] == hash, "BAD_PROOF")
        hash = merkle.leaf(link.encode()).hex()
    return hash


def _read_link(line: str) -> dict[str, Any]:
    try:
        return read_header(line.encode())
    except FaultError:
        raise FaultError("BAD_PROOF") from None
