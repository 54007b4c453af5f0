"""Makes the vectors of this folder that come from NumPy: `python3 make.py`, with numpy 2.4 and blake3.

Each file is a list of {what, input, want, source}. A call is a list of its name and its arguments.
"""

import json
import random
from pathlib import Path

import numpy
from blake3 import blake3

SOURCE = f"numpy {numpy.__version__}, make.py"
FOLDER = Path(__file__).parent


def canonical(value):
    """Returns the canonical JSON of a value, whose keys must be ASCII."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(tag, *fields):
    return blake3(canonical(["affine/1", tag, *fields]).encode()).hexdigest()


def generator(seed):
    return numpy.random.Generator(numpy.random.PCG64(numpy.random.SeedSequence(seed)))


def call(g, name, *arguments):
    if name == "uint64":
        return str(g.bit_generator.random_raw())
    if name == "uint32":
        return int(g.integers(2**32))
    if name == "random":
        return g.random()
    if name == "integers":
        return int(g.integers(*arguments))
    return [int(x) for x in g.permutation(*arguments)]


# The draws that show the generator's state after the calls: an unused half of a draw, and all 128 bits.
LAST = [["uint32"], ["uint32"], ["uint64"], ["uint64"]]


def drawn(what, seed, calls):
    g = generator(seed)
    calls = calls + LAST
    want = {"values": [call(g, *c) for c in calls]}
    return {"what": what, "input": {"seed": str(seed), "calls": calls}, "want": want, "source": SOURCE}


def refused(what, error, message=None, **given):
    want = {"error": error, **({"message": message} if message else {})}
    return {"what": what, "input": given, "want": want, "source": "by definition"}


def save(name, vectors):
    lines = ",\n".join("  " + json.dumps(v, ensure_ascii=True) for v in vectors)
    (FOLDER / name).write_text(f"[\n{lines}\n]\n")
    print(name, len(vectors), sum("error" in v["want"] for v in vectors), "refused")


SEEDS = [0, 1, 2, 7, 1234, 2**32 - 1, 2**32, 2**53 - 1, 2**64, 2**127 + 5, 2**128 - 1]
# 2^64 modulo this number is nearly the number itself, so one draw of 64 bits in 2049 is rejected, the greatest share
# of all numbers up to 2^53.
OFTEN_REJECTED = 2**64 // 2049 + 1


def seed_words():
    vectors = []
    for seed in SEEDS:
        want = {"words": [int(x) for x in numpy.random.SeedSequence(seed).generate_state(8)]}
        what = f"a seed of {max(seed.bit_length(), 1)} bits"
        vectors.append({"what": what, "input": {"seed": str(seed)}, "want": want, "source": SOURCE})
    for seed in (-1, 0.5, -0.5):
        message = f'"seed" expected an integer in 0..2^128 - 1, got {seed}'
        vectors.append(refused(f"the number {seed}", "RangeError", message, seed=seed))
    vectors.append(refused("the number 1e300", "RangeError", seed=1e300))
    for seed in (-1, -(2**128), 2**128):
        message = f'"seed" expected an integer in 0..2^128 - 1, got {seed}'
        vectors.append(refused(f"the bigint {seed}", "RangeError", message, seed=str(seed)))
    message = f'"seed" expected a bigint past 2^53 - 1, got {2**53}'
    vectors.append(refused("a number that may have been rounded", "RangeError", message, seed=2**53))
    for seed in (None, True, [1], {}):
        vectors.append(refused(f"{json.dumps(seed)} for a seed", "TypeError", seed=seed))
    return vectors


def mixed(seed, count):
    """Returns random calls of every kind, so that an unused half of 64 bits is carried over every kind."""
    pick = random.Random(seed)
    edges = [2, 3, 9, 255, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 10**12, 2**52 + 1]
    edges += [2**53 - 1, 2**53, OFTEN_REJECTED]
    calls = []
    for _ in range(count):
        name = pick.choice(["uint64", "uint32", "random", "integers", "integers", "permutation"])
        if name == "integers":
            size = pick.choice([*edges, pick.randrange(1, 100), pick.randrange(2**32, 2**53)])
            low = pick.choice([0, 0, 1, -1, -(size // 2), 2**53 - size, 1 - 2**53])
            calls.append([name, low, low + size] if low + size <= 2**53 else [name, 0, size])
        elif name == "permutation":
            calls.append([name, pick.choice([0, 1, 2, 3, 9, 17])])
        else:
            calls.append([name])
    return calls


def rejected_at_once():
    """Returns the first seed whose first three draws below OFTEN_REJECTED need more than three words."""
    for seed in range(1_000_000):
        g, raw = generator(seed), generator(seed).bit_generator
        g.integers(0, OFTEN_REJECTED, size=3)
        raw.random_raw(3)
        if g.bit_generator.state["state"] != raw.state["state"]:
            return seed
    raise RuntimeError("no such seed")


def generators():
    vectors = []
    for seed in SEEDS:
        vectors.append(drawn("uint64 from the start", seed, [["uint64"]] * 6))
    for seed in [0, 1, 7, 2**64, 2**127 + 5]:
        vectors.append(drawn("calls of every kind", seed, mixed(seed, 60)))
    for n in (1, 2, 9, 100):
        vectors.append(drawn("a permutation", 7, [["permutation", n]]))
        vectors.append(drawn("a permutation after half a draw", 7, [["uint32"], ["permutation", n]]))
    vectors.append(drawn("random", 2**127 + 5, [["random"]] * 12))
    vectors.append(drawn("a long permutation", 1, [["permutation", 1500]]))
    vectors.append(drawn("every second draw of 32 bits is rejected", 3, [["integers", 0, 2**31 + 1]] * 12))
    vectors.append(drawn("a draw of 64 bits is rejected", rejected_at_once(), [["integers", 0, OFTEN_REJECTED]] * 4))
    vectors.append(drawn("the exact range 2^32 - 1", 5, [["integers", -5, 2**32 - 5], ["integers", 0, 9]] * 4))
    vectors.append(drawn("one number to choose from draws nothing", 5, [["integers", 4, 5]]))
    vectors.append(drawn("the widest ranges", 6, [["integers", 1 - 2**53, 1], ["integers", -1, 2**53 - 1]] * 6))
    for low, high in [(5, 5), (5, 4), (0, 0), (0.5, 3), (0, 2.5), (0, 2**53 + 2), (-1, 2**53), (-2, 2**53 - 1)]:
        what = f"integers from {low} to {high}"
        vectors.append(refused(what, "RangeError", seed="0", calls=[["integers", low, high]]))
    for low, high in [(-(2**53), 0), (2**53, 2**53 + 2), (2**53 - 1, 2**53 + 2), (-(2**53) + 1, 2**53), (1, -(2**53))]:
        what = f"integers from {low} to {high}"
        vectors.append(refused(what, "RangeError", seed="0", calls=[["integers", low, high]]))
    for low, high in [("0", 9), (0, "9"), (None, 9), (0, None), ([0], 9), (0, True), (False, 9), ({}, {})]:
        what = f"integers from {json.dumps(low)} to {json.dumps(high)}"
        vectors.append(refused(what, "TypeError", seed="0", calls=[["integers", low, high]]))
    message = '"low, high" expected integers, low < high <= low + 2^53, got 5'
    vectors.append(refused("integers without an end", "TypeError", message + ", undefined", seed="0", calls=[["integers", 5]]))
    for n in (-1, 1.5, 2**32):
        vectors.append(refused(f"permutation of {n}", "RangeError", seed="0", calls=[["permutation", n]]))
    return vectors


def long_run():
    """Returns 120,000 draws of mixed kinds as one digest. A float is digested as an integer of 53 bits."""
    calls = [["uint64"], ["uint32"], ["random"], ["integers", 0, 9], ["integers", -1000, 10**12], ["integers", 0, 1000]]
    calls += [["integers", 0, OFTEN_REJECTED], ["integers", 0, 2**31 + 1], ["permutation", 5], ["permutation", 7]]
    # For a power of two no draw is rejected, but p modulo 2^32 or 2^64 (Protocol 2.2) can equal the limit, 0.
    calls += [["integers", 0, 2**31], ["integers", 0, 2**53]]
    rounds, seed = 10_000, 2**127 + 11
    g, values = generator(seed), []
    for _ in range(rounds):
        for c in calls:
            value = call(g, *c)
            values.append(int(value * 2**53) if c[0] == "random" else value)
    given = {"seed": str(seed), "rounds": rounds, "calls": calls}
    want = {"hash": digest("prng", values)}
    return [{"what": "120,000 calls", "input": given, "want": want, "source": SOURCE}]


def digests():
    fields = [
        ("nothing but a tag", "spec", []),
        ("an empty tag", "", []),
        ("strings", "duel", ["a", "b"]),
        ("the same strings, parted elsewhere", "duel", ["ab"]),
        ("keys in another order", "content", [{"model": "m", "hotkey": "5F", "chute": "c", "revision": "r"}]),
        ("integers at both ends", "x", [2**53 - 1, 1 - 2**53, 0, True, False]),
        ("text beyond ASCII", "x", ["é€😀\u2028"]),
        ("arrays", "x", [[], [[]], {}]),
        ("just under one chunk of BLAKE3", "x", ["a" * (1024 - 19)]),
        ("exactly one chunk", "x", ["a" * (1024 - 18)]),
        ("one byte more than a chunk", "x", ["a" * (1024 - 17)]),
        ("five chunks", "x", ["b" * 5000]),
    ]
    vectors = []
    for what, tag, values in fields:
        given = {"tag": tag, "fields": values}
        vectors.append({"what": what, "input": given, "want": {"hash": digest(tag, *values)}, "source": "make.py"})
    deep = 1
    for _ in range(16):
        deep = [deep]
    for what, error, tag, values in [
        ("a number for a tag", "TypeError", 1, []),
        ("null for a tag", "TypeError", None, []),
        ("an array for a tag", "TypeError", ["x"], []),
        ("null", "TypeError", "x", [None]),
        ("null inside", "TypeError", "x", [{"a": [None]}]),
        ("a fraction", "RangeError", "x", [0.5]),
        ("2^53", "RangeError", "x", [2**53]),
        ("-2^53", "RangeError", "x", [-(2**53)]),
        ("minus zero", "RangeError", "x", [-0.0]),
        ("a lone surrogate", "RangeError", "x", ["\ud800"]),
        ("a lone surrogate in the tag", "RangeError", "\udc00", []),
        ("a depth of 16 below the array", "RangeError", "x", [deep]),
    ]:
        vectors.append(refused(what, error, tag=tag, fields=values))
    return vectors


save("seed-words.json", seed_words())
save("generator.json", generators())
save("long-run.json", long_run())
save("digest.json", digests())
