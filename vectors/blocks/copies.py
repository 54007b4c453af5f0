"""Recomputes copies.json: `python3 copies.py > copies.json`, with `pip install './python[verify]'`.

Copies of the block in section 6.5 of docs/protocol.md, and of blocks that its validator made with a fault; and proofs
of the block's second sample. Signatures are random, so the vectors of `signed` differ in each run.
"""
import gzip
import json
import re
from pathlib import Path

import sr25519

from affine_verify.merkle import leaf, root_of

PAGE = (Path(__file__).parents[2] / "docs/protocol.md").read_text(encoding="utf-8")
PAIR = sr25519.pair_from_seed(b"\1" * 32)
LINES = re.search(r"```jsonl\n(.*?)\n```", PAGE, re.DOTALL)[1].encode().split(b"\n")
HEADER, SIGNATURE, *SAMPLES = LINES
BLOCK_BYTES, SAMPLE_BYTES, BLOCK_SAMPLES = 8388608, 131072, 2048


def text_of(lines):
    return b"".join(line + b"\n" for line in lines)


def vector(what, want, data, header=HEADER):
    """Returns a vector. A byte repeated a thousand times or more becomes a part of its own in `copy`."""
    parts = [match[0] for match in re.finditer(rb"(.)\1{999,}|.+?(?=(.)\2{999}|\Z)", data, re.DOTALL)]
    copy = [[part[:1].hex(), len(part)] if len(set(part)) == 1 else [part.hex(), 1] for part in parts]
    assert b"".join(bytes.fromhex(text) * times for text, times in copy) == data
    return {"what": what, "input": {"hash": leaf(header).hex(), "copy": copy}, "want": want}


def alone(what, want, header):
    """Returns the vector of a copy that has only this header, which a reader judges before any other line."""
    return vector(what, want, header + b"\n", header)


def signed(what, want, samples, **changes):
    """Returns the vector of a block of these samples that the validator signed, with changed members in its header."""
    members = json.loads(HEADER) | {"count": len(samples), "root": root_of(samples).hex()} | changes
    header = json.dumps(members, sort_keys=True, separators=(",", ":")).encode()
    signature = sr25519.sign(PAIR, leaf(header)).hex().encode()
    signature_line = b'{"signature":"' + signature + b'"}'
    return vector(what, want, text_of([header, signature_line, *samples]), header)


def changed(old, new):
    assert old in HEADER
    return HEADER.replace(old, new)


