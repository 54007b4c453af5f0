import {
  BOX_HEIGHT,
  BOX_WIDTH,
  computeArea,
  type PieceSides,
  type Placement,
  turn,
} from './pack-cutting.ts'

/** Maximum number of placements that are tried. */
const MAX_TRIALS = 500

/** A piece in one of its orientations. `piece` is its index in the list of pieces. */
type OrientedPiece = PieceSides & { readonly piece: number }

/**
 * Returns the scripted player's placements, in the order in which it makes them. The player tries
 * the largest pieces first, always at the highest free square, the leftmost of equally high
 * squares, and backtracks where no piece fits. The result covers the largest area that the search
 * found. Protocol §3.8.
 */
export function scriptedPacking(pieces: readonly PieceSides[]): readonly Placement[] {
  const order = [...pieces.entries()].sort(([, a], [, b]) => computeArea(b) - computeArea(a))
  const oriented = order.flatMap(([piece, sides]): OrientedPiece[] => {
    const listed = { ...sides, piece }
    return sides.width === sides.height ? [listed] : [listed, { ...turn(sides), piece }]
  })
  /** The first free square of each column. Every square below it is free, none above it. */
  const tops: number[] = Array(BOX_WIDTH).fill(0)
  const isUsed: boolean[] = pieces.map(() => false)
  const placed: Placement[] = []
  let [area, bestArea, trials] = [0, 0, 0]
  let best: readonly Placement[] = []

  /** Fills the box from the current placements on. Reports whether the search is over. */
  function fill(): boolean {
    const x = findLowest(tops)
    const y = tops[x] ?? 0
    const [columns, rows] = [countFree(tops, x), BOX_HEIGHT - y]
    return oriented.some((each) => {
      const fits = !isUsed[each.piece] && each.width <= columns && each.height <= rows
      return fits && place(each, x, y)
    })
  }

  /** Tries a placement and those after it. Reports whether the search is over. */
  function place({ piece, width, height }: OrientedPiece, x: number, y: number): boolean {
    isUsed[piece] = true
    tops.fill(y + height, x, x + width)
    placed.push({ x, y, width, height })
    trials += 1
    area += width * height
    if (area > bestArea) [bestArea, best] = [area, [...placed]]
    if (placed.length === pieces.length || trials === MAX_TRIALS || fill()) return true
    isUsed[piece] = false
    tops.fill(y, x, x + width)
    placed.pop()
    area -= width * height
    return false
  }
  fill()
  return best
}

/** Returns the first index of the lowest number. */
const findLowest = (tops: readonly number[]): number =>
  tops.reduce((lowest, top, at) => (top < (tops[lowest] ?? 0) ? at : lowest), 0)

/** Returns the number of adjacent columns from `x` on whose first free squares are equally high. */
function countFree(tops: readonly number[], x: number): number {
  let end = x + 1
  while (tops[end] === tops[x]) end += 1
  return end - x
}
