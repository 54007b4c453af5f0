"""Writes the vectors of this folder: a second implementation, in fractions, of what packages/duel computes.

python3 vectors/duel/make.py   (standard library only)
"""

import json
import random
from fractions import Fraction as F
from math import ceil, floor, isqrt, prod
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = "vectors/duel/make.py: fractions and integers, standard library of Python 3"


def write(name, vectors):
    lines = ",\n".join("    " + json.dumps(v, ensure_ascii=False) for v in vectors)
    text = f'{{\n  "source": {json.dumps(SOURCE)},\n  "vectors": [\n{lines}\n  ]\n}}\n'
    (HERE / name).write_text(text)


# ---- one environment: win, hold, or go on


def lower_reaches(w, n, r, z2):
    return n > 0 and w >= n * r and (w - n * r) ** 2 >= z2 * n * r * (1 - r)


def upper_below(w, n, x, z2):
    return n * x > w and (n * x - w) ** 2 > z2 * n * x * (1 - x)


def ceil_root(x):
    k = isqrt(floor(x))
    return k if k * k >= x else k + 1


def is_win(w, n, r, rule):
    return n >= rule["minTrials"] and lower_reaches(w, n, r, F(rule["zSquaredPpm"], 10**6))


def is_hold(w, n, r, rule):
    z2, cap = F(rule["zSquaredPpm"], 10**6), rule["cap"]
    if n < rule["minTrials"]:
        return False
    if n >= cap:
        return True
    need = cap * r + ceil_root(z2 * cap * r * (1 - r))
    x = (need - w) / (cap - n)
    return x > 0 and (x >= 1 or upper_below(w, n, x, z2))


# ---- several lanes


def median(lanes, share):
    """The lane in the middle when every millionth of weight stands in line; the lower one of two."""
    line = sorted(lanes, key=lambda lane: (share(lane), lane["hotkey"]))
    total = sum(lane["weight"] for lane in lanes)
    place = ceil(F(total, 2))
    for lane in line:
        place -= lane["weight"]
        if place <= 0:
            return lane


def apart(x, q, y, r):
    pooled = F(x + y, q + r)
    return (F(x, q) - F(y, r)) ** 2 > 36 * pooled * (1 - pooled) * (F(1, q) + F(1, r))


def evidence(weights, tallies, ratio_ppm, rule):
    ratio = F(ratio_ppm, 10**6)
    lanes = [{"hotkey": h, "weight": weights[h], **t} for h, t in tallies.items() if h in weights and t["played"] > 0]
    aside = set()
    for kind in ("wins", "losses"):
        if lanes:
            m = median(lanes, lambda lane: F(lane[kind], lane["played"]))
            aside |= {lane["hotkey"] for lane in lanes if apart(lane[kind], lane["played"], m[kind], m["played"])}
    drop = ceil(F(sum(weights.values()), 3))

    def rest(lanes):
        left, w, n = drop, F(0), F(0)
        for lane in lanes:
            kept = max(0, lane["weight"] - left)
            left -= lane["weight"] - kept
            w += F(kept, 10**6) * lane["wins"]
            n += F(kept, 10**6) * (lane["wins"] + lane["losses"])
        return w, n

    def lead(lane):
        return lane["wins"] - (lane["wins"] + lane["losses"]) * ratio

    best_first = sorted((l for l in lanes if l["hotkey"] not in aside), key=lambda lane: (-lead(lane), lane["hotkey"]))
    win, hold = rest(best_first), rest(best_first[::-1])
    verdict = "win" if is_win(*win, ratio, rule) else "hold" if is_hold(*hold, ratio, rule) else "continue"
    millionths = lambda pair: {"wins": str(pair[0] * 10**6), "trials": str(pair[1] * 10**6)}
    want = {"setAside": sorted(aside), "win": millionths(win), "hold": millionths(hold), "verdict": verdict}
    if lanes:
        m = median(lanes, lambda lane: F(lane["wins"] + lane["losses"], lane["played"]))
        want["decisivePpm"] = floor(F((m["wins"] + m["losses"]) * 10**6, m["played"]))
    return want


