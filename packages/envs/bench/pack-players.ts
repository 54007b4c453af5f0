import { make } from '../src/index.ts'
import {
  BOX_HEIGHT,
  BOX_WIDTH,
  computeArea,
  type PieceSides,
  type Placement,
  turn,
} from '../src/pack-cutting.ts'
import { type Draw, exchange, type Program, shuffle } from './draw.ts'

const { spec } = make('pack@0.1.0')
const AREA = BOX_WIDTH * BOX_HEIGHT

/** The players by strength, weakest first. */
export const PACK_PLAYERS: Readonly<Record<string, Program>> = {
  greedy: packing(layOut),
  sorted: packing((pieces) => layOut(largestFirst(pieces))),
  golden: (prompt) => spec.solve(prompt),
  '100 tries': packing(tries(100)),
  'local 1000': packing(localSearch(1000)),
  'local 10000': packing(localSearch(10_000)),
}

type Packer = (pieces: readonly PieceSides[], draw: Draw) => readonly Placement[]

function packing(pack: Packer): Program {
  return (prompt, draw) => {
    const [, list = ''] = /\n\n([0-9x ]+)\n\n/.exec(prompt) ?? []
    const pieces = list.split(' ').map((piece): PieceSides => {
      const [width = 0, height = 0] = piece.split('x').map(Number)
      return { width, height }
    })
    return pack(pieces, draw)
      .map(({ x, y, width, height }) => `${x},${y},${width},${height}`)
      .join(' ')
  }
}

/**
 * Places each piece at the least y where it fits, and there as far left as possible. Turns a piece
 * only if it fits no other way, and omits it if it fits neither way. Never fills the gaps that a
 * piece leaves between itself and the pieces before it.
 */
function layOut(pieces: readonly PieceSides[]): readonly Placement[] {
  const tops = Array<number>(BOX_WIDTH).fill(0)
  const placed: Placement[] = []
  for (const piece of pieces) {
    const placement = lowest(tops, piece) ?? lowest(tops, turn(piece))
    if (placement === undefined) continue
    const { x, y, width, height } = placement
    tops.fill(y + height, x, x + width)
    placed.push(placement)
  }
  return placed
}

/** Returns the leftmost placement of a piece at the least y. Undefined if it does not fit. */
function lowest(tops: readonly number[], { width, height }: PieceSides): Placement | undefined {
  let best: Placement | undefined
  let least = BOX_HEIGHT - height + 1
  for (let x = 0; x + width <= BOX_WIDTH; x++) {
    if (x > 0 && tops[x] === tops[x - 1]) continue
    let y = 0
    for (let column = x; column < x + width && y < least; column++)
      y = Math.max(y, tops[column] ?? 0)
    if (y >= least) continue
    best = { x, y, width, height }
    least = y
  }
  return best
}

const largestFirst = (pieces: readonly PieceSides[]): readonly PieceSides[] =>
  [...pieces].sort((a, b) => computeArea(b) - computeArea(a))

const areaOf = (placements: readonly Placement[]): number =>
  placements.reduce((area, placement) => area + computeArea(placement), 0)

/** Returns a packer that tries `count` random orders and orientations, and selects the best. */
function tries(count: number): Packer {
  return (pieces, draw) => {
    let best: readonly Placement[] = []
    for (let i = 0; i < count; i++) {
      const plan = pieces.map((piece) => (draw(2) === 1 ? turn(piece) : piece))
      const placed = layOut(shuffle(plan, draw))
      if (areaOf(placed) > areaOf(best)) best = placed
    }
    return best
  }
}

/** Returns a packer that makes `steps` random swaps and turns, and undoes each that loses area. */
function localSearch(steps: number): Packer {
  return (pieces, draw) => {
    let plan = largestFirst(pieces)
    let best = layOut(plan)
    for (let i = 0; i < steps && areaOf(best) < AREA; i++) {
      const changed = [...plan]
      const at = draw(changed.length)
      if (draw(3) === 0) changed[at] = turn(changed[at] as PieceSides)
      else exchange(changed, at, draw(changed.length))
      const placed = layOut(changed)
      if (areaOf(placed) < areaOf(best)) continue
      plan = changed
      best = placed
    }
    return best
  }
}
