"""A network decided epoch by epoch, from sections 8 and 9 of docs/protocol.md, in fractions and plain dictionaries."""

import json
from fractions import Fraction as F
from math import ceil

from blake3 import blake3

FROZEN_MOST = 4


def digest(tag, *fields):
    """Enough for what is digested here: keys are ASCII, numbers whole."""
    text = json.dumps(["affine/1", tag, *fields], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return blake3(text.encode()).hexdigest()


def root_of(state):
    return digest("state", state)


def first_state(rules, epoch):
    return {"protocol": rules, "epoch": epoch, "ratio": rules["ratioFloorPpm"], "record": {}, "turns": 0, "dueled": {}, "trust": {}, "heads": {}, "due": {}}


def texts(miner):
    return {k: miner[k] for k in ("hotkey", "model", "revision", "chute")}


def content(miner):
    return digest("content", texts(miner))


# ---- the queue


def places(state, snap):
    """Who waits, the next first: each turn is given in its turn."""
    left = []
    for miner in snap["miners"]:
        had = state["dueled"].get(miner["hotkey"])
        if had and had["registered"] != miner["registered"]:
            had = None
        if miner["hotkey"] not in snap["hotkeys"] or (had and had.get("content") == content(miner)):
            continue
        since = max(miner["block"], miner["registered"], (had["ended"] + 1) * snap["protocol"]["epochBlocks"] if had else 0)
        left.append((had["duels"] if had else 0, since, miner["hotkey"], miner))
    order, turn = [], state["turns"]
    while left:
        by_turns, by_wait = (lambda each: each[:3]), (lambda each: each[1:3])
        chosen = min(left, key=by_wait if turn % 2 else by_turns)
        left.remove(chosen)
        order.append(chosen[3])
        turn += 1
    return order


# ---- voters


def heard_in(state, snap):
    root = root_of(state)
    return {v["hotkey"]: v for v in snap["validators"] if v.get("epoch") == state["epoch"] and v.get("root") == root}


def active(state, snap):
    """hotkey to its last attestation, before this snapshot's."""
    if "attested" in state:
        known = state["attested"]
    else:
        mining = {m["hotkey"] for m in snap["miners"]}
        known = {v["hotkey"]: {"epoch": state["epoch"], "stake": str(v["stake"])} for v in snap["validators"] if v["hotkey"] not in mining and v["stake"] > 0}
    oldest = state["epoch"] - state["protocol"]["quorumEpochs"] + 1
    return {h: last for h, last in known.items() if h in snap["hotkeys"] and last["epoch"] >= oldest}


def voters(state, snap, trust, reference):
    known = active(state, snap)
    rows = []
    for v in snap["validators"]:
        if v["hotkey"] in known:
            stake = min(v["stake"], int(known[v["hotkey"]]["stake"]))
            record = trust.get(v["hotkey"], {"correct": 0, "incorrect": 0})
            rows.append([v["hotkey"], stake, record["correct"], record["incorrect"]])
    weights = reference["weights_at_start"](rows, snap["protocol"]["validatorsMost"])
    return weights, {h: str(stake) for h, stake, *_ in rows if h in weights}


# ---- one epoch of a duel


def quota(index, env):
    return min(env["quotaFirst"] * 2 ** (index - 1), env["quotaMost"])


def is_whole(lane, quotas):
    return all(env in lane and lane[env]["played"] == count for env, count in quotas.items())


def judge(state, snap, heard, seals, lanes, reference):
    duel, rules = state["duel"], state["protocol"]
    index = state["epoch"] - duel["start"] + 1
    stakes = {v["hotkey"]: v["stake"] for v in snap["validators"]}
    weights = reference["weights_now"](duel["weights"], {h: int(s) for h, s in duel["stakes"].items()}, stakes)
    bits = {h: set(v["lanes"]) for h, v in heard.items() if h in weights}
    W, A = sum(weights.values()), sum(weights[h] for h in bits)
    frozen = A == 0 or F(A, W) < F(2, 3)
    envs = sorted(rules["envs"])
    open_envs = [env for env in envs if env not in duel["verdicts"]]
    quotas = {env: quota(index, rules["envs"][env]) for env in open_envs}
    accepted = set()
    for h in state["due"]:
        attested = sum(weights[v] for v in bits if h in bits[v])
        if h in seals and is_whole(lanes.get(h, {}), quotas) and attested > F(A, 2):
            accepted.add(h)
    tallies = dict(duel["tallies"])
    if not frozen:
        for env in open_envs:
            tallies[env] = [*tallies.get(env, []), {h: lanes[h][env] for h in sorted(accepted)}]

    def look(env, lone=False):
        numbers = {k: rules[k] for k in ("cap", "minTrials", "zSquaredPpm", "holdOffset", "holdSlopePpm", "floorZSquaredPpm")}
        if lone:
            numbers |= {"zSquaredPpm": rules["loneZSquaredPpm"], "floorZSquaredPpm": rules["loneFloorZSquaredPpm"]}
        return reference["evidence"](weights, tallies.get(env, []), duel["ratio"], numbers)

    def verdict_of(seen):
        if frozen:
            return None
        if seen["verdict"] != "continue":
            return seen["verdict"]
        decisive = seen.get("decisivePpm")
        return "even" if index >= rules["evenEpoch"] and decisive is not None and decisive < rules["evenPpm"] else None

    seen = {env: look(env) for env in envs}
    verdicts = dict(duel["verdicts"])
    for env in open_envs:
        if verdict_of(seen[env]):
            verdicts[env] = verdict_of(seen[env])
    counted = [env for env in envs if verdicts.get(env) != "even"]
    if len(counted) == 1 and duel["verdicts"].get(counted[0]) != "hold":
        given = verdict_of(look(counted[0], lone=True))
        verdicts = {env: v for env, v in verdicts.items() if env != counted[0]}
        if given:
            verdicts[counted[0]] = given

    counted = [env for env in envs if verdicts.get(env) != "even"]
    wins = [env for env in counted if verdicts.get(env) == "win"]
    undecided = [env for env in counted if env not in verdicts]
    needed = ceil(F(len(counted) + rules["margin"], 2))
    count = duel["frozen"] + frozen
    if len(wins) + len(undecided) < needed:
        outcome = "champion"
    elif len(wins) >= needed:
        outcome = "contender"
    else:
        outcome = "champion" if index >= rules["duelEpochs"] or count >= FROZEN_MOST else None

    trust = {}
    if not frozen:
        for h in state["due"]:
            old = state["trust"].get(h, {"correct": 0, "incorrect": 0})
            fade = lambda n: n * rules["trustFadePpm"] // 10**6
            aside = sum(h in seen[env]["setAside"] for env in open_envs)
            good = len(open_envs) - aside if h in accepted else 0
            bad = 0 if h in accepted else len(open_envs)
            trust[h] = {"correct": fade(old["correct"]) + good * 10**6, "incorrect": fade(old["incorrect"]) + bad * 10**6}
    # Rates against different opponents do not compare.
    rated = [env for env in envs if rules["envs"][env]["players"] == 1]
    return {
        "duel": {**duel, "frozen": count, "tallies": tallies, "verdicts": verdicts},
        "outcome": outcome,
        "trust": trust,
        "rates": {env: seen[env]["rates"] for env in rated},
        "won": [(seen[env]["win"], seen[env]["rates"], state["record"].get(env, 0)) for env in wins if env in rated],
    }


# ---- the next state


def decayed(ratio, rules):
    floor = rules["ratioFloorPpm"]
    return floor + (ratio - floor) * rules["ratioDecayPpm"] // 10**6


def raised(won, reference):
    of = lambda tally, k: F(int(tally[k]), 10**6)
    rows = [(of(win, "wins"), of(win, "trials"), rates["contender"], max(rates["champion"], old)) for win, rates, old in won]
    return reference["ratchet"](rows)[1]


def decide(state, snap, seals, lanes, reference):
    rules, epoch = state["protocol"], state["epoch"]
    heard = heard_in(state, snap)
    duel = state.get("duel")
    judged = judge(state, snap, heard, seals, lanes, reference) if duel else None
    registered = lambda record: {h: value for h, value in record.items() if h in snap["hotkeys"]}
    trust = registered({**state["trust"], **(judged["trust"] if judged else {})})

    standing = {content(m) for m in snap["miners"] if m["hotkey"] in snap["hotkeys"]}
    stands = lambda miner: miner is not None and content(miner) in standing
    champion = state.get("champion")
    by_verdicts = judged and judged["outcome"]
    outcome = by_verdicts
    if judged and not outcome:
        outcome = "champion" if not stands(duel["contender"]) else "contender" if not stands(champion) else None
    ratio = raised(judged["won"], reference) if by_verdicts == "contender" else decayed(state["ratio"], rules)

    dueled = dict(state["dueled"])
    if outcome and duel["contender"]["hotkey"] in dueled:
        had = dict(dueled[duel["contender"]["hotkey"]], ended=epoch)
        if judged["duel"]["frozen"] >= FROZEN_MOST:
            had.pop("content", None)
        dueled[duel["contender"]["hotkey"]] = had
    queue = places({**state, "dueled": dueled}, snap)

    heir = duel["contender"] if outcome == "contender" else champion
    record, taken, rates = state["record"], [], judged and judged["rates"]
    if stands(heir):
        if outcome == "contender" and by_verdicts:
            record = {env: rates[env]["contender"] for env in rates}
        elif outcome:
            record = {env: max(rates[env][outcome], record.get(env, 0)) for env in rates}
    else:
        heir = queue.pop(0) if queue else None
        if heir:
            taken.append(heir)
            ratio = rules["ratioFloorPpm"]

    weights, stakes = voters(state, snap, trust, reference)
    running = judged["duel"] if judged and not outcome else None
    attending = sum(w for h, w in weights.items() if h in heard)
    if not running and heir and queue and attending > 0 and 3 * attending >= 2 * sum(weights.values()):
        contender = queue.pop(0)
        taken.append(contender)
        sides = {"champion": texts(heir), "contender": texts(contender)}
        name = digest("duel", *sides.values(), epoch + 1)
        running = {"id": name, **sides, "start": epoch + 1, "ratio": ratio, "weights": weights, "stakes": stakes, "frozen": 0, "tallies": {}, "verdicts": {}}
        goes_on = False
    else:
        goes_on = running is not None
    for miner in taken:
        had = dueled.get(miner["hotkey"])
        before = had["duels"] if had and had["registered"] == miner["registered"] else 0
        dueled[miner["hotkey"]] = {"registered": miner["registered"], "duels": before + 1, "ended": epoch, "content": content(miner)}

    now = {v["hotkey"]: {"epoch": epoch, "stake": str(v["stake"])} for v in snap["validators"] if v["hotkey"] in heard and v["stake"] > 0}
    return {
        "protocol": rules if goes_on else snap["protocol"],
        "epoch": epoch + 1,
        "ratio": ratio,
        **({"champion": texts(heir)} if heir else {}),
        "record": record,
        "turns": state["turns"] + len(taken),
        "dueled": registered(dueled),
        "attested": {**active(state, snap), **now},
        "trust": trust,
        "heads": registered({**state["heads"], **{h: head for h, head in seals.items() if h in state["due"]}}),
        "due": {h: v["next"] for h, v in heard.items() if running and h in running["weights"]},
        **({"duel": running} if running else {}),
    }