block = text_of(LINES)
first = SAMPLES[0]
long = first.replace(b"sure", b"sure" + b"!" * (SAMPLE_BYTES + 1 - len(first)))
more = changed(b'"prev"', b'"note":"","prev"')
vectors = [
    vector("the block", "valid", block),
    vector("nothing", "altered", b""),
    vector("the header without a line feed", "altered", HEADER),
    vector("the header alone", "altered", HEADER + b"\n"),
    vector("header and signature alone", "altered", text_of(LINES[:2])),
    vector("without the last line feed", "altered", block[:-1]),
    vector("an altered header", "altered", block.replace(b'"v":1', b'"v":2')),
    vector("a line before the header", "altered", b"\n" + block),
    vector("a CR before each line feed", "altered", block.replace(b"\n", b"\r\n")),
    vector("another signature", "altered", text_of([HEADER, SIGNATURE.replace(b"1", b"2"), *SAMPLES])),
    vector("a signature in upper case", "altered", text_of([HEADER, SIGNATURE.replace(b"f", b"F"), *SAMPLES])),
    vector("a signature with a space", "altered", text_of([HEADER, SIGNATURE + b" ", *SAMPLES])),
    vector("a signature that is not UTF-8", "altered", text_of([HEADER, b"\xff", *SAMPLES])),
    vector("an altered sample", "altered", block.replace(b"not sure", b"now sure")),
    vector("a sample less", "altered", text_of(LINES[:-1])),
    vector("a sample more", "altered", text_of([*LINES, first])),
    vector("2049 sample lines", "altered", block + b"\n" * (BLOCK_SAMPLES - 1)),
    vector("more than 8 MiB", "altered", block + b" " * BLOCK_BYTES + b"\n"),
    vector("compressed by gzip", "altered", gzip.compress(block, mtime=0)),
    alone("a header that is empty", "BAD_HEADER", b""),
    alone("a header that is not UTF-8", "BAD_HEADER", changed(b'"v":1', b'"v":"\xff"')),
    alone("a header with a byte order mark", "BAD_HEADER", b"\xef\xbb\xbf" + HEADER),
    alone("a header with a CR", "BAD_HEADER", HEADER + b"\r"),
    alone("a header with a space", "BAD_HEADER", HEADER + b" "),
    alone("a header in another order", "BAD_HEADER", b'{"v":1,' + changed(b',"v":1', b"")[1:]),
    alone("a header with a member more", "BAD_HEADER", more),
    alone("a header with a member less", "BAD_HEADER", changed(b',"v":1', b"")),
    alone("another version", "BAD_HEADER", changed(b'"v":1', b'"v":2')),
    alone("a count of 2049", "BAD_HEADER", changed(b'"count":2', b'"count":2049')),
    alone("a header of 100,000 bytes", "BAD_HEADER", changed(b'"v":1', b'"v":"' + b"1" * 99_477 + b'"')),
    vector("a bad header, and no last line feed", "BAD_HEADER", more + b"\nmore", more),
    vector("a bad header, and 2051 lines", "BAD_HEADER", more + b"\n" * (BLOCK_SAMPLES + 3), more),
    vector("a bad header, and more than 8 MiB", "altered", more + b"\n" * BLOCK_BYTES, more),
    alone("a header of another subnet", "WRONG_SCOPE", changed(b'"netuid":120', b'"netuid":121')),
    alone("a header of another epoch", "WRONG_SCOPE", changed(b'"epoch":7', b'"epoch":8')),
    signed("signed with a count too high", "altered", SAMPLES, count=3),
    signed("signed with another root", "altered", SAMPLES, root="0" * 64),
    signed("signed: a sample that is empty", "BAD_SAMPLE", [b"", SAMPLES[1]]),
    signed("signed: a sample that is not UTF-8", "BAD_SAMPLE", [first.replace(b"sure", b"\xff"), SAMPLES[1]]),
    signed("signed: a sample with a space", "BAD_SAMPLE", [first + b" ", SAMPLES[1]]),
    signed("signed: a sample of 131,073 bytes", "BAD_SAMPLE", [long, SAMPLES[1]]),
]
PROOF = {
    "sample": SAMPLES[1].decode(),
    "index": 1,
    "path": [leaf(first).hex()],
    "header": HEADER.decode(),
    "signature": json.loads(SIGNATURE)["signature"],
    "links": [],
}


def proof(what, want, head=HEADER, **changes):
    return {"what": what, "input": {"head": leaf(head).hex(), "proof": PROOF | changes}, "want": want}


def link(header, **changes):
    """Returns the header line of a block after the one with this header."""
    members = json.loads(HEADER) | {"prev": leaf(header).hex(), "height": 1} | changes
    return json.dumps(members, sort_keys=True, separators=(",", ":")).encode()


def linked(what, want, *links):
    return proof(what, want, links[-1], links=[line.decode() for line in links])


one = link(HEADER)
later = changed(b'"epoch":7', b'"epoch":8')
proofs = [
    proof("in the head", True),
    proof("under another head", False, one),
    proof("in the block before the head", True, one, links=[one.decode()]),
    linked("two blocks before the head", True, one, link(one, height=2)),
    linked("a link left out", False, link(one, height=2)),
    linked("the links the other way round", False, link(one, height=2), one),
    linked("a link of another epoch, which is not compared", True, link(HEADER, epoch=8)),
    linked("a link of the same height, which is not compared", True, link(HEADER, height=0)),
    linked("a link with a member more", False, link(HEADER, more=1)),
    linked("a link with a space", False, one + b" "),
    linked("as many links as samples in the plan", True, one, link(one)),
    linked("more links than samples in the plan", False, one, link(one), link(link(one))),
    proof("a header of another epoch", False, later, header=later.decode()),
    proof("the other index", False, index=0),
    proof("an index as large as the count", False, index=2),
    proof("a sibling less", False, path=[]),
    proof("a sibling more", False, path=[leaf(first).hex(), "0" * 64]),
    proof("the other sample", False, sample=first.decode()),
    proof("another signature", False, signature="0" * 128),
    proof("a member more", False, more=1),
]
source = "vectors/blocks/copies.py: the block of docs/protocol.md, and sr25519 of PyPI"
text = json.dumps({"source": source, "vectors": vectors, "proofs": proofs}, separators=(",", ":"))
print(text.replace('{"what', '\n{"what'))
