"""The next state of a network. Protocol §8 and §9."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from affine_envs.digest import digest
from affine_verify.commitments import Attestation, Commitment, lanes_in
from affine_verify.duel import (
    MILLION,
    Counts,
    Evidence,
    Weights,
    best_of,
    bound_of,
    champion_points,
    contender_points,
    decayed_ratio,
    judge,
    raised_ratio,
    supported,
    trust_of,
)
from affine_verify.evidence import Tallies

FROZEN_MOST = 4

State = Mapping[str, Any]
Duel = Mapping[str, Any]
Rules = Mapping[str, Any]
Views = Mapping[str, Evidence]
"""What a duel shows in each environment."""


@dataclass(frozen=True)
class Validator:
    """A hotkey with a permit."""

    stake: int
    attestation: Attestation | None = None


@dataclass(frozen=True)
class Miner:
    """A miner's commitment, and the blocks of it and of its hotkey's registration."""

    commitment: Commitment
    block: int
    registered: int


@dataclass(frozen=True)
class Snapshot:
    """What is read from the chain before an epoch, whose constants are `rules`."""

    rules: Rules
    hotkeys: frozenset[str]
    validators: Mapping[str, Validator]
    miners: Sequence[Miner]


def root_of(state: State) -> str:
    """Returns a state's root. Protocol §9.4."""
    return digest("state", dict(state))


def first_state(rules: Rules, epoch: int) -> dict[str, Any]:
    """Returns the state that a network begins with. Protocol §9.3."""
    objects = ("record", "lastPlayed", "voters", "trust", "heads", "due")
    empty: dict[str, Any] = {name: {} for name in objects}
    ratio = rules["ratioFloorPpm"]
    return {"protocol": rules, "epoch": epoch, "ratio": ratio, **empty, "duels": []}


def content_of(commitment: Commitment) -> str:
    """Returns the digest of a commitment's content. Protocol §8.12."""
    return digest("content", commitment.texts())


def queue_of(
    snapshot: Snapshot, last_played: Mapping[str, Mapping[str, Any]], playing: set[str]
) -> list[Commitment]:
    """Returns the miners that wait, the longest wait first. Protocol §8.12."""
    waiting = []
    for miner in snapshot.miners:
        hotkey = miner.commitment.hotkey
        entry = last_played.get(hotkey, {})
        is_new = entry.get("content") != content_of(miner.commitment)
        if hotkey in snapshot.hotkeys and hotkey not in playing and is_new:
            since = max(miner.block, miner.registered, entry.get("left", 0))
            waiting.append((since, hotkey, miner.commitment))
    return [miner for *_, miner in sorted(waiting, key=lambda each: each[:2])]


# Voters and acceptance (8.1, 8.3)


def counted_attestations(state: State, snapshot: Snapshot) -> dict[str, Attestation]:
    """Returns the attestations that count, by hotkey. Protocol §8.3."""
    root, found = root_of(state), {}
    for hotkey, validator in snapshot.validators.items():
        given = validator.attestation
        if given and given.epoch == state["epoch"] and given.root == root:
            found[hotkey] = given
    return found


@dataclass(frozen=True)
class Acceptance:
    """Whether an epoch is frozen, and whose bits are set for each lane."""

    is_frozen: bool
    attesters: Mapping[str, set[str]]
    attested: frozenset[str]
    """The lanes whose attesters weigh more than half of the attesting weight."""


def acceptance_of(voters: Weights, counted: Mapping[str, Attestation]) -> Acceptance:
    """Returns what the voters attest. Protocol §8.3."""
    order = sorted(voters)
    lanes = {h: lanes_in(given.bitmap, order) for h, given in counted.items() if h in voters}
    whole, attesting = sum(voters.values()), sum(voters[h] for h in lanes)
    attesters = {lane: {h for h in lanes if lane in lanes[h]} for lane in order}
    heavy = {h for h, by in attesters.items() if 2 * sum(voters[v] for v in by) > attesting}
    is_frozen = attesting == 0 or 3 * attesting < 2 * whole
    return Acceptance(is_frozen, attesters, frozenset() if is_frozen else frozenset(heavy))


