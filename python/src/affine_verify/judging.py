"""One environment of a duel: outliers, verdicts, rates, bounds. Protocol §7, §8.4 to §8.11."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import isqrt, prod
from typing import Any, NamedTuple

MILLION = 10**6
BLANK_PLAYED = 96
APART_Z_SQUARED = 4

Rules = Mapping[str, Any]


class Counts(NamedTuple):
    """A lane's counts over some epochs. Points are in millionths."""

    wins: int = 0
    losses: int = 0
    contender_points: int = 0
    champion_points: int = 0
    played: int = 0

    @property
    def trials(self) -> int:
        """Number of decisive challenges."""
        return self.wins + self.losses


Epochs = Sequence[Mapping[str, Counts]]
"""The lanes of each epoch of a duel in one environment, by hotkey."""
Weights = Mapping[str, int]
Lanes = Mapping[str, Counts]


def total(epochs: Epochs, hotkey: str, other: str) -> Counts:
    """Returns the sums of the lane of `hotkey` over the epochs in which `other` has a lane too."""
    shared = (each[hotkey] for each in epochs if hotkey in each and other in each)
    return Counts(*map(sum, zip(Counts(), *shared, strict=True)))


def lanes_of(weights: Weights, epochs: Epochs) -> dict[str, Counts]:
    """Returns the sums of the lanes that have a weight and played. Protocol §8.4."""
    sums = {hotkey: total(epochs, hotkey, hotkey) for hotkey in weights if weights[hotkey] > 0}
    return {hotkey: counts for hotkey, counts in sums.items() if counts.played > 0}


def median(weights: Weights, lanes: Lanes, count: str) -> str:
    """Returns the weighted median lane, by a count as a share of `played`. Protocol §8.5.

    Returns an empty text without lanes.
    """
    share = {h: Fraction(getattr(each, count), each.played) for h, each in lanes.items()}
    left = sum(weights[hotkey] for hotkey in lanes)
    for hotkey in sorted(lanes, key=lambda h: (share[h], h)):
        left -= 2 * weights[hotkey]
        if left <= 0:
            return hotkey
    return ""


def are_apart(x: int, q: int, y: int, r: int, z_squared: int, unit: int = 1) -> bool:
    """Reports whether x/q and y/r, with x and y in 1/unit, are apart. Protocol §8.5, §8.11."""
    left = (x * r - y * q) ** 2 * (q + r)
    return left > z_squared * q * r * (x + y) * (unit * (q + r) - x - y)


def set_aside(weights: Weights, epochs: Epochs, z_squared: int) -> set[str]:
    """Returns the lanes that are too far from their median lanes. Protocol §8.5."""
    lanes = lanes_of(weights, epochs)
    aside: set[str] = set()
    for hotkey in lanes:
        shared = {other: total(epochs, other, hotkey) for other in lanes}
        peers = {other: counts for other, counts in shared.items() if counts.played > 0}
        for count in ("wins", "losses"):
            middle = median(weights, peers, count)
            mine, theirs = total(epochs, hotkey, middle), peers[middle]
            pair = getattr(mine, count), mine.played, getattr(theirs, count), theirs.played
            if are_apart(*pair, z_squared):
                aside.add(hotkey)
    return aside


class Evidence(NamedTuple):
    """One environment of a duel in an epoch. Tallies and scores are in millionths of weight."""

    weights: Weights
    lanes: Lanes
    aside: set[str]
    win: tuple[int, int]
    """Wins and decisive challenges of the lanes trimmed for WIN."""
    hold: tuple[int, int]
    """Wins and decisive challenges of the lanes trimmed for HOLD."""
    score: tuple[int, int]
    """D and V of Protocol §8.6."""
    ratio: int
    rules: Rules

    def verdict(self, index: int, is_alone: bool = False) -> str | None:
        """Returns the verdict in a duel's epoch number `index`, from 1. Protocol §8.6."""
        rules, (lead, variance), (wins, trials) = self.rules, self.score, self.hold
        z_squared = rules["aloneZSquaredPpm" if is_alone else "floorZSquaredPpm"]
        is_enough = self.win[1] >= MILLION * rules["minTrials"]
        if is_enough and lead >= 0 and lead**2 * MILLION >= 100 * z_squared * variance:
            return "win"
        offset = rules["holdOffset"] * MILLION * self.ratio * (MILLION - self.ratio)
        slope = (self.ratio + rules["holdSlopePpm"]) * MILLION
        if MILLION**2 * wins + offset <= slope * trials:
            return "hold"
        middle = self.middle()
        is_blank = middle.trials == 0 and middle.played >= BLANK_PLAYED
        is_rare = MILLION * middle.trials < rules["evenPpm"] * middle.played
        return "even" if is_blank or (is_rare and index >= rules["evenEpoch"]) else None

    def middle(self) -> Counts:
        """Returns the median lane by decisive challenges, of all lanes, also those set aside."""
        return self.lanes.get(median(self.weights, self.lanes, "trials"), Counts())

    def shown(self, count: str) -> tuple[int, int]:
        """Returns points and `played` of the median of the lanes that are not set aside. §8.10."""
        lanes = {h: counts for h, counts in self.lanes.items() if h not in self.aside}
        middle = lanes.get(median(self.weights, lanes, count), Counts())
        return getattr(middle, count), middle.played

    def rate(self, count: str) -> int:
        """Returns a miner's rate in ppm, from its points in the field `count`. Protocol §8.10."""
        return rate_of(self.shown(count), self.rules)


