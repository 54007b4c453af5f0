"""Recomputes merkle-blake3.json with nothing but Python: `python3 make.py > merkle-blake3.json`.

A second, independent writing of BLAKE3 (one chunk, so inputs up to 1024 bytes) and of RFC 9162 section 2.1, top-down
and recursive as the RFC puts it, where the package works level by level.
"""
import json
import struct

IV = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19]
ORDER = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
LANES = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]


def rotate(x, n):
    return (x >> n | x << (32 - n)) & 0xFFFFFFFF


def compress(chain, words, size, flags):
    v = chain + IV[:4] + [0, 0, size, flags]
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(LANES):
            for word, r1, r2 in ((words[2 * i], 16, 12), (words[2 * i + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & 0xFFFFFFFF
                v[d] = rotate(v[d] ^ v[a], r1)
                v[c] = (v[c] + v[d]) & 0xFFFFFFFF
                v[b] = rotate(v[b] ^ v[c], r2)
        words = [words[i] for i in ORDER]
    return [v[i] ^ v[i + 8] for i in range(8)]


def blake3(data):
    assert len(data) <= 1024
    blocks = [data[i : i + 64] for i in range(0, len(data), 64)] or [b""]
    chain = IV
    for i, block in enumerate(blocks):
        flags = (1 if i == 0 else 0) | (2 | 8 if i == len(blocks) - 1 else 0)
        chain = compress(chain, list(struct.unpack("<16I", block.ljust(64, b"\0"))), len(block), flags)
    return struct.pack("<8I", *chain)


# The first official vectors of github.com/BLAKE3-team/BLAKE3 (test_vectors/test_vectors.json): no bytes, bytes 0…64.
assert blake3(b"").hex() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
assert blake3(b"\0").hex() == "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"


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
