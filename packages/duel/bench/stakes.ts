/** Validators by index: weights in ppm of the heaviest, the liars, and the absent ones. */
export interface Field {
  readonly weights: readonly number[]
  readonly liars: readonly number[]
  readonly absent: readonly number[]
}

const sumOf = (weights: readonly number[]): number =>
  weights.reduce((sum, weight) => sum + weight, 0)

/**
 * Returns a field in which the heaviest validators lie, as long as liars have under a third, and
 * the last `absentees` honest validators are absent.
 */
export function fieldOf(weights: readonly number[], absentees = 0): Field {
  const all = sumOf(weights)
  const liars = takeFrom(weights, [], (lying) => 3 * lying < all)
  const honest = weights.map((_, place) => place).filter((place) => !liars.includes(place))
  return { weights, liars, absent: honest.slice(honest.length - absentees) }
}

/** Returns a field with enough absent validators that the liars can freeze an epoch. */
export function balancedOf(weights: readonly number[]): Field {
  const { liars } = fieldOf(weights)
  const absent = takeFrom(weights, liars, (away) => 3 * away <= sumOf(weights))
  return { weights, liars, absent }
}

/**
 * Returns equally many honest, lying and absent validators, each group nearly a third: trimming
 * removes exactly the liars' weight, so everything that the honest saw counts.
 */
export function thirdsOf(honest: number, liars: number, absent: number): Field {
  const group = (count: number, share: number): readonly number[] =>
    Array.from({ length: count }, () => share / count)
  const shares = [...group(honest, 1), ...group(liars, 0.994), ...group(absent, 0.99)]
  const most = Math.max(...shares)
  const places = shares.map((_, place) => place)
  return {
    weights: shares.map((share) => Math.floor((share / most) * 1e6)),
    liars: places.slice(honest, honest + liars),
    absent: places.slice(honest + liars),
  }
}

/** Reports whether the liars can freeze an epoch: too little weight attests without them. */
export function mayFreeze({ weights, liars, absent }: Field): boolean {
  const weigh = (places: readonly number[]) => sumOf(places.map((place) => weights[place] ?? 0))
  const present = sumOf(weights) - weigh(absent)
  const isFrozen = (attesting: number) => 3 * attesting < 2 * sumOf(weights)
  return !isFrozen(present) && isFrozen(present - weigh(liars))
}

/** Returns the heaviest validators whose weight may be added, except those in `taken`. */
function takeFrom(
  weights: readonly number[],
  taken: readonly number[],
  isAllowed: (weight: number) => boolean,
): readonly number[] {
  let sum = 0
  return weights.flatMap((weight, place) => {
    if (taken.includes(place) || !isAllowed(sum + weight)) return []
    sum += weight
    return [place]
  })
}

/** Returns `lanes` validators of equal weight. */
export const equal = (lanes: number): readonly number[] => Array.from({ length: lanes }, () => 1e6)

/** Returns weights of 25, 15, 10, 8 and 6 %, and equal parts of the rest. */
export function skewed(lanes: number): readonly number[] {
  const heads = [25, 15, 10, 8, 6]
  const others = lanes - heads.length
  const shares = [...heads, ...Array.from({ length: others }, () => 36 / others)]
  return shares.map((share) => Math.floor((share / 25) * 1e6))
}

/** Returns weights in proportion to 1, 1/2, 1/3, … */
export const zipf = (lanes: number): readonly number[] =>
  Array.from({ length: lanes }, (_, i) => Math.floor(1e6 / (i + 1)))
