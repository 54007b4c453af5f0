import { BOX_HEIGHT, BOX_WIDTH, type PieceSides, type Placement } from './pack-cutting.ts'

/** The most placings that are tried. */
const PLACINGS = 500

/** A piece as it may lie. */
interface PieceWay {
  readonly piece: number
  readonly width: number
  readonly height: number
}

/**
 * Packs the largest pieces first, always on the highest free square, the leftmost of those, and
 * takes back what leads nowhere. The placements that covered most, in their order. Protocol §3.8.
 */
export function scriptedPacking(pieces: readonly PieceSides[]): readonly Placement[] {
  const search = new PackSearch(pieces)
  search.fill()
  return search.best
}

class PackSearch {
  best: readonly Placement[] = []
  #bestArea = 0
  #placings = 0
  readonly #ways: readonly PieceWay[]
  readonly #pieces: number
  readonly #isUsed: boolean[]
  /** Of each column the first free square. What is placed there leaves none free above it. */
  readonly #tops: number[] = Array.from({ length: BOX_WIDTH }, () => 0)
  readonly #placed: Placement[] = []
  #area = 0

  constructor(pieces: readonly PieceSides[]) {
    this.#pieces = pieces.length
    this.#isUsed = pieces.map(() => false)
    const order = [...pieces.entries()].sort(([, a], [, b]) => b[0] * b[1] - a[0] * a[1])
    this.#ways = order.flatMap(([piece, [width, height]]) => {
      const listed = { piece, width, height }
      return width === height ? [listed] : [listed, { piece, width: height, height: width }]
    })
  }

  /** Fills the box from here on. True when the search is over. */
  fill(): boolean {
    const y = Math.min(...this.#tops)
    const x = this.#tops.indexOf(y)
    for (const way of this.#ways) {
      if (this.#isUsed[way.piece] === true || !this.#fits(way, x, y)) continue
      this.#place(way, x, y)
      const isOver = this.#placed.length === this.#pieces || this.#placings === PLACINGS
      if (isOver || this.fill()) return true
      this.#takeBack(way)
    }
    return false
  }

  #fits({ width, height }: PieceWay, x: number, y: number): boolean {
    if (x + width > BOX_WIDTH || y + height > BOX_HEIGHT) return false
    for (let column = x; column < x + width; column++) if (this.#tops[column] !== y) return false
    return true
  }

  #place({ piece, width, height }: PieceWay, x: number, y: number): void {
    this.#isUsed[piece] = true
    this.#tops.fill(y + height, x, x + width)
    this.#placed.push([x, y, width, height])
    this.#placings += 1
    this.#area += width * height
    if (this.#area <= this.#bestArea) return
    this.#bestArea = this.#area
    this.best = [...this.#placed]
  }

  #takeBack({ piece }: PieceWay): void {
    const [x, y, width, height] = this.#placed.pop() as Placement
    this.#isUsed[piece] = false
    this.#tops.fill(y, x, x + width)
    this.#area -= width * height
  }
}
