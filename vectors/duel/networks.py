"""Draws networks of twelve epochs, as small as their facts can be written, and decides them with network.py.

A network is {rules, epochs, roots}. `rules` are changes of the local constants, one after another from `from` on;
`quotaFirst` is that of each environment. An epoch is {validators, miners, gone, seals, lanes}: validators with a permit as [hotkey, stake, what it attests ("" for
nothing, "epoch" or "root" for a wrong one), the lanes that it attests]; miners as [hotkey, revision, block,
registered]; hotkeys that are not registered; hotkeys that sealed; and lanes, by environment, as [wins, losses, ties in
which both earn all, challenges if it is not the quota].
"""

import random

from network import decide, first_state, quota, root_of

ENVS = {
    "hex@0.1.0": {"specHash": "7430b80d84761fbe0aefb80248308c4fe130d03aac0e532e6b8608164922de03", "players": 2, "quotaFirst": 4, "quotaMost": 16},
    "mult8@0.1.0": {"specHash": "8ffad8c375a3e28c431141fbd60e6b007da79116f0a0f9ea960fa4bed3c667dd", "players": 1, "quotaFirst": 32, "quotaMost": 512},
    "tictactoe@0.1.0": {"specHash": "a19f467002a3b4d36f3aac8f4f7f77c9d34b77c61f7aa724c4bb9379fbe8ce46", "players": 1, "quotaFirst": 32, "quotaMost": 512},
}
EPOCHS, HEAD, NEXT = 12, "b" * 64, "c" * 64
ONE_OF = {"quorumEpochs": [2, 3, 20], "duelEpochs": [3, 5, 8], "evenEpoch": [2, 5], "validatorsMost": [3, 128], "quotaFirst": [16, 32]}


def quota_in(state, env):
    return quota(state["epoch"] - state["duel"]["start"] + 1, state["protocol"]["envs"][env])


