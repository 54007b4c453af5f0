import type { Generator } from '@affine/prng'

export const BOX_WIDTH = 60
export const BOX_HEIGHT = 40

/** A side below this is not cut, if there is a longer one. */
const SHORT = 6
const COUNTS = [8, 12, 16, 24, 32]

/** A rectangle in the box: x from the left, y from the top, width, height. */
export type Placement = readonly [x: number, y: number, width: number, height: number]

/** The sides of a piece, as it is listed. */
export type PieceSides = readonly [width: number, height: number]

/** A challenge: the pieces as they are listed, and how each lay in the box that was cut. */
export interface CutBox {
  readonly pieces: readonly PieceSides[]
  readonly cutting: readonly Placement[]
}

/** The box cut into 8 to 32 pieces, in a random order, some of them turned. Protocol §3.8. */
export function cutBox(random: Generator): CutBox {
  const count = COUNTS[random.integers(0, COUNTS.length)] ?? 0
  const list: Placement[] = [[0, 0, BOX_WIDTH, BOX_HEIGHT]]
  while (list.length < count) {
    const at = chooseIndex(list, random)
    const isForFive = list.length + 4 <= count
    const [kept, ...rest] = cut(list[at] as Placement, isForFive, random)
    list[at] = kept
    list.push(...rest)
  }
  for (let i = count - 1; i > 0; i--) {
    const j = random.integers(0, i + 1)
    const moved = list[i] as Placement
    list[i] = list[j] as Placement
    list[j] = moved
  }
  const pieces = list.map(([, , width, height]): PieceSides => {
    const isTurned = random.integers(0, 2) === 1
    return isTurned ? [height, width] : [width, height]
  })
  return { pieces, cutting: list }
}

/** The rectangle over a square that is drawn, or instead of a small one the largest. */
function chooseIndex(list: readonly Placement[], random: Generator): number {
  const [x, y] = [random.integers(0, BOX_WIDTH), random.integers(0, BOX_HEIGHT)]
  const drawn = list.findIndex(
    ([left, top, width, height]) => x >= left && x < left + width && y >= top && y < top + height,
  )
  const [, , width = 0, height = 0] = list[drawn] ?? []
  if (width >= SHORT || height >= SHORT) return drawn
  const areas = list.map(([, , wide, high]) => wide * high)
  return areas.indexOf(Math.max(...areas))
}

/** A rectangle in two parts, or in five. The first stays in its place of the list. */
function cut(
  rectangle: Placement,
  isForFive: boolean,
  random: Generator,
): readonly [Placement, ...Placement[]] {
  const [x, y, width, height] = rectangle
  const isLarge = width >= SHORT && height >= SHORT
  if (isLarge && isForFive && random.integers(0, 4) === 0) return cutInFive(rectangle, random)
  const isOther = isLarge && random.integers(0, 4) === 0
  const isAcross = width >= height !== isOther
  const kept = drawPart(isAcross ? width : height, random)
  if (isAcross)
    return [
      [x, y, kept, height],
      [x + kept, y, width - kept, height],
    ]
  return [
    [x, y, width, kept],
    [x, y + kept, width, height - kept],
  ]
}

/** How much of a side is kept: a fifth or more, and at least 2, on either side. */
function drawPart(side: number, random: Generator): number {
  const least = Math.max(2, Math.floor(side / 5))
  return random.integers(least, side - least + 1)
}

/** Four parts around a fifth, no cut going through. */
function cutInFive(
  [x, y, width, height]: Placement,
  random: Generator,
): readonly [Placement, ...Placement[]] {
  const a = random.integers(2, width - 3)
  const c = random.integers(a + 2, width - 1)
  const b = random.integers(2, height - 3)
  const d = random.integers(b + 2, height - 1)
  return [
    [x, y, c, b],
    [x + c, y, width - c, d],
    [x + a, y + d, width - a, height - d],
    [x, y + b, a, height - b],
    [x + a, y + b, c - a, d - b],
  ]
}
