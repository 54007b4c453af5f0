"""The next state of a network. Protocol §8 and §9."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from affine_envs.digest import digest
from affine_verify import judging
from affine_verify.chain import View
from affine_verify.commitments import Attestation, Commitment, lanes_in
from affine_verify.evidence import MILLION, Quotas, Tallies
from affine_verify.judging import Counts, Evidence, Rules, Weights
from affine_verify.shapes import int_to, is_hash, is_text, is_uint, list_of, map_of, matching
from affine_verify.text import parse, require

FROZEN_MOST = 4
NO_TRUST = {"correct": 0, "incorrect": 0}

State = Mapping[str, Any]
Duel = dict[str, Any]
Entries = Mapping[str, Mapping[str, Any]]
"""Objects by hotkey."""
Views = Mapping[str, Evidence]
"""The evidence of a duel, by environment."""


MINER = dict.fromkeys(Commitment._fields, is_text)
DUEL = {
    "contender": MINER,
    "start": is_uint,
    "tallies": list_of(map_of(map_of(list_of(is_uint, 4, 4)))),
    "verdicts": map_of(matching("win|hold|even")),
}
STATE = {
    "protocol": map_of(lambda _: True),
    "epoch": is_uint,
    "ratio": int_to(MILLION - 1, 1),
    "champion?": MINER,
    "record": map_of(int_to(MILLION)),
    "lastPlayed": map_of({"content": is_hash, "left?": is_uint}),
    "attested": map_of({"epoch": is_uint, "stake": matching("[1-9][0-9]{0,38}")}),
    "voters": map_of(int_to(MILLION, 1)),
    "trust": map_of({"correct": is_uint, "incorrect": is_uint}),
    **dict.fromkeys(("heads", "due"), map_of(is_hash)),
    "duels": list_of(DUEL),
}


def root_of(state: State) -> str:
    """Returns a state's root. Protocol §9.4."""
    return digest("state", state)


def first_state(rules: Rules, epoch: int) -> State:
    """Returns the first state of a network whose first epoch is `epoch`. Protocol §9.3."""
    objects = ("record", "lastPlayed", "voters", "trust", "heads", "due")
    empty: State = {name: {} for name in objects}
    ratio = rules["ratioFloorPpm"]
    return {"protocol": rules, "epoch": epoch, "ratio": ratio, **empty, "duels": []}


def read_state(data: bytes, rules: Rules, epoch: int) -> State:
    """Returns a state of an epoch that can be decided, or raises a FaultError. Protocol §9.1."""
    state = parse(data, STATE, "BAD_STATE")
    duels, throne = state["duels"], [state["champion"]["hotkey"]] if "champion" in state else []
    miners = [*throne, *map(name_of, duels)]
    played = [min(epoch - duel["start"], rules["duelEpochs"]) for duel in duels]
    is_right = (
        (state["protocol"], state["epoch"]) == (rules, epoch)
        and len(miners) == len(set(miners))
        and state["lastPlayed"].keys() >= set(miners)
        and (not duels or len(throne) == 1)
        and state["voters"].keys() >= state["due"].keys()
        and [len(duel["tallies"]) for duel in duels] == played
    )
    require(is_right, "BAD_STATE")
    return state  # type: ignore[no-any-return]


def content_of(commitment: Commitment) -> str:
    """Returns the digest of a commitment's content. Protocol §8.12."""
    return digest("content", commitment._asdict())


def queue_of(view: View, last_played: Entries, playing: set[str]) -> list[Commitment]:
    """Returns the miners that wait, the longest wait first. Protocol §8.12."""
    waiting = []
    for hotkey, neuron in view.neurons.items():
        slot, block = view.slots.get(hotkey, (None, 0))
        if isinstance(slot, Commitment) and hotkey not in playing:
            entry = last_played.get(hotkey, {})
            if entry.get("content") != content_of(slot):
                since = max(block, neuron.registered, entry.get("left", 0))
                waiting.append((since, hotkey, slot))
    return [slot for *_, slot in sorted(waiting)]


# Voters and acceptance (8.1, 8.3)


def counted_of(state: State, view: View) -> dict[str, Attestation]:
    """Returns the attestations that count, by hotkey. Protocol §8.3."""
    expected = state["epoch"], root_of(state)
    slots = {h: view.slot(h) for h, neuron in view.neurons.items() if neuron.has_permit}
    given = {h: slot for h, slot in slots.items() if isinstance(slot, Attestation)}
    return {h: each for h, each in given.items() if (each.epoch, each.root) == expected}


class Acceptance(NamedTuple):
    """The attestations that count, whether the epoch is frozen, and each lane's attesters."""

    counted: Mapping[str, Attestation]
    is_frozen: bool
    attesters: Mapping[str, set[str]]
    attested: set[str]
    """The lanes whose attesters weigh more than half of the attesting weight."""


