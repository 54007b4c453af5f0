"""One sample alone. Protocol §6.6."""

from typing import Any

from affine_verify import merkle
from affine_verify.evidence import SAMPLE_BYTES, Scope, check_signature, read_header, read_sample
from affine_verify.shapes import is_hash, is_text, is_uint, list_of
from affine_verify.text import parse, require

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
    proof = parse(data, PROOF, "BAD_PROOF")
    return proof, read_header(proof["header"].encode(), "BAD_PROOF")


def check_proof(data: bytes, scope: Scope, head: str, plan_samples: int) -> dict[str, Any]:
    """Returns the sample that a proof shows, or raises a FaultError.

    The scope, the sealed head and the number of samples in the lane's plan are the reader's own.
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