def judge(weights: Weights, epochs: Epochs, ratio: int, rules: Rules) -> Evidence:
    """Returns the evidence of the lanes of one environment. Protocol §8.6."""
    lanes = lanes_of(weights, epochs)
    aside = set_aside(weights, epochs, rules["outlierZSquared"])
    lead = {h: MILLION * c.wins - ratio * c.trials for h, c in lanes.items() if h not in aside}
    order = sorted(lead, key=lambda h: (-lead[h], h))
    third = -(-sum(weight for weight in weights.values() if weight > 0) // 3)
    trimmed = _trim(order, weights, third)
    remaining, deviations, variance = sum(trimmed.values()), 0, 0
    for hotkey in sorted(order, key=lambda h: (-weights[h] * lanes[h].trials, h)):
        part = min(weights[hotkey], remaining)
        remaining -= part
        spread = ratio * (MILLION - ratio) * lanes[hotkey].trials
        deviations += part * (isqrt(spread - 1) + 1 if spread else 0)
        variance += part**2 * spread
    score = 10 * sum(k * max(0, lead[h]) for h, k in trimmed.items()) - 4 * deviations
    win, hold = _tally(trimmed, lanes), _tally(_trim(order[::-1], weights, third), lanes)
    return Evidence(weights, lanes, aside, win, hold, (score, variance), ratio, rules)


def _trim(order: Sequence[str], weights: Weights, amount: int) -> dict[str, int]:
    trimmed = {}
    for hotkey in order:
        removed = min(amount, weights[hotkey])
        amount -= removed
        trimmed[hotkey] = weights[hotkey] - removed
    return trimmed


def _tally(weights: Weights, lanes: Lanes) -> tuple[int, int]:
    wins = sum(weight * lanes[hotkey].wins for hotkey, weight in weights.items())
    return wins, sum(weight * lanes[hotkey].trials for hotkey, weight in weights.items())


def bound_of(wins: int, trials: int, rules: Rules) -> int:
    """Returns the largest ratio below 10^6 ppm that the lower bound of counts reaches. §8.10.

    The counts are in millionths.
    """

    def is_missed(ratio: int) -> bool:
        lead = MILLION * wins - trials * ratio
        spread = rules["ratchetZSquaredPpm"] * MILLION * trials * ratio * (MILLION - ratio)
        return trials == 0 or lead < 0 or MILLION * lead**2 < spread

    return bisect_left(range(1, MILLION), True, key=is_missed)


def rate_of(shown: tuple[int, int], rules: Rules) -> int:
    """Returns the rate, in ppm, of points in millionths out of `played`. Protocol §8.10."""
    points, played = shown
    return bound_of(points, played * MILLION, rules)


def supported(contender: int, other: int) -> int:
    """Returns the contender's share of wins, in ppm, if both rates are independent. §8.10."""
    only, others = contender * (MILLION - other), other * (MILLION - contender)
    return MILLION * only // max(1, only + others)


def raised_ratio(bounds: Sequence[int], rules: Rules) -> int:
    """Returns the ratio after a crowning: the bounds' geometric mean within limits. §8.10."""
    product, degree = prod(bounds) if bounds else 0, len(bounds)
    mean = bisect_left(range(1, MILLION), True, key=lambda root: root**degree > product)
    return int(min(max(mean, rules["ratioFloorPpm"]), rules["ratioCeilingPpm"]))


def decayed_ratio(ratio: int, rules: Rules) -> int:
    """Returns the ratio after an epoch without a crowning. Protocol §8.10."""
    floor = int(rules["ratioFloorPpm"])
    return floor + max(ratio - floor, 0) * int(rules["ratioDecayPpm"]) // MILLION


def trust_of(correct: int, incorrect: int) -> int:
    """Returns a validator's trust in ppm. Protocol §8.9."""
    return MILLION * (MILLION + correct) // (2 * MILLION + correct + incorrect)


Shown = Mapping[str, tuple[int, int]]
"""By environment of one player: points and `played` of the contender's median lane, or 0 and 0."""


def best_of(duels: Sequence[Shown], rules: Rules, most: Mapping[str, int]) -> int:
    """Returns the index of the best of several won duels. Protocol §8.11."""
    beaten = beaten_by(duels, rules, most)
    return beaten.index(max(beaten))


def beaten_by(duels: Sequence[Shown], rules: Rules, most: Mapping[str, int]) -> list[int]:
    """Returns for each duel the number of other duels that it is better than. Protocol §8.11."""
    beaten = [0] * len(duels)
    for earlier, later in combinations(range(len(duels)), 2):
        is_later = _is_better(duels[later], duels[earlier], rules, most)
        beaten[later if is_later else earlier] += 1
    return beaten


def _is_better(later: Shown, earlier: Shown, rules: Rules, most: Mapping[str, int]) -> bool:
    mine, yours = ahead(later, earlier), ahead(earlier, later)
    played = ((env, n) for each in (later, earlier) for env, (_, n) in each.items())
    if mine != yours or all(n >= most[env] for env, n in played):
        return mine > yours
    return sum_of_rates(later, rules) > sum_of_rates(earlier, rules)


def ahead(one: Shown, other: Shown) -> int:
    """Counts the environments in which `one` is ahead of `other` and apart. Protocol §8.11."""
    pairs = [(*mine, *other[env]) for env, mine in one.items()]
    apart = [pair for pair in pairs if are_apart(*pair, APART_Z_SQUARED, MILLION)]
    return sum(x * r > y * q for x, q, y, r in apart)


def sum_of_rates(shown: Shown, rules: Rules) -> int:
    """Returns the sum of a contender's rates. Protocol §8.11."""
    return sum(rate_of(each, rules) for each in shown.values())