def active_validators(state: State, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """Returns the entries of `attested` that are not too old. Protocol §8.1."""
    epoch = state["epoch"]
    if "attested" in state:
        entries = state["attested"]
    else:
        mining = {miner.commitment.hotkey for miner in snapshot.miners}
        entries = {
            hotkey: {"epoch": epoch, "stake": str(validator.stake)}
            for hotkey, validator in snapshot.validators.items()
            if validator.stake > 0 and hotkey not in mining
        }
    most = snapshot.rules["quorumEpochs"]
    return {
        hotkey: entry
        for hotkey, entry in entries.items()
        if hotkey in snapshot.hotkeys and epoch - entry["epoch"] < most
    }


def weigh_voters(
    stakes: Mapping[str, int], trust: Mapping[str, Mapping[str, int]], most: int
) -> dict[str, int]:
    """Returns the voters' weights in ppm of the heaviest. Protocol §8.1."""
    none = {"correct": 0, "incorrect": 0}
    pulls = {
        hotkey: stake * trust_of(**trust.get(hotkey, none))
        for hotkey, stake in stakes.items()
        if stake > 0
    }
    order = sorted(pulls, key=lambda h: (-pulls[h], h))[:most]
    weights = {hotkey: MILLION * pulls[hotkey] // pulls[order[0]] for hotkey in order}
    return {hotkey: weight for hotkey, weight in weights.items() if weight > 0}


# Duels (8.2, 8.4 to 8.7)


def index_of(duel: Duel, epoch: int) -> int:
    """Returns the number, from 1, of an epoch in a duel."""
    return int(epoch - duel["start"] + 1)


def quota_of(index: int, env: Mapping[str, int]) -> int:
    """Returns the challenges of a lane in a duel's epoch. Protocol §8.2."""
    return int(min(env["quotaFirst"] * 2 ** (index - 1), env["quotaMost"]))


def rated_envs(rules: Rules) -> list[str]:
    """Returns the environments of one player."""
    return sorted(env for env, each in rules["envs"].items() if each["players"] == 1)


def quotas_of(duel: Duel, rules: Rules, epoch: int) -> dict[str, int]:
    """Returns the environments that a duel plays in an epoch, with its quotas. Protocol §8.2."""
    index = index_of(duel, epoch)
    if index > rules["duelEpochs"]:
        return {}
    is_won = outcome_of(duel["verdicts"], rules) == "won"
    open_envs = sorted(env for env in rules["envs"] if env not in duel["verdicts"])
    played = rated_envs(rules) if is_won else open_envs
    return {env: quota_of(index, rules["envs"][env]) for env in played}


def outcome_of(verdicts: Mapping[str, str], rules: Rules) -> str:
    """Returns `won`, `lost` or `open` by the verdicts alone. Protocol §8.7."""
    counted = [env for env in rules["envs"] if verdicts.get(env) != "even"]
    wins = sum(verdicts.get(env) == "win" for env in counted)
    undecided = sum(env not in verdicts for env in counted)
    needed = -(-(len(counted) + rules["margin"]) // 2)
    if not counted or wins + undecided < needed:
        return "lost"
    return "won" if wins >= needed else "open"


def views_of(duel: Duel, state: State) -> dict[str, Evidence]:
    """Returns what the tallies of a duel show, by environment."""
    rules = state["protocol"]
    views = {}
    for env, numbers in rules["envs"].items():
        epochs = []
        for number, entry in enumerate(duel["tallies"]):
            played = quota_of(number + 1, numbers)
            epochs.append({h: Counts(w, lost, played, *p) for h, (w, lost, *p) in
                           entry.get(env, {}).items()})  # fmt: skip
        views[env] = judge(state["voters"], epochs, state["ratio"], rules)
    return views


def judge_duel(duel: Duel, views: Views, state: State) -> dict[str, str]:
    """Returns the verdicts of an open duel after an epoch that is not frozen. Protocol §8.6."""
    rules, before = state["protocol"], duel["verdicts"]
    index = index_of(duel, state["epoch"])
    given = {env: views[env].verdict(index) for env in rules["envs"] if env not in before}
    verdicts = {**before, **{env: each for env, each in given.items() if each}}
    counted = [env for env in rules["envs"] if verdicts.get(env) != "even"]
    if len(counted) == 1 and verdicts.get(counted[0]) == "win":
        (last,) = counted
        del verdicts[last]
        alone = views[last].verdict(index, is_alone=True)
        if alone:
            verdicts[last] = alone
    return verdicts


def is_lost(duel: Duel, rules: Rules, epoch: int) -> bool:
    """Reports whether a duel that was open before the epoch is lost after it. Protocol §8.7."""
    outcome = outcome_of(duel["verdicts"], rules)
    frozen = sum(not entry for entry in duel["tallies"])
    is_over = index_of(duel, epoch) >= rules["duelEpochs"] or frozen >= FROZEN_MOST
    return outcome == "lost" or (outcome == "open" and is_over)


def begin(contender: Mapping[str, str], epoch: int) -> dict[str, Any]:
    """Returns a duel that begins with an epoch."""
    return {"contender": dict(contender), "start": epoch, "tallies": [], "verdicts": {}}


# Trust, ratio and throne (8.9 to 8.11)


def trust_after(
    state: State, accepted: Sequence[str], played: Sequence[Views]
) -> dict[str, dict[str, int]]:
    """Returns trust after an epoch; `played` has each duel's environments played. §8.9."""
    fade = state["protocol"]["trustFadePpm"]
    envs = {env for views in played for env in views}
    trust = dict(state["trust"])
    for hotkey in state["due"]:
        counts = trust.get(hotkey, {"correct": 0, "incorrect": 0})
        correct, incorrect = (counts[name] * fade // MILLION for name in ("correct", "incorrect"))
        for env in envs:
            aside = [hotkey in views[env].aside for views in played if env in views]
            if hotkey not in accepted:
                incorrect += MILLION
            elif 2 * sum(aside) < len(aside):
                correct += MILLION
        trust[hotkey] = {"correct": correct, "incorrect": incorrect}
    return trust


def with_rates(record: Mapping[str, int], rates: Mapping[str, int]) -> dict[str, int]:
    """Returns the record with higher or new rates. Protocol §8.10."""
    return {**record, **{env: max(rate, record.get(env, 0)) for env, rate in rates.items()}}


def ratio_after_crowning(duel: Duel, views: Views, record: Mapping[str, int], rules: Rules) -> int:
    """Returns the ratio that a crowned contender's results give. Protocol §8.10."""
    bounds = []
    for env in rated_envs(rules):
        if duel["verdicts"].get(env) == "win":
            view = views[env]
            champion = max(view.rate(champion_points), record.get(env, 0))
            limit = supported(view.rate(contender_points), champion)
            bounds.append(min(bound_of(*view.win, MILLION, rules), limit))
    return raised_ratio(bounds, rules)


def can_crown(duels: Sequence[Duel], rules: Rules, epoch: int) -> bool:
    """Reports whether the list, without lost duels, has a crowning. Protocol §8.11."""
    if not duels or any(outcome_of(duel["verdicts"], rules) != "won" for duel in duels):
        return False
    return len(duels) == 1 or all(index_of(d, epoch) >= rules["duelEpochs"] for d in duels)


@dataclass(frozen=True)
class Decision:
    """The state after an epoch, and what the epoch was."""

    state: dict[str, Any]
    acceptance: Acceptance
    accepted: list[str]
    lost: list[str]
    crowned: str | None
    begun: list[str]


def decide(
    state: State, snapshot: Snapshot, seals: Mapping[str, str], lanes: Mapping[str, Tallies]
) -> Decision:
    """Returns the next state, in the steps at the beginning of section 8. Protocol §9.4."""
    rules, epoch = state["protocol"], state["epoch"]

    # 1: heads and acceptance
    counted = counted_attestations(state, snapshot)
    acceptance = acceptance_of(state["voters"], counted)
    is_frozen = acceptance.is_frozen
    due = state["due"]
    heads = {**state["heads"], **{hotkey: seals[hotkey] for hotkey in due if hotkey in seals}}
    plays = [quotas_of(duel, rules, epoch) for duel in state["duels"]]
    names = [duel["contender"]["hotkey"] for duel in state["duels"]]
    accepted = sorted(
        hotkey
        for hotkey in due
        if hotkey in seals and hotkey in lanes and hotkey in acceptance.attested
        and _is_complete(lanes[hotkey], dict(zip(names, plays, strict=True)))
    )  # fmt: skip

    # 2: tallies, verdicts, and which duels are lost
    duels: list[Duel] = []
    lost: list[Duel] = []
    views: dict[str, Views] = {}
    for duel, played, name in zip(state["duels"], plays, names, strict=True):
        after = dict(duel)
        if index_of(duel, epoch) <= rules["duelEpochs"]:
            entry = {env: {h: lanes[h][name][env] for h in accepted} for env in played}
            after["tallies"] = [*duel["tallies"], {} if is_frozen else entry]
        views[name] = views_of(after, state)
        was_open = not _is_won(duel, rules)
        if was_open and not is_frozen:
            after["verdicts"] = judge_duel(duel, views[name], state)
        (lost if was_open and is_lost(after, rules, epoch) else duels).append(after)

    # 3: trust
    trust = state["trust"]
    if not is_frozen:
        shown = [{env: views[n][env] for env in each} for n, each in zip(names, plays, strict=True)]
        trust = trust_after(state, accepted, shown)

    # 4: the record
    rated, record = rated_envs(rules), state["record"]
    for duel in lost:
        seen = views[duel["contender"]["hotkey"]]
        record = with_rates(record, {env: seen[env].rate(champion_points) for env in rated})

    # 5: crowning, the ratio, the throne
    champion: Any = state.get("champion")
    left = [duel["contender"]["hotkey"] for duel in lost]
    last_played = dict(state["lastPlayed"])
    crowned = None
    if not is_frozen and can_crown(duels, rules, epoch):
        best = _best_duel(duels, views, rules)
        crowned = best["contender"]["hotkey"]
        ratio = ratio_after_crowning(best, views[crowned], record, rules)
        rates = {env: views[crowned][env].rate(contender_points) for env in rated}
        record = with_rates(record, rates)
        names = [champion["hotkey"], *(duel["contender"]["hotkey"] for duel in duels)]
        left += [hotkey for hotkey in names if hotkey != crowned]
        champion, duels = best["contender"], []
    else:
        ratio = decayed_ratio(state["ratio"], rules)
    for hotkey in left:
        last_block = rules["epochBlocks"] * (epoch + 1) - 1
        last_played[hotkey] = {**last_played[hotkey], "left": last_block}
    playing = {duel["contender"]["hotkey"] for duel in duels}
    queue = queue_of(snapshot, last_played, playing | ({champion["hotkey"]} if champion else set()))
    if champion is None and queue:
        first = queue.pop(0)
        champion = first.texts()
        last_played[first.hotkey] = {"content": content_of(first)}

    # 6: the constants
    if {**rules, "templates": ""} != {**snapshot.rules, "templates": ""}:
        duels = [begin(duel["contender"], epoch + 1) for duel in duels]
    rules = snapshot.rules

    # 7: new duels
    begun = []
    if not is_frozen and champion and not any(_is_won(duel, rules) for duel in duels):
        begun = queue[: max(0, rules["duelsMost"] - len(duels))]
    for contender in begun:
        duels.append(begin(contender.texts(), epoch + 1))
        last_played[contender.hotkey] = {"content": content_of(contender)}

    # 8: voters, and who stays
    active = active_validators(state, snapshot)
    stakes = {
        hotkey: min(validator.stake, int(active[hotkey]["stake"]))
        for hotkey, validator in snapshot.validators.items()
        if hotkey in active
    }
    voters = weigh_voters(stakes, trust, rules["validatorsMost"])
    for hotkey in counted:
        stake = snapshot.validators[hotkey].stake
        if stake > 0:
            active[hotkey] = {"epoch": epoch, "stake": str(stake)}
    stays = {duel["contender"]["hotkey"] for duel in duels} | snapshot.hotkeys
    stays |= {champion["hotkey"]} if champion else set()
    next_state = {
        "protocol": rules,
        "epoch": epoch + 1,
        "ratio": ratio,
        **({"champion": champion} if champion else {}),
        "record": record,
        "lastPlayed": {h: entry for h, entry in last_played.items() if h in stays},
        "attested": active,
        "voters": voters,
        "trust": {h: counts for h, counts in trust.items() if h in snapshot.hotkeys},
        "heads": {h: head for h, head in heads.items() if h in snapshot.hotkeys},
        "due": {h: each.next for h, each in counted.items() if duels and h in voters},
        "duels": duels,
    }
    lost_names = [duel["contender"]["hotkey"] for duel in lost]
    begun_names = [contender.hotkey for contender in begun]
    return Decision(next_state, acceptance, accepted, lost_names, crowned, begun_names)


def _is_won(duel: Duel, rules: Rules) -> bool:
    return outcome_of(duel["verdicts"], rules) == "won"


def _is_complete(lane: Tallies, plays: Mapping[str, Mapping[str, int]]) -> bool:
    """Reports whether a lane has a possible tally for all that it plays. Protocol §9.4."""
    for contender, quotas in plays.items():
        for env, quota in quotas.items():
            tally = lane.get(contender, {}).get(env)
            if tally is None or tally[0] + tally[1] > quota or max(tally[2:]) > MILLION * quota:
                return False
    return True


def _best_duel(duels: Sequence[Duel], views: Mapping[str, Views], rules: Rules) -> Duel:
    rated = rated_envs(rules)
    shown = [
        {env: views[duel["contender"]["hotkey"]][env].shown(contender_points) for env in rated}
        for duel in duels
    ]
    return duels[best_of(shown, rules, {env: rules["envs"][env]["quotaMost"] for env in rated})]