def acceptance_of(voters: Weights, counted: Mapping[str, Attestation]) -> Acceptance:
    """Returns the acceptance by the voters, from their attestations. Protocol §8.3."""
    order = sorted(voters)
    lanes = {h: lanes_in(given.bitmap, order) for h, given in counted.items() if h in voters}
    attesting = sum(voters[h] for h in lanes)
    attesters = {lane: {h for h in lanes if lane in lanes[h]} for lane in order}
    heavy = {h for h, by in attesters.items() if 2 * sum(voters[v] for v in by) > attesting}
    is_frozen = attesting == 0 or 3 * attesting < 2 * sum(voters.values())
    return Acceptance(counted, is_frozen, attesters, set() if is_frozen else heavy)


def accept(state: State, view: View) -> Acceptance:
    """Returns the acceptance by a state's voters at the end of its epoch. Protocol §8.3."""
    return acceptance_of(state["voters"], counted_of(state, view))


def active_validators(state: State, view: View, rules: Rules) -> dict[str, dict[str, Any]]:
    """Returns the recent entries of `attested` or, without it, of validators with stake. §8.1."""
    epoch, entries = state["epoch"], state.get("attested")
    if entries is None:
        entries = {
            hotkey: {"epoch": epoch, "stake": str(neuron.stake)}
            for hotkey, neuron in view.neurons.items()
            if neuron.has_permit and neuron.stake and not isinstance(view.slot(hotkey), Commitment)
        }
    known = entries.keys() & view.neurons.keys()
    return {h: entries[h] for h in known if epoch - entries[h]["epoch"] < rules["quorumEpochs"]}