MAIN = {"cap": 5000, "minTrials": 10, "zSquaredPpm": 8122500}
LOCAL = {"cap": 500, "minTrials": 10, "zSquaredPpm": 7128900}


def lane(wins, losses, played):
    return {"wins": wins, "losses": losses, "played": played}


def case(what, weights, tallies, ratio=510000, rule=MAIN):
    return {
        "what": what,
        "input": {"weights": weights, "tallies": tallies, "ratioPpm": ratio, "rule": rule},
        "want": evidence(weights, tallies, ratio, rule),
    }


def evidence_cases():
    three = {"a": 10**6, "b": 10**6, "c": 10**6}
    four = {**three, "d": 10**6}
    yield case("no lanes", three, {})
    yield case("no voters", {}, {"a": lane(30, 2, 32)})
    yield case("nothing played", three, {h: lane(0, 0, 0) for h in three})
    yield case("a lane without a weight is not looked at", three, {"x": lane(32, 0, 32), "a": lane(16, 16, 32)})
    yield case("three good lanes: one is dropped", three, {h: lane(30, 2, 32) for h in three})
    yield case("a third has no lane, and a third is dropped", three, {"a": lane(30, 2, 32), "b": lane(32, 0, 32)})
    yield case("one lane, all the weight: a third of it is dropped", {"a": 10**6}, {"a": lane(60, 4, 96)})
    yield case("the line falls inside a lane", four, {"a": lane(28, 4, 32), "b": lane(27, 5, 32), "c": lane(26, 6, 32), "d": lane(25, 7, 32)})
    yield case("equal lanes: dropped by hotkey", {"a": 700000, "b": 10**6, "c": 300000}, {"c": lane(20, 10, 32), "a": lane(20, 10, 32), "b": lane(20, 10, 32)})
    yield case("equal leads: dropped by hotkey", {"b": 10**6, "a": 300000, "c": 300000}, {"b": lane(60, 40, 100), "c": lane(57, 38, 95), "a": lane(54, 36, 90)}, 600000)
    yield case("equal medians: by hotkey, here the short one", {"c": 10**6, "b": 10**6, "a": 10**6}, {"b": lane(240, 240, 480), "c": lane(100, 240, 480), "a": lane(16, 16, 32)})
    yield case("a lone winner among losers is dropped", three, {"a": lane(32, 0, 32), "b": lane(14, 18, 32), "c": lane(14, 18, 32)})
    yield case("far above: set aside", {**four, "e": 10**6}, {"a": lane(96, 0, 96), **{h: lane(48, 48, 96) for h in "bcde"}})
    yield case("far below: set aside", {**four, "e": 10**6}, {"a": lane(0, 96, 96), **{h: lane(60, 20, 96) for h in "bcde"}})
    yield case("all ties: set aside", {**four, "e": 10**6}, {"a": lane(0, 0, 480), **{h: lane(250, 150, 480) for h in "bcde"}})
    yield case("the first epoch is too short for an outlier", four, {"a": lane(32, 0, 32), "b": lane(16, 16, 32), "c": lane(16, 16, 32), "d": lane(15, 17, 32)})
    yield case("a short lane beside long ones", three, {"a": lane(30, 2, 32), "b": lane(120, 104, 224), "c": lane(121, 103, 224)})
    yield case("the cap: hold", four, {h: lane(1250, 1250, 3000) for h in four})
    yield case("the cap: hold, though the best two thirds alone would win", four, {"a": lane(1500, 1300, 3000), "b": lane(1600, 1200, 3000), "c": lane(1300, 1500, 3000), "d": lane(1400, 1500, 3000)})
    yield case("the cap: win first", four, {h: lane(1600, 1200, 3000) for h in four})
    yield case("hopeless: hold", three, {h: lane(100, 124, 224) for h in three})
    yield case("one in a hundred is decisive", three, {"a": lane(1, 0, 100), "b": lane(0, 1, 100), "c": lane(40, 20, 100)})
    yield case("fewer than one in a hundred are", three, {"a": lane(1, 0, 101), "b": lane(0, 1, 101), "c": lane(0, 0, 101)})
    yield case("the local rule", three, {h: lane(60, 25, 96) for h in three}, 600000, LOCAL)
    rng = random.Random(1)
    for i in range(60):
        hotkeys = [f"v{k}" for k in range(rng.randint(1, 9))]
        weights = {h: rng.choice([10**6, rng.randint(1, 10**6)]) for h in hotkeys}
        played, p = rng.choice([32, 96, 224, 480, 992, 3040]), rng.uniform(0.3, 0.9)
        tallies = {}
        for h in hotkeys:
            if rng.random() < 0.85:
                decisive = round(played * rng.uniform(0.75, 0.85))
                wins = min(decisive, max(0, round(decisive * (p + rng.gauss(0, 0.05)))))
                tallies[h] = rng.choice([lane(wins, decisive - wins, played)] * 7 + [lane(played, 0, played), lane(0, 0, played)])
        yield case(f"random {i}", weights, tallies, rng.randint(510000, 800000), rng.choice([MAIN, LOCAL]))


