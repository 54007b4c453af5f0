"""Writes verdicts.json and walk.json: a second implementation of the rule in packages/wilson.

The bounds are computed by their textbook formula in 100 digits and compared with the ratio. Differences under 1e-60 are
ties. The line of a HOLD is computed in fractions. The other files of this folder come from mpmath, statsmodels, scipy
and R.

python3 vectors/wilson/make.py   (standard library only)
"""

import json
import random
from decimal import Decimal as D, getcontext
from fractions import Fraction as F
from pathlib import Path

getcontext().prec = 100
HERE = Path(__file__).parent
TIE = D(10) ** -60

MAIN = {"cap": 5000, "minTrials": 10, "zSquaredPpm": 8122500, "holdOffset": 88, "holdSlopePpm": 16000}
LOCAL = {**MAIN, "cap": 500, "zSquaredPpm": 7128900, "holdOffset": 28, "holdSlopePpm": 50600}
# A line so low that it is never met.
NO_LINE = {"holdOffset": 10_000_000, "holdSlopePpm": 0}


def write(name, source, vectors, **more):
    lines = ",\n".join("    " + json.dumps(v, ensure_ascii=False) for v in vectors)
    extra = "".join(f"  {json.dumps(k)}: {json.dumps(v)},\n" for k, v in more.items())
    (HERE / name).write_text(f'{{\n  "source": {json.dumps(source)},\n{extra}  "vectors": [\n{lines}\n  ]\n}}\n')


# ---- one interim analysis


def bounds(w, n, z2):
    """Returns the Wilson bounds of w in n, which are fractions, as decimals."""
    w, n, z2 = (D(x.numerator) / D(x.denominator) for x in map(F, (w, n, z2)))
    if n == 0:
        return D(0), D(1)
    centre = (w + z2 / 2) / (n + z2)
    half = (z2 * (w * (n - w) / n + z2 / 4)).sqrt() / (n + z2)
    return centre - half, centre + half


def verdict(w, n, ratio_ppm, rule):
    w, n, r = F(w), F(n), D(ratio_ppm) / 10**6
    if n < rule["minTrials"]:
        return "continue"
    lower, upper = bounds(w, n, F(rule["zSquaredPpm"], 10**6))
    if lower - r > -TIE:
        return "win"
    if n >= rule["cap"] or upper - r < -TIE:
        return "hold"
    ratio, slope = F(ratio_ppm, 10**6), F(rule["holdSlopePpm"], 10**6)
    out_of_reach = w <= (ratio + slope) * n - rule["holdOffset"] * ratio * (1 - ratio)
    return "hold" if out_of_reach else "continue"


def case(what, wins, trials, ratio=510000, rule=MAIN, unit=None):
    scaled = {} if unit is None else {"unit": unit}
    want = verdict(F(wins, unit or 1), F(trials, unit or 1), ratio, rule)
    return {"what": what, "input": {"wins": wins, "trials": trials, **scaled, "ratioPpm": ratio, "rule": rule}, "want": want}


def most_held(n, ratio, rule, unit=1):
    """Returns the maximum wins of n / unit trials, in 1 / unit, that are a hold. -1 if none are."""
    low, high = -1, n
    while low < high:
        middle = (low + high + 1) // 2
        if verdict(F(middle, unit), F(n, unit), ratio, rule) == "hold":
            low = middle
        else:
            high = middle - 1
    return low


def cases():
    tight = {**MAIN, "zSquaredPpm": 9000000, **NO_LINE}
    yield case("nothing yet", 0, 0)
    yield case("nine wins of nine: too early", 9, 9)
    yield case("ten of ten", 10, 10)
    yield case("nine of ten", 9, 10)
    yield case("nine losses: too early", 0, 9)
    yield case("ten losses", 0, 10)
    yield case("losses but one", 1, 12)
    yield case("losses but three", 3, 14)
    yield case("a hair before ten trials", 9999999, 9999999, unit=10**6)
    yield case("a hair before ten trials, all lost", 0, 9999999, unit=10**6)
    yield case("ten trials in millionths", 10**7, 10**7, unit=10**6)
    yield case("ten losses in millionths", 0, 10**7, unit=10**6)
    yield case("the end: one win short", 2650, 5000)
    yield case("the end: enough", 2651, 5000)
    yield case("the end: enough again", 2652, 5000)
    yield case("a hair before the end, over the line", 2640 * 10**6, 5000 * 10**6 - 1, unit=10**6)
    yield case("the end, over the line", 2640 * 10**6, 5000 * 10**6, unit=10**6)
    yield case("past the end", 2600, 5100)
    yield case("past the end, enough", 2900, 5100)
    yield case("a tie wins", 65, 100, 500000, tight)
    yield case("one short of the tie", 64, 100, 500000, tight)
    yield case("upper equals the ratio: not held", 35, 100, 500000, tight)
    yield case("upper is below it", 34, 100, 500000, tight)
    yield case("upper equals a ratio of 4 to 5: not held", 16, 25, 800000, {**tight, "zSquaredPpm": 4000000})
    yield case("upper is below it by a millionth of a win", 16 * 10**6 - 1, 25 * 10**6, 800000, {**tight, "zSquaredPpm": 4000000}, 10**6)
    yield case("on the line: held", 107, 250, 500000)
    yield case("over the line", 108, 250, 500000)
    yield case("on the line, in millionths: held", 107 * 10**6, 250 * 10**6, 500000, unit=10**6)
    yield case("a millionth over the line", 107 * 10**6 + 1, 250 * 10**6, 500000, unit=10**6)
    yield case("on the local line: held", 48060000, 100 * 10**6, 500000, LOCAL, 10**6)
    yield case("a millionth over the local line", 48060001, 100 * 10**6, 500000, LOCAL, 10**6)
    yield case("on the line at a ratio of 4 to 5: held", 149120000, 200 * 10**6, 800000, unit=10**6)
    yield case("a millionth over the line at a ratio of 4 to 5", 149120001, 200 * 10**6, 800000, unit=10**6)
    yield case("a line without offset: held at the ratio and a slope", 516, 1000, 500000, {**MAIN, "holdOffset": 0})
    yield case("over it", 517, 1000, 500000, {**MAIN, "holdOffset": 0})
    yield case("a line without slope or offset: held at the ratio", 500, 1000, 500000, {**MAIN, "holdOffset": 0, "holdSlopePpm": 0})
    yield case("past the point where the line meets the bound: a win", 8550, 16384, 510000, {**MAIN, "cap": 20000})
    yield case("past it, under the bound: held", 8530, 16384, 510000, {**MAIN, "cap": 20000})
    yield case("under the line with nothing but wins, and no win yet", 10, 10, 900000, {**MAIN, "holdOffset": 0})
    rng = random.Random(7)
    for _ in range(40):
        rule = rng.choice([MAIN, LOCAL, {**MAIN, "zSquaredPpm": 10890000}, {**MAIN, "zSquaredPpm": 2706025}, {**LOCAL, "holdOffset": 9}])
        ratio, n = rng.randint(500001, 800000), rng.randint(20, rule["cap"] - 1)
        unit = rng.choice([1, 10**6])
        most, what = most_held(n * unit, ratio, rule, unit), "wins" if unit == 1 else "millionths"
        scaled = None if unit == 1 else unit
        yield case(f"most {what} held", most, n * unit, ratio, rule, scaled)
        yield case(f"fewest {what} not held", most + 1, n * unit, ratio, rule, scaled)


