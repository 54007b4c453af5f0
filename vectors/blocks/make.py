"""Recomputes merkle-blake3.json: `python3 make.py > merkle-blake3.json`, with PyPI's blake3.

A second implementation of RFC 9162 section 2.1: top-down and recursive as in the RFC, whereas packages/blocks
works level by level.
"""
import json

from blake3 import blake3 as blake3_of

def blake3(data):
    return blake3_of(data).digest()


def split(n):
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def root(lines):
    if not lines:
        return blake3(b"")
    if len(lines) == 1:
        return blake3(b"\0" + lines[0])
    k = split(len(lines))
    return blake3(b"\1" + root(lines[:k]) + root(lines[k:]))


def path(m, lines):
    if len(lines) == 1:
        return []
    k = split(len(lines))
    return path(m, lines[:k]) + [root(lines[k:])] if m < k else path(m - k, lines[k:]) + [root(lines[:k])]


roots, proofs = [], []
for size in [0, 1, 2, 3, 4, 5, 7, 8, 13, 33]:
    lines = [f"line {i} of {size}".encode() for i in range(size)]
    roots.append({"what": f"{size} lines", "input": [x.decode() for x in lines], "want": root(lines).hex()})
    for index in sorted({0, size // 2, size - 1} & set(range(size))):
        good = path(index, lines)
        case = {"leaf": lines[index].decode(), "index": index, "size": size, "proof": [p.hex() for p in good], "root": root(lines).hex()}
        flip = lambda p: [(bytes([p[0][0] ^ 1]) + p[0][1:]).hex()] + [q.hex() for q in p[1:]]
        tries = [
            ("as it is", {}, True),
            ("another leaf", {"leaf": "line x"}, False),
            ("index one up", {"index": index + 1}, False),
            ("index below zero", {"index": index - size}, False),
            ("index not whole", {"index": index + 0.5}, False),
            ("no tree", {"size": 0}, False),
            ("a node too many", {"proof": case["proof"] + ["00" * 32]}, False),
            ("root of nothing", {"root": blake3(b"").hex()}, False),
            ("root cut short", {"root": case["root"][:-2]}, False),
        ]
        if good:
            tries += [
                ("a node too few", {"proof": case["proof"][:-1]}, False),
                ("a node altered", {"proof": flip(good)}, False),
                ("a node cut short", {"proof": [case["proof"][0][:-2]] + case["proof"][1:]}, False),
                ("no path", {"proof": []}, False),
                ("the sibling for the leaf", {"leaf": lines[index ^ 1].decode()} if index ^ 1 < size else {"leaf": ""}, False),
            ]
        if len(good) > 1:
            tries.append(("path upside down", {"proof": case["proof"][::-1]}, False))
        proofs += [{"what": f"{index} of {size}, {what}", "input": case | change, "want": want} for what, change, want in tries]

source = "vectors/blocks/make.py: BLAKE3 and RFC 9162 section 2.1 in plain Python"
print(json.dumps({"source": source, "roots": roots, "proofs": proofs}, separators=(",", ":")).replace("},{\"what", "},\n{\"what"))
