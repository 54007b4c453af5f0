"""Writes the vectors of this folder with affine_verify, a second implementation of packages/duel. vectors/README.md
describes their members.

pip install './python[verify]' && python3 vectors/duel/make.py   (some minutes)
"""

import json
import random
from fractions import Fraction as F
from itertools import accumulate
from pathlib import Path

from affine_verify.chain import Neuron, View
from affine_verify.commitments import Attestation
from affine_verify.judging import Counts, ahead, beaten_by, best_of, bound_of, decayed_ratio, judge, raised_ratio, sum_of_rates, supported, trust_of
from affine_verify.rules import LOCAL as LOCAL_RULES
from affine_verify.state import acceptance_of, content_of, queue_of, weigh_voters
from networks import networks
from verify_networks import MAIN as MAIN_RULES
from verify_networks import bitmap, commitment

HERE = Path(__file__).parent
SOURCE = "vectors/duel/make.py: fractions and integers of Python 3, and blake3"


def write(name, vectors, separators=None):
    lines = ",\n".join("    " + json.dumps(v, ensure_ascii=False, separators=separators) for v in vectors)
    text = f'{{\n  "source": {json.dumps(SOURCE)},\n  "vectors": [\n{lines}\n  ]\n}}\n'
    (HERE / name).write_text(text)


# ---- one environment of several lanes

NUMBERS = ("minTrials", "holdOffset", "holdSlopePpm", "floorZSquaredPpm", "ratchetZSquaredPpm")
MAIN, LOCAL = ({name: rules[name] for name in NUMBERS} for rules in (MAIN_RULES, LOCAL_RULES))
ALONE = {**MAIN, "floorZSquaredPpm": MAIN_RULES["aloneZSquaredPpm"]}
RULES = [MAIN, LOCAL, ALONE]


def judged(weights, epochs, ratio_ppm, rule):
    """Returns the evidence of epochs whose lanes are lists."""
    counts = [{hotkey: Counts(won, lost, *points, played) for hotkey, (won, lost, played, *points) in epoch.items()} for epoch in epochs]
    return judge(weights, counts, ratio_ppm, {**MAIN_RULES, **rule})


def evidence(weights, epochs, ratio_ppm, rule):
    """Returns `want` for epochs whose lanes are lists."""
    view = judged(weights, epochs, ratio_ppm, rule)
    lead, variance = view.score
    verdict, middle = view.verdict(index=0), view.middle()
    tally = lambda pair: dict(zip(("wins", "trials"), map(str, pair)))
    return {
        "setAside": sorted(view.aside),
        "win": tally(view.win),
        "hold": tally(view.hold),
        "score": {"lead": str(lead), "spread": str(100 * variance)},
        "verdict": verdict if verdict in ("win", "hold") else "continue",
        **({"median": {"trials": middle.trials, "played": middle.played}} if view.lanes else {}),
        "rates": {"contender": view.rate("contender_points"), "champion": view.rate("champion_points")},
    }


def lane(wins, losses, played, contender=0, champion=0):
    return {"wins": wins, "losses": losses, "played": played, "contenderPoints": contender, "championPoints": champion}


