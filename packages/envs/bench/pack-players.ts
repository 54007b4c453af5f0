import { make } from '../src/index.ts'
import { BOX_HEIGHT, BOX_WIDTH, type PieceSides, type Placement } from '../src/pack-cutting.ts'
import { type Draw, exchange, type Program, shuffle } from './draw.ts'

const { spec } = make('pack@0.1.0')
const AREA = BOX_WIDTH * BOX_HEIGHT

/** From the weakest on. */
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
      return [width, height]
    })
    return pack(pieces, draw).map(String).join(' ')
  }
}

/**
 * Each piece in turn, as it is or else turned, at the corner of least y where it fits, the leftmost
 * of those; one that fits nowhere is left out. Nothing is put below what lies.
 */
function layOut(pieces: readonly PieceSides[]): readonly Placement[] {
  const tops = Array<number>(BOX_WIDTH).fill(0)
  const lying: Placement[] = []
  for (const [width, height] of pieces) {
    const placement = lowest(tops, [width, height]) ?? lowest(tops, [height, width])
    if (placement === undefined) continue
    const [x, y, wide, high] = placement
    tops.fill(y + high, x, x + wide)
    lying.push(placement)
  }
  return lying
}

/** Where a piece fits best on what lies, if it does. */
function lowest(tops: readonly number[], [width, height]: PieceSides): Placement | undefined {
  let best: Placement | undefined
  let least = BOX_HEIGHT - height + 1
  for (let x = 0; x + width <= BOX_WIDTH; x++) {
    if (x > 0 && tops[x] === tops[x - 1]) continue
    let y = 0
    for (let column = x; column < x + width && y < least; column++)
      y = Math.max(y, tops[column] ?? 0)
    if (y >= least) continue
    best = [x, y, width, height]
    least = y
  }
  return best
}

const largestFirst = (pieces: readonly PieceSides[]): readonly PieceSides[] =>
  [...pieces].sort(([a, b], [c, d]) => c * d - a * b)

const turned = ([width, height]: PieceSides): PieceSides => [height, width]

const areaOf = (placements: readonly Placement[]): number =>
  placements.reduce((area, [, , width, height]) => area + width * height, 0)

/** The best of so many orders, the pieces turned at random. */
function tries(count: number): Packer {
  return (pieces, draw) => {
    let best: readonly Placement[] = []
    for (let i = 0; i < count; i++) {
      const plan = pieces.map((piece) => (draw(2) === 1 ? turned(piece) : piece))
      const lying = layOut(shuffle(plan, draw))
      if (areaOf(lying) > areaOf(best)) best = lying
    }
    return best
  }
}

/** From the largest first on, two change places or one is turned, if no area is lost by it. */
function localSearch(steps: number): Packer {
  return (pieces, draw) => {
    let plan = largestFirst(pieces)
    let best = layOut(plan)
    for (let i = 0; i < steps && areaOf(best) < AREA; i++) {
      const changed = [...plan]
      const at = draw(changed.length)
      if (draw(3) === 0) changed[at] = turned(changed[at] as PieceSides)
      else exchange(changed, at, draw(changed.length))
      const lying = layOut(changed)
      if (areaOf(lying) < areaOf(best)) continue
      plan = changed
      best = lying
    }
    return best
  }
}