# ---- ratio and trust


def ratchet(tallies):
    bounds = []
    for w, n in tallies:
        low, high = 0, 10**6
        while high - low > 1:
            m = (low + high) // 2
            low, high = (m, high) if lower_reaches(w, n, F(m, 10**6), F("2.706025")) else (low, m)
        bounds.append(low)
    product = prod(bounds)
    root = max(k for k in range(0, 10**6) if k ** len(bounds) <= product) if bounds else 0
    return bounds, min(max(root, 510000), 800000)


def ratchet_cases():
    for what, tallies in [
        ("ten of ten is no 80 %", [(F(10), F(10))]),
        ("six tenths of a hundred", [(F(60), F(100))]),
        ("a barely better one is held at the floor", [(F(2600), F(5000))]),
        ("never under the floor", [(F(1), F(10))]),
        ("nothing won", [(F(0), F(10)), (F(10), F(10))]),
        ("never over the ceiling", [(F(990), F(1000))]),
        ("two environments: the geometric mean, rounded down", [(F(70), F(100)), (F(600), F(1000))]),
        ("three", [(F(70), F(100)), (F(600), F(1000)), (F(3000), F(4000))]),
        ("one over the ceiling lifts the mean", [(F(999), F(1000)), (F(55), F(100))]),
        ("fractions of a trial", [(F(58666652, 10**6), F(85333312, 10**6))]),
        ("no environment", []),
    ]:
        bounds, want = ratchet(tallies)
        plain = [{"wins": str(w * 10**6), "trials": str(n * 10**6), "unit": "1000000"} for w, n in tallies]
        yield {"what": what, "input": plain, "bounds": bounds, "want": want}


def decay_cases():
    excess = lambda r: r - 510000
    for what, ratio in [("the floor stays", 510000), ("one millionth is gone", 510001), ("the ceiling", 800000), ("600270", 600270)]:
        yield {"what": what, "input": ratio, "want": 510000 + excess(ratio) * 951695 // 10**6}
    run, ratio = [], 800000
    for _ in range(60):
        ratio = 510000 + floor(F(excess(ratio)) * F(951695, 10**6))
        run.append(ratio)
    yield {"what": "sixty epochs from the ceiling", "input": 800000, "want": run}


def trust_cases():
    for what, c, i in [
        ("a newcomer has one half", 0, 0),
        ("one good lane", 10**6, 0),
        ("one bad lane", 0, 10**6),
        ("faded", 937500, 878906),
        ("always good in two environments", 32 * 10**6, 0),
        ("always bad in two environments", 0, 32 * 10**6),
        ("far more than can be", 10**12, 1),
    ]:
        want = floor(10**6 * F(10**6 + c, 2 * 10**6 + c + i))
        yield {"what": what, "input": {"correct": c, "incorrect": i}, "want": want}


write("evidence.json", evidence_cases())
write("ratchet.json", ratchet_cases())
write("decay.json", decay_cases())
write("trust.json", trust_cases())