def weigh_voters(stakes: Weights, trust: Entries, most: int) -> dict[str, int]:
    """Returns the voters' weights in ppm of the heaviest. Protocol §8.1."""
    pulls = {h: s * judging.trust_of(**trust.get(h, NO_TRUST)) for h, s in stakes.items() if s}
    order = sorted(pulls, key=lambda h: (-pulls[h], h))[:most]
    weights = {hotkey: MILLION * pulls[hotkey] // pulls[order[0]] for hotkey in order}
    return {hotkey: weight for hotkey, weight in weights.items() if weight > 0}


# Duels (8.2, 8.4 to 8.7)


def name_of(duel: Duel) -> str:
    """Returns the hotkey of a duel's contender."""
    return str(duel["contender"]["hotkey"])


def index_of(duel: Duel, epoch: int) -> int:
    """Returns the number, from 1, of an epoch in a duel."""
    return int(epoch - duel["start"] + 1)


def quota_of(index: int, env: Mapping[str, int]) -> int:
    """Returns the number of challenges of a lane in a duel's epoch. Protocol §8.2."""
    return int(min(env["quotaFirst"] * 2 ** (index - 1), env["quotaMost"]))


def rated_envs(rules: Rules) -> list[str]:
    """Returns the environments of one player."""
    return [env for env, each in rules["envs"].items() if each["players"] == 1]


def quotas_of(state: State) -> Quotas:
    """Returns the quotas of each duel in the environments that it plays. Protocol §8.2."""
    rules, quotas = state["protocol"], {}
    for duel in state["duels"]:
        index, verdicts = index_of(duel, state["epoch"]), duel["verdicts"]
        is_won = outcome_of(verdicts, rules) == "won"
        played = rated_envs(rules) if is_won else [e for e in rules["envs"] if e not in verdicts]
        played = played if index <= rules["duelEpochs"] else []
        quotas[name_of(duel)] = {env: quota_of(index, rules["envs"][env]) for env in played}
    return quotas


def outcome_of(verdicts: Mapping[str, str], rules: Rules) -> str:
    """Returns `won`, `lost` or `open` by the verdicts alone. Protocol §8.7."""
    counted = [verdicts.get(env) for env in rules["envs"] if verdicts.get(env) != "even"]
    wins, undecided = counted.count("win"), counted.count(None)
    needed = -(-(len(counted) + rules["margin"]) // 2)
    if not counted or wins + undecided < needed:
        return "lost"
    return "won" if wins >= needed else "open"


def views_of(duel: Duel, state: State) -> dict[str, Evidence]:
    """Returns the evidence in the tallies of a duel, by environment."""
    rules, views = state["protocol"], {}
    for env, numbers in rules["envs"].items():
        epochs = []
        for index, entry in enumerate(duel["tallies"], 1):
            quota, lanes = quota_of(index, numbers), entry.get(env, {})
            epochs.append({h: Counts(*tally)._replace(played=quota) for h, tally in lanes.items()})
        views[env] = judging.judge(state["voters"], epochs, state["ratio"], rules)
    return views


def judge_duel(duel: Duel, views: Views, state: State) -> dict[str, str]:
    """Returns the verdicts of an open duel after an epoch that is not frozen. Protocol §8.6."""
    envs, before = state["protocol"]["envs"], duel["verdicts"]
    index = index_of(duel, state["epoch"])
    verdicts = {**before, **{e: views[e].verdict(index) for e in envs if e not in before}}
    counted = [env for env in envs if verdicts[env] != "even"]
    if [verdicts[env] for env in counted] == ["win"]:
        verdicts[counted[0]] = views[counted[0]].verdict(index, is_alone=True)
    return {env: verdict for env, verdict in verdicts.items() if verdict}


def is_lost(duel: Duel, rules: Rules, epoch: int) -> bool:
    """Reports whether a duel that was open before the epoch is lost after it. Protocol §8.7."""
    outcome = outcome_of(duel["verdicts"], rules)
    frozen = sum(not entry for entry in duel["tallies"])
    is_over = index_of(duel, epoch) >= rules["duelEpochs"] or frozen >= FROZEN_MOST
    return outcome == "lost" or (outcome == "open" and is_over)


def begin(contender: Mapping[str, str], epoch: int) -> Duel:
    """Returns a duel that begins with an epoch."""
    return {"contender": contender, "start": epoch, "tallies": [], "verdicts": {}}


# Trust, ratio and throne (8.9 to 8.11)


def trust_after(state: State, accepted: Sequence[str], played: Sequence[Views]) -> Entries:
    """Returns trust after an epoch. `played` has, by duel, evidence by environment. §8.9."""
    fade, trust = state["protocol"]["trustFadePpm"], dict(state["trust"])
    for hotkey in state["due"]:
        before = trust.get(hotkey, NO_TRUST).items()
        counts = {name: count * fade // MILLION for name, count in before}
        for env in {env for views in played for env in views}:
            aside = [hotkey in views[env].aside for views in played if env in views]
            if hotkey not in accepted:
                counts["incorrect"] += MILLION
            elif 2 * sum(aside) < len(aside):
                counts["correct"] += MILLION
        trust[hotkey] = counts
    return trust


def with_rates(record: Weights, views: Views, count: str, envs: Sequence[str]) -> Weights:
    """Returns the record with a miner's rates in `envs` that are higher or new. Protocol §8.10."""
    return {**record, **{env: max(views[env].rate(count), record.get(env, 0)) for env in envs}}


def ratio_after_crowning(duel: Duel, views: Views, record: Weights, rules: Rules) -> int:
    """Returns the ratio that a crowned contender's results give. Protocol §8.10."""
    bounds = []
    for env in rated_envs(rules):
        if duel["verdicts"].get(env) == "win":
            view = views[env]
            champion = max(view.rate("champion_points"), record.get(env, 0))
            limit = judging.supported(view.rate("contender_points"), champion)
            bounds.append(min(judging.bound_of(*view.win, rules), limit))
    return judging.raised_ratio(bounds, rules)


def best_duel(duels: Sequence[Duel], views: Mapping[str, Views], rules: Rules) -> Duel:
    """Returns the best of the won duels. Protocol §8.11."""
    most = {env: rules["envs"][env]["quotaMost"] for env in rated_envs(rules)}
    shown = [{e: views[name_of(d)][e].shown("contender_points") for e in most} for d in duels]
    return duels[judging.best_of(shown, rules, most)]


def can_crown(duels: Sequence[Duel], rules: Rules, epoch: int) -> bool:
    """Reports whether a contender of these duels, none of them lost, is crowned. §8.11."""
    are_won = all(outcome_of(duel["verdicts"], rules) == "won" for duel in duels)
    are_over = all(index_of(duel, epoch) >= rules["duelEpochs"] for duel in duels)
    return are_won and (len(duels) == 1 or (len(duels) > 1 and are_over))


class Decision(NamedTuple):
    """The state after an epoch, the accepted lanes, and the duels that ended or began."""

    state: State
    acceptance: Acceptance
    accepted: list[str]
    lost: list[str]
    crowned: str | None
    begun: list[str]


def decide(
    state: State, view: View, seals: Mapping[str, str], lanes: Mapping[str, Tallies], rules: Rules
) -> Decision:
    """Returns the next state, in the steps at the beginning of section 8. Protocol §9.4.

    `view` is the snapshot of the next epoch, and `rules` are its constants.
    """
    old, epoch = state["protocol"], state["epoch"]

    # 1: heads and acceptance
    acceptance = accept(state, view)
    counted, is_frozen = acceptance.counted, acceptance.is_frozen
    heads = {**state["heads"], **{h: seals[h] for h in state["due"] if h in seals}}
    quotas = quotas_of(state)
    valid = state["due"].keys() & seals.keys() & lanes.keys() & acceptance.attested
    accepted = sorted(hotkey for hotkey in valid if _is_complete(lanes[hotkey], quotas))

    # 2: tallies, verdicts, and which duels are lost
    duels, lost, views = list[Duel](), list[Duel](), dict[str, Views]()
    for duel in map(dict, state["duels"]):
        name = name_of(duel)
        if index_of(duel, epoch) <= old["duelEpochs"]:
            entry = {env: {h: lanes[h][name][env] for h in accepted} for env in quotas[name]}
            duel["tallies"] = [*duel["tallies"], {} if is_frozen else entry]
        views[name] = views_of(duel, state)
        was_open = outcome_of(duel["verdicts"], old) != "won"
        if was_open and not is_frozen:
            duel["verdicts"] = judge_duel(duel, views[name], state)
        (lost if was_open and is_lost(duel, old, epoch) else duels).append(duel)

    # 3: trust
    shown = [{env: views[name][env] for env in played} for name, played in quotas.items()]
    trust = state["trust"] if is_frozen else trust_after(state, accepted, shown)

    # 4: the record
    record = state["record"]
    for duel in lost:
        record = with_rates(record, views[name_of(duel)], "champion_points", rated_envs(old))

    # 5: crowning, the ratio, the throne
    champion, crowned = state.get("champion"), None
    leaving = {name_of(duel) for duel in lost}
    ratio = judging.decayed_ratio(state["ratio"], old)
    if not is_frozen and can_crown(duels, old, epoch):
        best = best_duel(duels, views, old)
        crowned = name_of(best)
        ratio = ratio_after_crowning(best, views[crowned], record, old)
        record = with_rates(record, views[crowned], "contender_points", rated_envs(old))
        leaving |= {state["champion"]["hotkey"], *map(name_of, duels)} - {crowned}
        champion, duels = best["contender"], []
    left = {"left": old["epochBlocks"] * (epoch + 1) - 1}
    entries = state["lastPlayed"].items()
    last_played = {h: {**entry, **(left if h in leaving else {})} for h, entry in entries}
    playing = {each["hotkey"] for each in [champion, *(d["contender"] for d in duels)] if each}
    queue = queue_of(view, last_played, playing)
    started = [] if champion else queue[:1]
    queue = queue[len(started) :]
    champion = started[0]._asdict() if started else champion

    # 6: the constants
    if {**old, "templates": ""} != {**rules, "templates": ""}:
        duels = [begin(duel["contender"], epoch + 1) for duel in duels]

    # 7: new duels
    begun = list[Commitment]()
    if not is_frozen and champion and all(outcome_of(d["verdicts"], rules) != "won" for d in duels):
        begun = queue[: max(0, rules["duelsMost"] - len(duels))]
    duels += [begin(contender._asdict(), epoch + 1) for contender in begun]
    last_played |= {each.hotkey: {"content": content_of(each)} for each in [*started, *begun]}

    # 8: voters, and the hotkeys that stay in the state
    active = active_validators(state, view, rules)
    permits = {h: neuron.stake for h, neuron in view.neurons.items() if neuron.has_permit}
    stakes = {h: min(s, int(active[h]["stake"])) for h, s in permits.items() if h in active}
    voters = weigh_voters(stakes, trust, rules["validatorsMost"])
    active |= {h: {"epoch": epoch, "stake": str(permits[h])} for h in counted if permits[h]}
    stay = {*view.neurons, *map(name_of, duels), *([champion["hotkey"]] if champion else [])}
    next_state = {
        "protocol": rules,
        "epoch": epoch + 1,
        "ratio": ratio,
        **({"champion": champion} if champion else {}),
        "record": record,
        "lastPlayed": {h: entry for h, entry in last_played.items() if h in stay},
        "attested": active,
        "voters": voters,
        "trust": {h: counts for h, counts in trust.items() if h in view.neurons},
        "heads": {h: head for h, head in heads.items() if h in view.neurons},
        "due": {h: each.next for h, each in counted.items() if duels and h in voters},
        "duels": duels,
    }
    names = [*map(name_of, lost)], crowned, [contender.hotkey for contender in begun]
    return Decision(next_state, acceptance, accepted, *names)


def _is_complete(lane: Tallies, quotas: Quotas) -> bool:
    """Reports whether a lane has possible tallies of all duels and environments. Protocol §9.4."""
    return all(
        (tally := lane.get(contender, {}).get(env)) is not None
        and tally[0] + tally[1] <= quota
        and max(tally[2:]) <= MILLION * quota
        for contender, played in quotas.items()
        for env, quota in played.items()
    )
