"""One environment of a duel: outliers, verdicts, rates, bounds. Protocol §7, §8.4 to §8.11."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, prod
from operator import attrgetter
from typing import Any, Literal

MILLION = 10**6
BLANK_PLAYED = 96
APART_Z_SQUARED = 4

Verdict = Literal["win", "hold", "even"]
Rules = Mapping[str, Any]


@dataclass(frozen=True)
class Counts:
    """What a lane counted over some epochs; points are in millionths."""

    wins: int = 0
    losses: int = 0
    played: int = 0
    contender_points: int = 0
    champion_points: int = 0

    @property
    def trials(self) -> int:
        """Decisive challenges."""
        return self.wins + self.losses

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))  # noqa: B905


Count = Callable[[Counts], int]
wins: Count = attrgetter("wins")
losses: Count = attrgetter("losses")
contender_points: Count = attrgetter("contender_points")
champion_points: Count = attrgetter("champion_points")

Epochs = Sequence[Mapping[str, Counts]]
"""The lanes of each epoch of a duel in one environment, by hotkey."""
Weights = Mapping[str, int]
Lanes = Mapping[str, Counts]


def total(epochs: Epochs, hotkey: str, other: str | None = None) -> Counts:
    """Returns the sums of a lane, only over the epochs that it shares with another if given."""
    shared = (each for each in epochs if hotkey in each and (other is None or other in each))
    return sum((each[hotkey] for each in shared), Counts())


def lanes_of(weights: Weights, epochs: Epochs) -> dict[str, Counts]:
    """Returns the sums of the lanes that have a weight and played. Protocol §8.4."""
    sums = {hotkey: total(epochs, hotkey) for hotkey, weight in weights.items() if weight > 0}
    return {hotkey: counts for hotkey, counts in sums.items() if counts.played > 0}


def median(weights: Weights, lanes: Lanes, count: Count) -> str:
    """Returns the lane at half of the weight, by its count out of `played`. Protocol §8.5."""
    order = sorted(lanes, key=lambda h: (Fraction(count(lanes[h]), lanes[h].played), h))
    half, cumulated = sum(weights[h] for h in lanes), 0
    for hotkey in order:
        cumulated += 2 * weights[hotkey]
        if cumulated >= half:
            return hotkey
    raise ValueError('"lanes" expected at least one')


def are_apart(x: int, q: int, y: int, r: int, z_squared: int, unit: int = 1) -> bool:
    """Reports whether two proportions, in 1/unit, are apart. Protocol §8.5, §8.11."""
    left = (x * r - y * q) ** 2 * (q + r)
    return left > z_squared * q * r * (x + y) * (unit * (q + r) - x - y)


def set_aside(weights: Weights, epochs: Epochs, z_squared: int) -> set[str]:
    """Returns the lanes that are too far from their median lanes. Protocol §8.5."""
    lanes = lanes_of(weights, epochs)
    aside: set[str] = set()
    for hotkey in lanes:
        shared = {other: total(epochs, other, hotkey) for other in lanes}
        peers = {other: counts for other, counts in shared.items() if counts.played > 0}
        for count in (wins, losses):
            middle = median(weights, peers, count)
            mine, theirs = total(epochs, hotkey, middle), peers[middle]
            pair = count(mine), mine.played, count(theirs), theirs.played
            if are_apart(*pair, z_squared):
                aside.add(hotkey)
    return aside


@dataclass(frozen=True)
class Evidence:
    """One environment of a duel in an epoch. Tallies and scores are in millionths of weight."""

    weights: Weights
    lanes: Lanes
    aside: set[str]
    win: tuple[int, int]
    """Wins and decisive challenges of the lanes trimmed for WIN."""
    hold: tuple[int, int]
    """The same, trimmed for HOLD."""
    score: tuple[int, int]
    """D and V."""
    ratio: int
    rules: Rules

    def verdict(self, index: int, is_alone: bool = False) -> Verdict | None:
        """Returns the verdict in a duel's epoch number `index`, from 1. Protocol §8.6."""
        z_squared = self.rules["aloneZSquaredPpm" if is_alone else "floorZSquaredPpm"]
        lead, variance = self.score
        is_enough = self.win[1] >= MILLION * self.rules["minTrials"]
        if is_enough and lead >= 0 and lead**2 * MILLION >= 100 * z_squared * variance:
            return "win"
        if is_on_line(*self.hold, self.ratio, MILLION, self.rules):
            return "hold"
        return "even" if self.is_even(index) else None

    def middle(self) -> Counts | None:
        """Returns the median lane by decisive challenges, of all lanes."""
        if not self.lanes:
            return None
        return self.lanes[median(self.weights, self.lanes, lambda each: each.trials)]

    def is_even(self, index: int) -> bool:
        """Reports whether too few challenges are decisive. Protocol §8.6."""
        middle = self.middle()
        if middle is None:
            return False
        if middle.trials == 0 and middle.played >= BLANK_PLAYED:
            return True
        share = MILLION * middle.trials // middle.played
        return bool(index >= self.rules["evenEpoch"] and share < self.rules["evenPpm"])

    def shown(self, count: Count) -> tuple[int, int] | None:
        """Returns points and `played` of the median lane of those not set aside. §8.10."""
        lanes = {h: counts for h, counts in self.lanes.items() if h not in self.aside}
        if not lanes:
            return None
        middle = lanes[median(self.weights, lanes, count)]
        return count(middle), middle.played

    def rate(self, count: Count) -> int:
        """Returns a miner's rate in ppm. Protocol §8.10."""
        shown = self.shown(count)
        return rate_of(shown, self.rules) if shown else 0