def case(what, weights, tallies, ratio=510000, rule=MAIN):
    epochs = tallies if isinstance(tallies, list) else [tallies]
    return {
        "what": what,
        "input": {"weights": weights, "epochs": epochs, "ratioPpm": ratio, "rule": rule},
        "want": evidence(weights, [{h: each.values() for h, each in epoch.items()} for epoch in epochs], ratio, rule),
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
    yield case("far below the line: hold", four, {h: lane(1250, 1250, 3000) for h in four})
    yield case("many trials, with the best two thirds ahead: go on", four, {"a": lane(1500, 1300, 3000), "b": lane(1600, 1200, 3000), "c": lane(1300, 1500, 3000), "d": lane(1400, 1500, 3000)})
    yield case("many trials: win", four, {h: lane(1600, 1200, 3000) for h in four})
    yield case("hopeless: hold", three, {h: lane(100, 124, 224) for h in three})
    yield case("one in a hundred is decisive", three, {"a": lane(1, 0, 100), "b": lane(0, 1, 100), "c": lane(40, 20, 100)})
    yield case("fewer than one in a hundred are", three, {"a": lane(1, 0, 101), "b": lane(0, 1, 101), "c": lane(0, 0, 101)})
    yield case("the local rule", three, {h: lane(60, 25, 96) for h in three}, 600000, LOCAL)
    yield case("a third says the worst it can: still a win", {**three, "d": 500000}, [{"a": lane(150, 60, 224), "b": lane(150, 60, 224), "c": lane(60, 150, 224)}])
    yield case("no weight now: not looked at, and no part of the third", {**four, "d": 0}, {h: lane(24, 8, 32) for h in "abcd"})
    yield case("who missed an epoch in which all played otherwise is no outlier", four, [{h: lane(40, 40, 96) for h in "abcd"}, {h: lane(480, 0, 480) for h in "abc"}])
    yield case("who shares no epoch with the median lane", three, [{"a": lane(90, 6, 96)}, {"b": lane(40, 40, 96), "c": lane(40, 40, 96)}])
    yield case("ten trials are enough", three, {h: lane(5, 0, 32) for h in three})
    yield case("fewer than ten are not", three, {"a": lane(5, 0, 32), "b": lane(5, 0, 32), "c": lane(4, 0, 32)})
    # On the line: two lanes have 550 trials, and won 284 = 550 · 0.53 − 7.5 of them.
    yield case("on the line: hold", three, {"a": lane(142, 133, 300), "b": lane(142, 133, 300), "c": lane(141, 134, 300)}, 500000)
    yield case("a win over the line: go on", three, {"a": lane(143, 132, 300), "b": lane(142, 133, 300), "c": lane(141, 134, 300)}, 500000)
    yield case("nine trials, all lost, local: hold before the fewest of a win", three, {"a": lane(0, 5, 32), "b": lane(0, 4, 32), "c": lane(0, 5, 32)}, 510000, LOCAL)
    yield case("an upper bound below the ratio is no hold", three, {"a": lane(0, 7, 32), "b": lane(0, 6, 32), "c": lane(0, 7, 32)})
    yield case("a hold on the line though a lower bound reaches the ratio", three, {"a": lane(1070, 930, 3000), "b": lane(1070, 930, 3000), "c": lane(1000, 1000, 3000)})
    yield case("no common cap: over the line, however many trials", three, {"a": lane(5500, 4500, 20000), "b": lane(5500, 4500, 20000), "c": lane(5000, 5000, 20000)})
    yield case("even is by the median of all lanes, also of one set aside", four, {"a": lane(160, 140, 480), "b": lane(185, 165, 480), "c": lane(210, 190, 480), "d": lane(0, 0, 480)})
    yield case("rates: the lower of two medians", {"a": 10**6, "b": 10**6}, {"a": lane(3, 0, 10, 9 * 10**6, 5), "b": lane(3, 0, 10, 8999999, 10**6)})
    yield case("rates: not of a lane set aside", {**four, "e": 10**6}, {"e": lane(0, 0, 480, 480 * 10**6, 0), **{h: lane(250, 150, 480, 250 * 10**6, 150 * 10**6) for h in "abcd"}})
    yield case("alone, what is enough beside others is not", four, {h: lane(58, 38, 96) for h in four}, 510000, ALONE)
    yield case("beside others, it is", four, {h: lane(58, 38, 96) for h in four})


def compact():
    """Yields two thousand analyses of all kinds of lanes: skewed and equal weights, ties at the line, liars, thin lanes, missed epochs."""
    rng = random.Random(1)
    for i in range(2000):
        size = rng.choice([1, 2, 3, 4, 5, 7, 9, 13])
        hotkeys = [chr(97 + k) for k in range(size)]
        kind = rng.choice(["equal", "skewed", "any"])
        weights = {h: 10**6 if kind == "equal" else 10**6 // (k + 1) if kind == "skewed" else rng.randint(1, 10**6) for k, h in enumerate(hotkeys)}
        if rng.random() < 0.1:
            weights[rng.choice(hotkeys)] = 0
        ratio, rule = rng.choice([510000, 510000, rng.randint(510001, 800000)]), rng.choice([MAIN, MAIN, LOCAL, ALONE])
        near = ratio / 10**6 + rng.uniform(-0.03, 0.06)
        p, tied = rng.choice([rng.uniform(0.35, 0.8), near]), rng.choice([0, 0.2, 0.9, 0.995])
        style = {h: rng.choice(["honest"] * 6 + ["wins", "losses", "thin", "tie at the line"]) for h in hotkeys}
        epochs = []
        for k in range(rng.choice([1, 1, 2, 3, 5, 8])):
            played, epoch = min(32 * 2**k, 512), {}
            same = round(played * (1 - tied) * p)
            for h in hotkeys:
                if rng.random() < 0.1:
                    continue
                decisive = round(played * (1 - tied))
                wins = min(decisive, max(0, round(decisive * p + rng.gauss(0, (decisive * p * (1 - p)) ** 0.5))))
                made = {"honest": (wins, decisive - wins), "wins": (played, 0), "losses": (0, played), "thin": (min(2, played), 0), "tie at the line": (same, decisive - same)}
                epoch[h] = [*made[style[h]], played, rng.randint(0, played * 10**6), rng.randint(0, played * 10**6)]
            epochs.append(epoch)
        want = evidence(weights, epochs, ratio, rule)
        # compact.json has these members as lists.
        pairs = {k: list(want[k].values()) for k in ("win", "hold", "score", "rates", "median") if k in want}
        yield {"weights": weights, "epochs": epochs, "ratio": ratio, "rule": RULES.index(rule), "want": {**want, **pairs}}


# ---- the best of several winners


def tally_of(rng, strength, played, style):
    """Returns a lane of one epoch as [wins, losses, played, contenderPoints, championPoints]: points may be fractions of a reward."""
    wins = {"wins": played, "losses": 0}.get(style, sum(rng.random() < strength for _ in range(played)))
    losses = {"wins": 0, "losses": played}.get(style, (played - wins) // 3)
    step = rng.choice([10**6, 10**6, 500000, 333333])
    return [wins, losses, played, wins * 10**6 + step * ((played - wins) // 7), losses * 10**6]


def crowning_cases():
    """Yields lists of won duels, the best, and intermediate results."""
    rng = random.Random(5)
    for i in range(300):
        voters = "abcde"[: rng.choice([1, 2, 3, 4, 5])]
        weights = {h: rng.choice([10**6, 10**6, rng.randint(1, 10**6)]) for h in voters}
        if rng.random() < 0.1:
            weights[rng.choice(voters)] = 0
        liars = {h: rng.choice(["wins", "losses"]) for h in voters if rng.random() < 0.08}
        envs = ["mult8@0.1.0", "pack@0.1.0", "tictactoe@0.1.0"][: rng.choice([0, 1, 2, 3] if i % 10 == 0 else [1, 2, 3, 3, 3])]
        near = rng.choice([[0.6, 0.65, 0.7], [0.5, 0.7, 0.9], [0.5, 0.7, 0.9], [0.3, 0.6, 0.95], [0.9, 1, 1], [1]])
        in_a_circle = rng.random() < 0.25
        plays = rng.choice([[32], [32, 64], [16, 32, 64], [16, 128]])
        duels, most = [], rng.choice([32, 64, 128])
        for _ in range(rng.randint(2, 8)):
            if duels and rng.random() < 0.1:
                duels.append(duels[-1])
                continue
            duel, turn = {}, rng.randrange(3)
            for k, env in enumerate(envs):
                strength = [0.5, 0.7, 0.9][(turn + k) % 3] if in_a_circle else rng.choice(near)
                here = rng.random() < 0.95
                duel[env] = [{h: tally_of(rng, strength, n, liars.get(h)) for h in voters if here and rng.random() < 0.9} for n in plays]
            duels.append(duel)
        seen = [{env: judged(weights, epochs, 510000, MAIN).shown("contender_points") for env, epochs in duel.items()} for duel in duels]
        yield {
            "weights": weights,
            "most": most,
            "duels": duels,
            "shown": [{env: shown if shown[1] else None for env, shown in duel.items()} for duel in seen],
            "sums": [sum_of_rates(duel, MAIN_RULES) for duel in seen],
            "pairs": [[i, j, ahead(seen[i], seen[j]), ahead(seen[j], seen[i])] for i in range(len(duels)) for j in range(i)],
            "beaten": beaten_by(seen, MAIN_RULES, dict.fromkeys(envs, most)),
            "want": best_of(seen, MAIN_RULES, dict.fromkeys(envs, most)),
        }


# ---- ratio and trust


def ratchet_cases():
    rng = random.Random(3)
    drawn = []
    for i in range(300):
        won = []
        for _ in range(rng.choice([1, 1, 2, 3])):
            n = rng.randint(10, 3000)
            a, r = rng.choice([0, 10**6, *[rng.randint(0, 10**6)] * 8]), rng.choice([0, 10**6, *[rng.randint(0, 10**6)] * 8])
            won.append((F(rng.randint(n * 5 * 10**5, n * 10**6), 10**6), F(n), a, r))
        drawn.append((f"drawn {i}", won))
    for what, won in [
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
        ("a champion known to be as good supports no rise", [(F(90), F(100), 700000, 700000)]),
        ("one that throws its duel, known to be better", [(F(100), F(100), 600000, 900000)]),
        ("both perfect, or both without a point", [(F(90), F(100), 10**6, 10**6), (F(90), F(100), 0, 0)]),
        ("what the rates support is the lesser", [(F(900), F(1000), 800000, 600000)]),
        ("the tally is the lesser", [(F(60), F(100), 990000, 10000)]),
        *drawn,
    ]:
        # A case without rates gets the rates of a contender that always succeeds, and 0 for the champion.
        won = [(*each, 10**6, 0) if len(each) == 2 else each for each in won]
        bounds = [min(bound_of(int(w * 10**6), int(n * 10**6), MAIN_RULES), supported(a, r)) for w, n, a, r in won]
        plain = [{"wins": str(w * 10**6), "trials": str(n * 10**6), "unit": "1000000", "contender": a, "champion": r} for w, n, a, r in won]
        yield {"what": what, "input": plain, "bounds": bounds, "want": raised_ratio(bounds, MAIN_RULES)}


def decay_cases():
    for what, ratio in [
        ("the floor stays", 510000),
        ("one millionth is gone", 510001),
        ("the ceiling", 800000),
        ("600270", 600270),
        ("below the floor, which other constants had lower", 500000),
    ]:
        yield {"what": what, "input": ratio, "want": decayed_ratio(ratio, MAIN_RULES)}
    _, *run = accumulate(range(60), lambda ratio, _: decayed_ratio(ratio, MAIN_RULES), initial=800000)
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
        yield {"what": what, "input": {"correct": c, "incorrect": i}, "want": trust_of(c, i)}


# ---- the queue


def queue_cases():
    """Yields miners, past and current participants, and the queue."""
    rng = random.Random(2)
    for i in range(300):
        hotkeys = [f"m{k}" for k in range(rng.randint(0, 9))]
        block = lambda: rng.randint(0, 6) * 360 - rng.choice([0, 1])
        miners = [[h, rng.choice("ab"), max(0, block()), max(0, block())] for h in hotkeys]
        rng.shuffle(miners)
        champion = rng.choice([None, *hotkeys])
        listed = [h for h in hotkeys if h != champion and rng.random() < 0.15]
        played = [h for h in hotkeys if h == champion or h in listed or rng.random() < 0.6]
        had = [[h, rng.choice("abc"), None if h == champion or h in listed else rng.randint(1, 7) * 360 - 1] for h in played]
        entry = lambda h, revision, left: {"content": content_of(commitment(h, revision)), **({} if left is None else {"left": left})}
        registered = [h for h in hotkeys if rng.random() < 0.9]
        neurons = {h: Neuron(0, 0, False, since, 0) for h, *_, since in miners if h in registered}
        view = View(neurons, {h: (commitment(h, revision), block) for h, revision, block, _ in miners}, {})
        want = [m.hotkey for m in queue_of(view, {h: entry(h, *rest) for h, *rest in had}, {champion, *listed})]
        yield {"miners": miners, "lastPlayed": had, "champion": champion, "listed": listed, "registered": registered, "want": want}


# ---- weights and acceptance


def weight_cases():
    """Yields validators with a permit, and the weights of the voters."""
    rng = random.Random(3)
    for i in range(300):
        scale = rng.choice([3, 10**3, 10**9, 10**18])
        size = rng.choice([0, 1, 2, 3, 5, 9])
        validators = [[f"v{k}", rng.choice([0, 1, scale, rng.randint(0, scale), rng.randint(0, scale)]), 0, 0] for k in range(size)]
        for v in validators:
            if rng.random() < 0.5:
                v[2], v[3] = rng.randint(0, 32 * 10**6), rng.choice([0, rng.randint(0, 32 * 10**6)])
        rng.shuffle(validators)
        most = rng.choice([2, 128])
        # "w" is active, but has no permit in this snapshot.
        attested = {h: rng.choice([stake, stake + 1, rng.randint(1, scale)]) for h, stake in [*(v[:2] for v in validators), ("w", scale)] if rng.random() < 0.9}
        stakes = {h: min(stake, attested.get(h, 0)) for h, stake, *_ in validators}
        yield {
            "validators": [[h, str(stake), *rest] for h, stake, *rest in validators],
            "attested": {h: str(stake) for h, stake in attested.items()},
            "most": most,
            "want": weigh_voters(stakes, {h: {"correct": c, "incorrect": i} for h, _, c, i in validators}, most),
        }


def acceptance_cases():
    """Yields attestations, and the lanes that they accept."""
    rng = random.Random(4)
    for i in range(400):
        size = 128 if i == 0 else rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 9, 17])
        voters = [f"v{k}" for k in range(size)]
        weights = {h: rng.choice([10**6, 10**6, 500000, 250000, 333333, rng.randint(1, 10**6)]) if i % 2 else 10**6 for h in voters}
        some = lambda p: [h for h in voters if rng.random() < p]
        due, sealed, whole, true = some(0.95), some(0.95), some(0.95), some(0.9)
        present, attests = rng.choice([0.6, 0.75, 0.9]), {}
        for h in [*voters, "s"]:
            if rng.random() < present:
                lanes = set(rng.choice([true, true, some(0.5), voters]))
                attests[h] = [bitmap(weights, lanes), rng.choice(["none"] * 20 + ["epoch", "root", "permit"])]
        counted = {h: Attestation(0, bits, "", "", "") for h, (bits, wrong) in attests.items() if wrong == "none"}
        found = acceptance_of(weights, counted)
        asked = sorted(found.attested & set(due))
        accepted = [h for h in asked if h in {*sealed} & {*whole}]
        attesting = sum(weights.get(hotkey, 0) for hotkey in counted)
        yield {
            "weights": weights,
            "attests": {h: [bits.hex(), wrong] for h, (bits, wrong) in attests.items()},
            "due": due,
            "sealed": sealed,
            "whole": whole,
            "want": {"attesting": attesting, "frozen": found.is_frozen, "asked": asked, "accepted": accepted},
        }


write("queue.json", queue_cases(), (",", ":"))
write("evidence.json", evidence_cases())
write("compact.json", compact(), (",", ":"))
write("crowning.json", crowning_cases(), (",", ":"))
write("ratchet.json", ratchet_cases())
write("decay.json", decay_cases())
write("trust.json", trust_cases())
write("weights.json", weight_cases(), (",", ":"))
write("acceptance.json", acceptance_cases(), (",", ":"))
write("networks.json", networks(), (",", ":"))