class Network:
    """Who is there, and how the miners play: what the facts of its epochs are drawn from."""

    def __init__(self, seed, local):
        self.rng = random.Random(seed)
        changed = lambda: {k: self.rng.choice(v) for k, v in ONE_OF.items() if self.rng.random() < 0.5}
        self.changes = [{"from": 0, **changed()}] + ([{"from": self.rng.randint(2, 9), **changed()}] if self.rng.random() < 0.3 else [])
        self.local = local
        self.names = "abcdefg"[: self.rng.randint(2, 7)]
        top = self.rng.choice([1, 3, 9])
        self.stakes = {h: self.rng.randint(1, top) * 1000 for h in self.names}
        self.away = {h: self.outage() for h in self.names}
        self.liars = {h for h in self.names if self.rng.random() < 0.15}
        self.miners = [[f"m{k}", "a", 30 * self.rng.randint(0, 3), 0] for k in range(self.rng.randint(1, 6))]
        self.calm = self.rng.random() < 0.5

    def outage(self):
        """The epochs in which a validator is away, from the one to before the other: half of them never are."""
        start = self.rng.choice([0, self.rng.randint(1, 9)])
        return start, start + self.rng.choice([0, self.rng.randint(1, 6)])

    def chance(self, p):
        return self.rng.random() < p * (0.3 if self.calm else 1)

    def rules(self, epoch):
        now = dict([change for change in self.changes if change["from"] <= epoch][-1])
        del now["from"]
        quota_first = now.pop("quotaFirst", None)
        envs = {env: {**each, **({"quotaFirst": quota_first} if quota_first else {})} for env, each in ENVS.items()}
        return {**self.local, "envs": envs, **now}

    def miners_at(self, state, epoch):
        """Miners come, go, register anew, and commit again, more often after a turn."""
        last = self.local["epochBlocks"] * (epoch + 1) - 1
        for miner in self.miners:
            had = state["dueled"].get(miner[0])
            playing = miner[0] in (state.get("champion", {}).get("hotkey"), state.get("duel", {}).get("contender", {}).get("hotkey"))
            if self.chance(0.08 if playing or not had else 0.6):
                miner[1:3] = [self.rng.choice("abcdefgh"), last - self.rng.randint(0, 9)]
            if self.chance(0.05):
                miner[3] = last - self.rng.randint(0, 29)
        if self.chance(0.2):
            self.miners.append([f"m{10 + epoch}", "a", last - self.rng.randint(0, 29), last - 29])
        here = [list(m) for m in self.miners if not self.chance(0.05)]
        return here, [m[0] for m in here if self.chance(0.03)]

    def lane(self, hotkey, state, p):
        duel = state.get("duel")
        if not duel:
            return {}
        lane = {}
        for env in sorted(ENVS):
            if env in duel["verdicts"]:
                continue
            played = quota_in(state, env)
            decisive = round(played * self.tied[env])
            wins = decisive if hotkey in self.liars else sum(self.rng.random() < p for _ in range(decisive))
            lane[env] = [wins, decisive - wins, self.rng.randint(0, played - decisive)]
            if self.chance(0.02):
                lane[env].append(self.rng.choice([played + 1, max(1, played - 1), 2 * played]))
        return lane

    def epoch(self, state):
        epoch = state["epoch"]
        there = [h for h in self.names if not self.away[h][0] <= epoch < self.away[h][1] and not self.chance(0.06)]
        miners, gone = self.miners_at(state, epoch)
        duel = state.get("duel")
        if duel and duel["start"] == epoch:
            self.p, self.tied = self.rng.choice([0.4, 0.5, 0.55, 0.6, 0.75, 0.9]), {env: self.rng.choice([0.02, 0.5, 0.9, 0.9, 1]) for env in ENVS}
        lanes = {h: self.lane(h, state, self.p) for h in there if duel and not self.chance(0.05)}
        seals = "".join(h for h in there if not self.chance(0.05))
        validators = []
        for h in self.names:
            if self.chance(0.03):
                continue
            moved = self.rng.choice([0.5, 2, 10, 0]) if self.chance(0.1) else 1
            said = "" if h not in there or self.chance(0.05) else self.rng.choice(["ok"] * 30 + ["epoch", "root"])
            seen = "".join(l for l in lanes if l in seals and not self.chance(0.05))
            validators.append([h, int(self.stakes[h] * moved), said, seen if said else ""])
        if miners and self.chance(0.1):
            validators.append([miners[0][0], 5000, "", ""])
        gone += [h for h in self.names if self.chance(0.02)]
        return {"validators": validators, "miners": miners, "gone": gone, "seals": seals, "lanes": lanes}


def facts_of(drawn, state, rules):
    """What `decide` takes, of an epoch as it is written."""
    miners = [{"hotkey": h, "model": f"models/{h}", "revision": revision, "chute": f"chutes/{h}", "block": block, "registered": registered} for h, revision, block, registered in drawn["miners"]]
    validators = []
    for hotkey, stake, said, lanes in drawn["validators"]:
        v = {"hotkey": hotkey, "stake": stake}
        if said:
            v |= {"epoch": state["epoch"] - (said == "epoch"), "root": HEAD if said == "root" else root_of(state), "lanes": lanes, "next": NEXT}
        validators.append(v)
    names = {*"abcdefg", *(m["hotkey"] for m in miners)} - set(drawn["gone"])
    snap = {"protocol": rules, "hotkeys": names, "validators": validators, "miners": miners}
    duel = state.get("duel")
    due = {env: quota_in(state, env) if duel else 0 for env in ENVS}
    tally = lambda played, w, l, both, other=None: {"wins": w, "losses": l, "played": other or played, "contenderPoints": (w + both) * 10**6, "championPoints": (l + both) * 10**6}
    lanes = {h: {env: tally(due[env], *counts) for env, counts in lane.items()} for h, lane in drawn["lanes"].items()}
    return snap, {h: HEAD for h in drawn["seals"]}, lanes


def networks(local, reference, count=300):
    for seed in range(count):
        network = Network(seed, local)
        state = first_state(network.rules(0), 0)
        epochs, roots = [], []
        for epoch in range(EPOCHS):
            drawn = network.epoch(state)
            state = decide(state, *facts_of(drawn, state, network.rules(epoch + 1)), reference)
            epochs.append(drawn)
            roots.append(root_of(state))
        yield {"rules": network.changes, "epochs": epochs, "roots": roots}