def checksum():
    """Returns the FNV-1a hash, of 32 bits, of the verdicts of 104,328 interim analyses."""
    code, h = {"win": 0, "hold": 1, "continue": 2}, 0x811C9DC5
    for ratio in (500000, 510000, 623456, 800000):
        for z2 in (8122500, 2706025):
            rule = {**LOCAL, "cap": 150, "zSquaredPpm": z2}
            for n in range(161):
                for w in range(n + 1):
                    h = ((h ^ code[verdict(w, n, ratio, rule)]) * 16777619) % 2**32
    return h


# ---- a walk of interim analyses


def edges(ratio, rule):
    """Returns for each n the most wins of a hold and the fewest of a win, searching upwards from those of n - 1."""
    held, won, low, high = [-1], [1], -1, 0
    for n in range(1, rule["cap"] + 1):
        if n >= rule["minTrials"]:
            while low < n and verdict(low + 1, n, ratio, rule) == "hold":
                low += 1
            while high <= n and verdict(high, n, ratio, rule) != "win":
                high += 1
        held.append(low)
        won.append(high if n >= rule["minTrials"] else n + 1)
    return held, won


def follow(p, held, won):
    """Returns, without simulation, the probabilities of win and hold, and mean, median and 95 % quantile of trials."""
    open_, win, hold, mean = {0: 1.0}, 0.0, 0.0, 0.0
    median = last = 0
    for n in range(1, len(held)):
        after = {}
        for w, mass in open_.items():
            if mass > 1e-30:
                after[w + 1] = after.get(w + 1, 0.0) + mass * p
                after[w] = after.get(w, 0.0) + mass * (1 - p)
        open_ = {}
        for w, mass in after.items():
            if w >= won[n]:
                win, mean = win + mass, mean + n * mass
            elif w <= held[n]:
                hold, mean = hold + mass, mean + n * mass
            else:
                open_[w] = mass
        median = median or (n if win + hold >= 0.5 else 0)
        last = last or (n if win + hold >= 0.95 else 0)
    return win, hold, mean, median, last


def walks():
    loose = {**MAIN, "zSquaredPpm": 2706025}
    for p, ratio, rule in [
        (0.5, 510000, MAIN),
        (0.46, 510000, MAIN),
        (0.51, 510000, MAIN),
        (0.53, 510000, MAIN),
        (0.55, 510000, MAIN),
        (0.5, 600000, MAIN),
        (0.59, 600000, MAIN),
        (0.6, 600000, MAIN),
        (0.62, 600000, MAIN),
        (0.8, 800000, MAIN),
        (0.82, 800000, MAIN),
        (0.5, 510000, LOCAL),
        (0.51, 510000, LOCAL),
        (0.505, 505000, LOCAL),
        (0.5, 510000, loose),
        (0.51, 510000, loose),
        (0.8, 800000, {**MAIN, "cap": 2000, "minTrials": 1, "zSquaredPpm": 7784100}),
        (0.7, 650001, {**MAIN, "cap": 300, "minTrials": 25, "zSquaredPpm": 0}),
    ]:
        held, won = edges(ratio, rule)
        win, hold, mean, median, last = follow(p, held, won)
        crossing, *_ = follow(p, [-1] * len(held), won)
        want = {"win": win, "hold": hold, "expectedTrials": mean, "medianTrials": median, "trials95": last, "crossing": crossing}
        yield {"input": {"p": p, "ratioPpm": ratio, "rule": rule}, "want": want}


if __name__ == "__main__":
    SOURCE = "vectors/wilson/make.py: decimals of 100 digits and fractions, standard library of Python 3"
    write("verdicts.json", SOURCE, cases(), checksum=checksum())
    write("walk.json", SOURCE + "; probabilities in floats", walks())
