"""Draws networks of fourteen epochs in a compact form, and decides them with affine_verify.

vectors/README.md describes the form. Empty members are omitted. The last networks are made by hand, for features that
too few drawn networks have.
"""

import random
import sys
from collections import Counter
from pathlib import Path

from affine_verify.rules import LOCAL
from affine_verify.state import decide, first_state, outcome_of, quotas_of, root_of

# The tests of python/ decide these networks too.
sys.path.append(str(Path(__file__).parents[2] / "python" / "tests"))
from verify_networks import arguments_of, rules_at

ENVS = {env: each for env, each in LOCAL["envs"].items() if env[0] in "hmt"}
EPOCHS = 14
ONE_OF = {
    "quorumEpochs": [2, 3, 20], "evenEpoch": [2, 4], "validatorsMost": [3, 128], "quotaFirst": [16, 32],
    "margin": [1, 1, 1, 2], "envs": ["mt", "mt", "hm", "t", "h", "hmt"],
}
# Success rates to draw from, by kind of network: of the first champion's first commitment, and of all others.
STRENGTHS = {
    "any": [[0.5], [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9]],
    "strong": [[0.1, 0.2, 0.4], [0.3, 0.8, 0.85, 0.9, 0.95]],
    "perfect": [[0.2], [0.1, 1, 1, 1]],
    "level": [[0.4], [0.3, 0.55, 0.65, 0.7, 0.75]],
    "tied": [[0, 0.98, 1], [0, 0.98, 1]],
}