def judge(weights: Weights, epochs: Epochs, ratio: int, rules: Rules) -> Evidence:
    """Returns what the lanes of one environment show. Protocol §8.6."""
    lanes = lanes_of(weights, epochs)
    aside = set_aside(weights, epochs, rules["outlierZSquared"])
    lead = {h: MILLION * c.wins - ratio * c.trials for h, c in lanes.items() if h not in aside}
    order = sorted(lead, key=lambda h: (-lead[h], h))
    third = -(-sum(weight for weight in weights.values() if weight > 0) // 3)
    left = _trim(order, weights, third)
    trials = {h: lanes[h].trials for h in order}
    rest, deviations, variance = sum(left.values()), 0, 0
    for hotkey in sorted(order, key=lambda h: (-weights[h] * trials[h], h)):
        part = min(weights[hotkey], rest)
        rest -= part
        spread = ratio * (MILLION - ratio) * trials[hotkey]
        deviations += part * _ceil_sqrt(spread)
        variance += part**2 * spread
    score = 10 * sum(k * max(0, lead[h]) for h, k in left.items()) - 4 * deviations
    win, hold = _tally(left, lanes), _tally(_trim(order[::-1], weights, third), lanes)
    return Evidence(weights, lanes, aside, win, hold, (score, variance), ratio, rules)


def _trim(order: Sequence[str], weights: Weights, amount: int) -> dict[str, int]:
    kept = {}
    for hotkey in order:
        removed = min(amount, weights[hotkey])
        amount -= removed
        kept[hotkey] = weights[hotkey] - removed
    return kept


def _tally(kept: Mapping[str, int], lanes: Lanes) -> tuple[int, int]:
    wins = sum(weight * lanes[hotkey].wins for hotkey, weight in kept.items())
    return wins, sum(weight * lanes[hotkey].trials for hotkey, weight in kept.items())


def _ceil_sqrt(number: int) -> int:
    return isqrt(number - 1) + 1 if number > 0 else 0


def is_on_line(wins: int, trials: int, ratio: int, unit: int, rules: Rules) -> bool:
    """Reports whether counts in 1/unit are on the line of a HOLD, or below it. Protocol §7."""
    offset = rules["holdOffset"] * unit * ratio * (MILLION - ratio)
    slope = (ratio + rules["holdSlopePpm"]) * MILLION
    return bool(MILLION**2 * wins + offset <= slope * trials)


def reaches(wins: int, trials: int, ratio: int, unit: int, z_squared_ppm: int) -> bool:
    """Reports whether the lower bound of counts in 1/unit reaches a ratio. Protocol §7."""
    lead = MILLION * wins - trials * ratio
    spread = z_squared_ppm * unit * trials * ratio * (MILLION - ratio)
    return trials > 0 and lead >= 0 and MILLION * lead**2 >= spread


def bound_of(wins: int, trials: int, unit: int, rules: Rules) -> int:
    """Returns the largest ratio below 10^6 ppm that a lower bound reaches. Protocol §8.10."""
    low, high = 0, MILLION
    while high - low > 1:
        middle = (low + high) // 2
        is_reached = reaches(wins, trials, middle, unit, rules["ratchetZSquaredPpm"])
        low, high = (middle, high) if is_reached else (low, middle)
    return low


def rate_of(shown: tuple[int, int], rules: Rules) -> int:
    """Returns the rate, in ppm, of points in millionths out of `played`. Protocol §8.10."""
    points, played = shown
    return bound_of(points, played * MILLION, MILLION, rules)


def supported(contender: int, other: int) -> int:
    """Returns how often the contender has the only success, in ppm. Protocol §8.10."""
    only, others = contender * (MILLION - other), other * (MILLION - contender)
    return MILLION * only // (only + others) if only + others else 0


def raised_ratio(bounds: Sequence[int], rules: Rules) -> int:
    """Returns the ratio after a crowning: the geometric mean within its limits. §8.10."""
    root = _integer_root(prod(bounds), len(bounds)) if bounds else 0
    return int(min(max(root, rules["ratioFloorPpm"]), rules["ratioCeilingPpm"]))


def _integer_root(number: int, degree: int) -> int:
    low, high = 0, MILLION + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle)
    return low


