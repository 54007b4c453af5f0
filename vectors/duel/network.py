"""A network decided epoch by epoch, from sections 8 and 9 of docs/protocol.md, in fractions and plain dictionaries."""

import json
from fractions import Fraction as F
from math import ceil

from blake3 import blake3

FROZEN_MOST = 4
BLANK = 96


def digest(tag, *fields):
    """Returns canonical JSON for ASCII keys and integers, all that is digested here."""
    text = json.dumps(["affine/1", tag, *fields], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return blake3(text.encode()).hexdigest()


def root_of(state):
    return digest("state", state)


def first_state(rules, epoch):
    empty = {"record": {}, "lastPlayed": {}, "voters": {}, "trust": {}, "heads": {}, "due": {}, "duels": []}
    return {"protocol": rules, "epoch": epoch, "ratio": rules["ratioFloorPpm"], **empty}


def texts(miner):
    return {k: miner[k] for k in ("hotkey", "model", "revision", "chute")}


def content(miner):
    return digest("content", texts(miner))


# ---- the queue (8.12)


def queue_of(snap, last_played, taken):
    """Returns the queue, longest wait first. `taken` has the hotkeys of champion and contenders."""
    waits = []
    for miner in snap["miners"]:
        hotkey, had = miner["hotkey"], last_played.get(miner["hotkey"], {})
        if hotkey in snap["hotkeys"] and hotkey not in taken and had.get("content") != content(miner):
            waits.append((max(miner["block"], miner["registered"], had.get("left", 0)), hotkey, miner))
    return [miner for _, _, miner in sorted(waits, key=lambda wait: wait[:2])]


# ---- duels (8.2, 8.6, 8.7)


def index_of(duel, epoch):
    return epoch - duel["start"] + 1


def quota(index, env):
    return min(env["quotaFirst"] * 2 ** (index - 1), env["quotaMost"])


def standing_of(duel, rules):
    """Returns "won", "open", or "lost" only by verdicts."""
    counted = [env for env in rules["envs"] if duel["verdicts"].get(env) != "even"]
    wins = [env for env in counted if duel["verdicts"].get(env) == "win"]
    undecided = [env for env in counted if env not in duel["verdicts"]]
    needed = ceil(F(len(counted) + rules["margin"], 2))
    if not counted or len(wins) + len(undecided) < needed:
        return "lost"
    return "won" if len(wins) >= needed else "open"


def is_won(duel, rules):
    return standing_of(duel, rules) == "won"


def rated(rules):
    """Returns environments of one player, since rates against different opponents are not comparable."""
    return sorted(env for env in rules["envs"] if rules["envs"][env]["players"] == 1)


def quotas_of(duel, rules, epoch):
    """Returns the quotas of a lane for this duel in this epoch."""
    index = index_of(duel, epoch)
    if index > rules["duelEpochs"]:
        return {}
    open_in = sorted(env for env in rules["envs"] if env not in duel["verdicts"])
    return {env: quota(index, rules["envs"][env]) for env in (rated(rules) if is_won(duel, rules) else open_in)}


# ---- voters and acceptance (8.1, 8.3)


def heard_in(state, snap):
    root = root_of(state)
    return {v["hotkey"]: v for v in snap["validators"] if v.get("epoch") == state["epoch"] and v.get("root") == root}


def active(state, snap, quorum_epochs):
    """Returns the last attestation before this snapshot, by hotkey."""
    if "attested" in state:
        known = state["attested"]
    else:
        mining = {m["hotkey"] for m in snap["miners"]}
        known = {v["hotkey"]: {"epoch": state["epoch"], "stake": str(v["stake"])} for v in snap["validators"] if v["hotkey"] not in mining and v["stake"] > 0}
    return {h: last for h, last in known.items() if h in snap["hotkeys"] and state["epoch"] - last["epoch"] < quorum_epochs}


def voters_of(snap, known, trust, weights_of):
    rows = []
    for v in snap["validators"]:
        if v["hotkey"] in known:
            record = trust.get(v["hotkey"], {"correct": 0, "incorrect": 0})
            rows.append([v["hotkey"], min(v["stake"], int(known[v["hotkey"]]["stake"])), record["correct"], record["incorrect"]])
    return weights_of(rows, snap["protocol"]["validatorsMost"])


def is_whole(lane, duels, rules, epoch):
    for duel in duels:
        for env, played in quotas_of(duel, rules, epoch).items():
            tally = lane.get(duel["contender"]["hotkey"], {}).get(env)
            if tally is None or tally[0] + tally[1] > played or max(tally[2:]) > played * 10**6:
                return False
    return True


def accept(state, heard, seals, lanes):
    """Returns whether the epoch is frozen, and the validators with accepted lanes."""
    weights = state["voters"]
    bits = {h: set(v["lanes"]) for h, v in heard.items() if h in weights}
    W, A = sum(weights.values()), sum(weights[h] for h in bits)
    there = [h for h in state["due"] if h in seals and is_whole(lanes.get(h, {}), state["duels"], state["protocol"], state["epoch"])]
    accepted = [h for h in there if sum(weights[v] for v in bits if h in bits[v]) > F(A, 2)]
    return A == 0 or F(A, W) < F(2, 3), sorted(accepted)


# ---- one epoch of a duel


def counts(tally, played):
    return {**dict(zip(("wins", "losses", "contenderPoints", "championPoints"), tally)), "played": played}


def epochs_in(duel, env, rules):
    """Returns the tallies of an environment in the form of the reference."""
    played = [quota(k + 1, rules["envs"][env]) for k in range(len(duel["tallies"]))]
    return [{h: counts(tally, n) for h, tally in entry.get(env, {}).items()} for entry, n in zip(duel["tallies"], played)]


def look(duel, env, state, evidence, alone=False):
    rules = state["protocol"]
    numbers = {k: rules[k] for k in ("minTrials", "holdOffset", "holdSlopePpm", "floorZSquaredPpm", "ratchetZSquaredPpm")}
    if alone:
        numbers["floorZSquaredPpm"] = rules["aloneZSquaredPpm"]
    return evidence(state["voters"], epochs_in(duel, env, rules), state["ratio"], numbers)


def verdict_of(seen, index, rules):
    if seen["verdict"] != "continue":
        return seen["verdict"]
    if "median" not in seen:
        return None
    trials, played = seen["median"]["trials"], seen["median"]["played"]
    blank = trials == 0 and played >= BLANK
    late = index >= rules["evenEpoch"] and trials * 10**6 // played < rules["evenPpm"]
    return "even" if blank or late else None


def judge(duel, seen, state, evidence, saw):
    """Returns the verdicts of an open duel after an epoch that is not frozen."""
    rules, before = state["protocol"], duel["verdicts"]
    index = index_of(duel, state["epoch"])
    given = {env: verdict_of(seen[env], index, rules) for env in rules["envs"] if env not in before}
    after = {**before, **{env: verdict for env, verdict in given.items() if verdict}}
    if "even" in given.values():
        saw("even early" if index < rules["evenEpoch"] else "even late")
    counted = [env for env in rules["envs"] if after.get(env) != "even"]
    if len(counted) != 1 or after.get(counted[0]) != "win":
        return after
    (last,) = counted
    alone = verdict_of(look(duel, last, state, evidence, alone=True), index, rules)
    if alone != "win":
        del after[last]
        saw("win not given alone" if last in given else "win taken back")
        if alone:
            after[last] = alone
    return after


def played_in(duel, state, frozen, accepted, lanes):
    """Returns the duel with the tallies of this epoch."""
    rules, epoch = state["protocol"], state["epoch"]
    if index_of(duel, epoch) > rules["duelEpochs"]:
        return duel
    mine = lambda h: lanes[h][duel["contender"]["hotkey"]]
    entry = {} if frozen else {env: {h: mine(h)[env] for h in accepted} for env in quotas_of(duel, rules, epoch)}
    return {**duel, "tallies": [*duel["tallies"], entry]}


def fate(duel, rules, epoch, saw):
    """Returns "won", "open" or "lost"."""
    by_verdicts = standing_of(duel, rules)
    late, frozen = index_of(duel, epoch) >= rules["duelEpochs"], duel["tallies"].count({}) >= FROZEN_MOST
    if by_verdicts == "open" and (late or frozen):
        saw("lost by freezing" if not late else "lost by length")
        return "lost"
    if by_verdicts == "lost":
        saw("lost by verdicts")
    return by_verdicts


def trust_after(state, accepted, seen):
    """Returns the trust after an epoch. `seen` has the evidence of each duel and environment that was played."""
    fade = lambda n: n * state["protocol"]["trustFadePpm"] // 10**6
    trust = dict(state["trust"])
    for h in state["due"]:
        old = trust.get(h, {"correct": 0, "incorrect": 0})
        good = bad = 0
        for env in {env for each in seen for env in each}:
            aside = [h in each[env]["setAside"] for each in seen if env in each]
            bad += h not in accepted
            good += h in accepted and 2 * sum(aside) < len(aside)
        trust[h] = {"correct": fade(old["correct"]) + good * 10**6, "incorrect": fade(old["incorrect"]) + bad * 10**6}
    return trust


# ---- the throne (8.10, 8.11)


def decayed(ratio, rules):
    least = rules["ratioFloorPpm"]
    return least + max(ratio - least, 0) * rules["ratioDecayPpm"] // 10**6


def raised(duel, seen, record, rules, ratchet):
    of = lambda tally, k: F(int(tally[k]), 10**6)
    won = [(seen[env]["win"], seen[env]["rates"], record.get(env, 0)) for env in rated(rules) if duel["verdicts"].get(env) == "win"]
    return ratchet([(of(win, "wins"), of(win, "trials"), rates["contender"], max(rates["champion"], old)) for win, rates, old in won])[1]


def with_rates(record, seen, side, rules):
    return {**record, **{env: max(record.get(env, 0), seen[env]["rates"][side]) for env in rated(rules)}}


def may_crown(duels, rules, epoch):
    """Reports whether a contender is crowned. `duels` are those that are not lost."""
    all_won = all(is_won(duel, rules) for duel in duels)
    return duels and all_won and (len(duels) == 1 or all(index_of(duel, epoch) >= rules["duelEpochs"] for duel in duels))


def begin(contender, epoch):
    return {"contender": texts(contender), "start": epoch, "tallies": [], "verdicts": {}}


# ---- the next state (9.4)


def decide(state, snap, seals, lanes, reference, saw=lambda what: None):
    """Returns the next state. `lanes` maps validator, contender and environment to [wins, losses, contenderPoints, championPoints]."""
    rules, epoch, evidence = state["protocol"], state["epoch"], reference["evidence"]
    registered = lambda record: {h: value for h, value in record.items() if h in snap["hotkeys"]}
    last_played, left = dict(state["lastPlayed"]), rules["epochBlocks"] * (epoch + 1) - 1

    # 1
    heard = heard_in(state, snap)
    heads = {**state["heads"], **{h: head for h, head in seals.items() if h in state["due"]}}
    frozen, accepted = accept(state, heard, seals, lanes)
    if not frozen and len(accepted) < len(state["due"]):
        saw("a lane that is due is not accepted")

    # 2
    duels, lost, seen, seen_played = [], [], {}, []
    for before in state["duels"]:
        was_open, plays = not is_won(before, rules), quotas_of(before, rules, epoch)
        duel = played_in(before, state, frozen, accepted, lanes)
        views = {env: look(duel, env, state, evidence) for env in rules["envs"]}
        if was_open and not frozen:
            duel = {**duel, "verdicts": judge(duel, views, state, evidence, saw)}
        seen[duel["contender"]["hotkey"]] = views
        seen_played.append({env: views[env] for env in plays})
        (lost if was_open and fate(duel, rules, epoch, saw) == "lost" else duels).append(duel)
    if any(views["setAside"] for each in seen_played for views in each.values()):
        saw("a lane is set aside")
    seen_of = lambda duel: seen[duel["contender"]["hotkey"]]

    # 3
    trust = state["trust"] if frozen else trust_after(state, accepted, seen_played)

    # 4
    record = state["record"]
    for duel in lost:
        record = with_rates(record, seen_of(duel), "champion", rules)

    # 5
    champion, leaving = state.get("champion"), [duel["contender"]["hotkey"] for duel in lost]
    if not frozen and may_crown(duels, rules, epoch):
        shown = [{env: epochs_in(duel, env, rules) for env in rated(rules)} for duel in duels]
        most = {env: rules["envs"][env]["quotaMost"] for env in rated(rules)}
        crowned = duels[reference["crowning"](state["voters"], shown, most, rules["ratchetZSquaredPpm"], saw)["best"]]
        ratio = raised(crowned, seen_of(crowned), record, rules, reference["ratchet"])
        record = with_rates(record, seen_of(crowned), "contender", rules)
        leaving += [champion["hotkey"], *(duel["contender"]["hotkey"] for duel in duels if duel is not crowned)]
        champion, duels = crowned["contender"], []
    else:
        ratio = decayed(state["ratio"], rules)
    for hotkey in leaving:
        last_played[hotkey] = {**last_played[hotkey], "left": left}
    queue = queue_of(snap, last_played, {m["hotkey"] for m in [*(duel["contender"] for duel in duels), *([champion] if champion else [])]})
    if not champion and queue:
        taken = queue.pop(0)
        champion = texts(taken)
        last_played[taken["hotkey"]] = {"content": content(taken)}

    # 6
    same = {**rules, "templates": None} == {**snap["protocol"], "templates": None}
    if rules != snap["protocol"] and duels:
        saw("only templates changed with duels on" if same else "constants changed with duels on")
    rules, duels = snap["protocol"], duels if same else [begin(duel["contender"], epoch + 1) for duel in duels]

    # 7
    if not frozen and champion and not any(is_won(duel, rules) for duel in duels):
        while queue and len(duels) < rules["duelsMost"]:
            contender = queue.pop(0)
            duels.append(begin(contender, epoch + 1))
            last_played[contender["hotkey"]] = {"content": content(contender)}

    # 8
    known = active(state, snap, rules["quorumEpochs"])
    voters = voters_of(snap, known, trust, reference["weights"])
    now = {h: {"epoch": epoch, "stake": str(v["stake"])} for h, v in heard.items() if v["stake"] > 0}
    stays = {*snap["hotkeys"], *(duel["contender"]["hotkey"] for duel in duels), *([champion["hotkey"]] if champion else [])}
    return {
        "protocol": rules,
        "epoch": epoch + 1,
        "ratio": ratio,
        **({"champion": champion} if champion else {}),
        "record": record,
        "lastPlayed": {h: had for h, had in last_played.items() if h in stays},
        "attested": {**known, **now},
        "voters": voters,
        "trust": registered(trust),
        "heads": registered(heads),
        "due": {h: v["next"] for h, v in heard.items() if duels and h in voters},
        "duels": duels,
    }