class Network:
    """Validators, miners and their strengths, from which the facts of the epochs are drawn."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.kind = rng.choice(["any", "any", "strong", "strong", "strong", "perfect", "level", "level", "level", "tied"])
        self.changes = [{"from": 0, **self.changed()}]
        if rng.random() < 0.25:
            self.changes.append({"from": rng.randint(3, 9), **self.changed()})
        most = max(change["duelsMost"] for change in self.changes)
        self.names = "abcdefg"[: rng.choice([1, 2, 3, 3, 4, 4, *([5, 7, 7] if most < 3 else [5])])]
        top = rng.choice([1, 3, 9])
        self.stakes = {h: rng.randint(1, top) * 1000 for h in self.names}
        self.away = {h: self.outage() for h in self.names}
        self.liars = {h for h in self.names if rng.random() < 0.15}
        self.miners = {f"m{k}": ["a", 30 * rng.randint(0, 1) if k else 0, 0] for k in range(rng.choice([1, 2, 3, 5, 5, 7, 9, 9]))}
        self.evicted, self.skills, self.written = {}, {}, {}
        self.calm, self.halves = rng.random() < 0.6, rng.random() < 0.2

    def changed(self):
        always = {"duelsMost": self.rng.choice([1, 2, 3, 8]), "duelEpochs": self.rng.choice([2, 3, 5, 8])}
        if self.kind == "level":
            return {**always, "envs": self.rng.choice(["mt", "hmt"]), "evenEpoch": 2}
        if self.kind == "tied":
            return {**always, "envs": self.rng.choice(["mt", "t", "hmt"]), "evenEpoch": self.rng.choice([2, 5]), "margin": self.rng.choice([1, 1])}
        return {**always, **{k: self.rng.choice(v) for k, v in ONE_OF.items() if self.rng.random() < 0.3}}

    def outage(self):
        """Returns the range of epochs in which a validator is absent, empty for most validators."""
        start = self.rng.choice([0, self.rng.randint(1, 9)])
        return start, start + self.rng.choice([0, 0, self.rng.randint(1, 7)])

    def chance(self, p):
        return self.rng.random() < p * (0.3 if self.calm else 1)

    def skill(self, miner, env):
        """Returns the success rate of one commitment of a miner."""
        key = (miner["hotkey"], miner["revision"], env)
        if key not in self.skills:
            first, others = STRENGTHS[self.kind]
            level = self.kind == "level" and env == "tictactoe@0.1.0"
            self.skills[key] = 0 if level else self.rng.choice(first if key[:2] == ("m0", "a") else others)
        return self.skills[key]

    def miners_at(self, state, epoch):
        """Returns the changed slots, and the unregistered miners. Miners commit most often after a duel or term."""
        last = LOCAL["epochBlocks"] * (epoch + 1) - 1
        turns = {state.get("champion", {}).get("hotkey"), *(duel["contender"]["hotkey"] for duel in state["duels"])}
        for hotkey, miner in self.miners.items():
            had = hotkey in state["lastPlayed"]
            if self.chance(0.05 if hotkey in turns or not had else 0.6):
                miner[:2] = [self.rng.choice("abcd"), last - self.rng.randint(0, 9)]
            if self.evicted.get(hotkey) == epoch:
                miner[2] = last - self.rng.randint(0, 29)
            elif self.evicted.get(hotkey, 0) < epoch and self.chance(0.06):
                self.evicted[hotkey] = epoch + self.rng.randint(1, 4)
        if self.chance(0.3):
            self.miners[f"m{10 + epoch}"] = ["a", last - self.rng.randint(0, 29), last - 29]
        here = {hotkey: list(miner) for hotkey, miner in self.miners.items() if not self.chance(0.04)}
        changes = [[h, *here[h]] if h in here else [h] for h in self.miners if self.written.get(h) != here.get(h)]
        self.written = here
        return changes, [h for h in self.miners if self.evicted.get(h, 0) > epoch]

    def tally(self, hotkey, env, sides, played):
        """Returns a tally in its compact form."""
        games = ENVS[env]["players"] == 2
        if hotkey in self.liars:
            return ([played, 0] if sides[0]["hotkey"] < "m3" else [0, played]) + ([] if games else [0])
        good, bad = (self.skill(miner, env) for miner in sides)
        rng = self.rng
        if games:
            alone, other = good * (1 - bad), bad * (1 - good)
            p = alone / (alone + other) if alone + other else 0.5
            wins = sum(rng.random() < p for _ in range(played))
            unbegun = played // 4 if self.chance(0.1) else 0
            return [max(0, wins - unbegun), played - max(wins, unbegun)]
        pairs = Counter((rng.random() < good, rng.random() < bad) for _ in range(played))
        wins, losses, both = pairs[True, False], pairs[False, True], pairs[True, True]
        if self.halves and env == "tictactoe@0.1.0":
            neither = pairs[False, False] * 500000
            return [wins, losses, (wins + both) * 10**6 + neither, (losses + both) * 10**6 + neither]
        return [wins, losses, both]

    def lane(self, hotkey, state):
        champion, lane = state["champion"], {}
        for duel, quotas in zip(state["duels"], quotas_of(state).values()):
            contender = duel["contender"]
            lane[contender["hotkey"]] = {env[0]: self.tally(hotkey, env, (contender, champion), played) for env, played in quotas.items()}
        if self.chance(0.06):
            self.spoil(lane)
        return {contender: tallies for contender, tallies in lane.items() if tallies}

    def spoil(self, lane):
        """Alters a lane: a tally is missing, extra, or beyond the quota. An extra tally leaves the lane valid."""
        rng = self.rng
        contender = rng.choice(sorted(lane))
        kind = rng.choice(["no duel", "no env", "a duel more", "an env more", "too many", "too many points", "too many points"])
        tallies = lane[contender]
        if kind == "no duel":
            del lane[contender]
        elif kind == "a duel more":
            lane["m99"] = {"m": [1, 2, 3]}
        elif kind == "an env more":
            lane[contender] = {**tallies, rng.choice([e for e in "hmtx" if e not in tallies]): [600, 1, 1]}
        elif tallies:
            env = rng.choice(sorted(tallies))
            if kind == "no env":
                del tallies[env]
            elif kind == "too many":
                tallies[env] = [600, 1, 0]
            else:
                tallies[env] = rng.choice([[1, 1, 513 * 10**6, 0], [1, 1, 0, 513 * 10**6]])

    def epoch(self, state):
        epoch = state["epoch"]
        there = [h for h in self.names if not self.away[h][0] <= epoch < self.away[h][1] and not self.chance(0.06)]
        miners, gone = self.miners_at(state, epoch)
        lanes = {h: self.lane(h, state) for h in there if state["duels"] and h in state["due"] and not self.chance(0.05)}
        seals = "".join(h for h in there if not self.chance(0.05))
        validators = []
        for h in self.names:
            if self.chance(0.02):
                gone.append(h)
            elif not self.chance(0.03):
                moved = self.rng.choice([0.5, 2, 10, 0]) if self.chance(0.1) else 1
                attested = "" if h not in there or self.chance(0.05) else self.rng.choice(["ok"] * 30 + ["epoch", "root"])
                seen = "".join(l for l in lanes if l in seals and not self.chance(0.05))
                validators.append([h, int(self.stakes[h] * moved), attested, seen if attested else ""])
        staked = [h for h in self.written if h not in gone]
        if staked and self.chance(0.1):
            validators.append([self.rng.choice(staked), 5000, "", ""])
        drawn = {"validators": validators, "miners": miners, "gone": gone, "seals": seals, "lanes": lanes}
        return {name: value for name, value in drawn.items() if value}


def seen_in(state, view, rules_after, decision):
    """Returns the features of an epoch, which the networks must cover."""
    rules, epoch, duels = state["protocol"], state["epoch"], state["duels"]
    won = [duel for duel in duels if outcome_of(duel["verdicts"], rules) == "won"]
    verdicts = {duel["contender"]["hotkey"]: duel["verdicts"] for duel in decision.state["duels"]}
    taken_back = lambda duel: duel["verdicts"].items() - verdicts.get(duel["contender"]["hotkey"], duel["verdicts"]).items()
    features = {
        "champion not registered": epoch and "champion" in state and state["champion"]["hotkey"] not in view.neurons,
        "contender not registered": any(duel["contender"]["hotkey"] not in view.neurons for duel in duels),
        "several duels": len(duels) > 1,
        "a won duel waits": won,
        "a won duel plays nothing": any(not quotas_of(state)[duel["contender"]["hotkey"]] for duel in won),
        "no voters": epoch and not state["voters"],
        "frozen": epoch and decision.acceptance.is_frozen,
        "a lane that is due is not accepted": len(decision.accepted) < len(state["due"]) and not decision.acceptance.is_frozen,
        "even": any("even" in each.values() for each in verdicts.values()),
        "win taken back": any(map(taken_back, duels)) and rules == rules_after,
        "lost": decision.lost,
        "crowned": decision.crowned and len(duels) == 1,
        "crowned among several": decision.crowned and len(duels) > 1,
        "constants changed with duels on": duels and rules != rules_after,
    }
    return [what for what, is_seen in features.items() if is_seen]


class Made:
    """A network made by hand: validators attest and seal everything unless `away`; `m0`, `m1`, … commit in epoch 0."""

    def __init__(self, what, rules, lanes, miners=2, names="abc", stakes={}, away={}):
        self.what, self.changes = what, [{"from": 0, **rules[0]}, *rules[1:]]
        self.lanes, self.miners, self.names, self.stakes, self.away = lanes, miners, names, stakes, away

    def epoch(self, state):
        epoch = state["epoch"]
        there = [h for h in self.names if epoch not in self.away.get(h, [])]
        index = lambda duel: epoch - duel["start"]
        quotas = quotas_of(state)
        plays = lambda duel: quotas[duel["contender"]["hotkey"]]
        lane = lambda h, duel: {env[0]: self.lanes(h, env[0], index(duel), plays(duel)[env]) for env in plays(duel)}
        lanes = {h: {duel["contender"]["hotkey"]: lane(h, duel) for duel in state["duels"] if plays(duel)} for h in there if h in state["due"]}
        stake = lambda h: self.stakes.get(h, {}).get(epoch, 1000)
        validators = [[h, stake(h), "ok" if h in there else "", "".join(lanes) if h in there else ""] for h in self.names]
        miners = [[f"m{k}", "a", k, 0] for k in range(self.miners)] if epoch == 0 else []
        drawn = {"validators": validators, "miners": miners, "seals": "".join(there), "lanes": {h: each for h, each in lanes.items() if each}}
        return {name: value for name, value in drawn.items() if value}


def won(share):
    """Returns a function of lanes: only the contender succeeds in this share, and only the champion in the rest."""
    return lambda h, env, index, played: [round(played * share), played - round(played * share), *([] if env == "h" else [0])]


def made():
    """Returns networks for features that too few drawn networks show."""
    quorum = [{"envs": "mt"}, {"from": 6, "envs": "mt", "quorumEpochs": 2}]
    yield Made("the new quorumEpochs drops a validator that attests again", quorum, won(0.5), away={"c": [2, 3, 4]})

    alike = [{"envs": "t", "duelEpochs": 2}]
    yield Made("a due validator's counts fade though nothing is played", alike, won(1), miners=3, away={"b": [3], "c": [3]})

    weighty = {h: {epoch: 10 for epoch in range(2, 14)} for h in "ab"} | {"c": {0: 200, 1: 200, 2: 200}}
    unlike = lambda h, env, index, played: [0, 1, 0] if env == "t" else [6, 26, 0] if h == "c" else [26, 6, 0]
    early = [{"envs": "mt", "evenEpoch": 2}]
    yield Made("a win is taken back, and is a hold by now", early, unlike, stakes=weighty)

    rare = lambda h, env, index, played: [1 if env == "t" else 2, 0, 0]
    yield Made("a win is taken back, and is even by now", [{"envs": "mt", "evenEpoch": 3}], rare, names="abcde")

    unpaid = lambda h, env, index, played: [played, 0, *([] if env == "h" else [0, 0])]
    yield Made("a crowned contender earned nothing: zeros in the record", [{"envs": "hmt"}], unpaid)

    frozen = {h: [2, 3, 4, 5] for h in "bc"}
    yield Made("lost without a lane: zeros in the record", [{"envs": "mt"}], won(0.5), away=frozen)

    floors = [{"envs": "mt"}, {"from": 5, "envs": "mt", "ratioFloorPpm": 520000}, {"from": 8, "envs": "mt", "ratioFloorPpm": 505000}]
    yield Made("the ratio decays by the constants before", floors, won(0.8))

    listed = [{"envs": "mt"}, {"from": 4, "envs": "mt", "templates": "d" * 64}]
    yield Made("another list of templates restarts no duel", listed, won(0.55))


def networks(count=100):
    """Yields the networks, then prints the number of networks with each feature."""
    occurred = Counter()
    for network in [*map(Network, range(count)), *made()]:
        state = first_state(rules_at(network.changes, 0), 0)
        epochs, roots, miners, saw = [], [], {}, set()
        for epoch in range(EPOCHS):
            drawn = network.epoch(state)
            view, *evidence = arguments_of(drawn, state, miners)
            rules = rules_at(network.changes, epoch + 1)
            decision = decide(state, view, *evidence, rules)
            saw.update(seen_in(state, view, rules, decision))
            state = decision.state
            epochs.append(drawn)
            roots.append(root_of(state)[:16])
        occurred.update(saw)
        named = {"what": network.what} if isinstance(network, Made) else {}
        yield {**named, "rules": network.changes, "epochs": epochs, "roots": roots}
    for what, times in sorted(occurred.items()):
        print(f"{times:4} networks: {what}")