def decayed_ratio(ratio: int, rules: Rules) -> int:
    """Returns the ratio after an epoch without a crowning. Protocol §8.10."""
    floor = int(rules["ratioFloorPpm"])
    return floor + max(ratio - floor, 0) * int(rules["ratioDecayPpm"]) // MILLION


def trust_of(correct: int, incorrect: int) -> int:
    """Returns a validator's trust in ppm. Protocol §8.9."""
    return MILLION * (MILLION + correct) // (2 * MILLION + correct + incorrect)


Shown = Mapping[str, tuple[int, int] | None]
"""By environment of one player: points and `played` of the contender's median lane."""


def best_of(duels: Sequence[Shown], rules: Rules, most: Mapping[str, int]) -> int:
    """Returns the index of the best of several won duels. Protocol §8.11."""
    beaten = beaten_by(duels, rules, most)
    return max(range(len(duels)), key=lambda i: (beaten[i], -i))


def beaten_by(duels: Sequence[Shown], rules: Rules, most: Mapping[str, int]) -> list[int]:
    """Returns for each duel how many of the others it is better than. Protocol §8.11."""
    beaten = [0] * len(duels)
    for later in range(len(duels)):
        for earlier in range(later):
            is_later = _is_better(duels[later], duels[earlier], rules, most)
            beaten[later if is_later else earlier] += 1
    return beaten


def _is_better(later: Shown, earlier: Shown, rules: Rules, most: Mapping[str, int]) -> bool:
    mine, yours = ahead(later, earlier), ahead(earlier, later)
    if mine != yours:
        return mine > yours
    if all(_is_known(each, most) for each in (later, earlier)):
        return False
    return sum_of_rates(later, rules) > sum_of_rates(earlier, rules)


def ahead(one: Shown, other: Shown) -> int:
    """Returns in how many environments one is ahead of another, and apart. Protocol §8.11."""
    count = 0
    for env, mine in one.items():
        theirs = other[env]
        if mine and theirs and are_apart(*mine, *theirs, APART_Z_SQUARED, MILLION):
            count += mine[0] * theirs[1] > theirs[0] * mine[1]
    return count


def _is_known(shown: Shown, most: Mapping[str, int]) -> bool:
    return all(each is not None and each[1] >= most[env] for env, each in shown.items())


def sum_of_rates(shown: Shown, rules: Rules) -> int:
    """Returns the sum of a contender's rates. Protocol §8.11."""
    return sum(rate_of(each, rules) for each in shown.values() if each)
