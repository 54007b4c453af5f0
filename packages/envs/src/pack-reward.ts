import { type Picture, type PictureShape, rectangle } from './explanation.ts'
import { BOX_HEIGHT, BOX_WIDTH, type PieceSides, type Placement } from './pack-cutting.ts'

/** A placement, and why it earns nothing; undefined if it earns its area. */
export interface JudgedPlacement {
  readonly placement: Placement
  readonly flaw: 'no such piece is left' | 'outside the box' | 'on another piece' | undefined
}

/**
 * Judges placements in their order: each uses up a piece with its sides, and earns its area in the
 * box on free squares. Protocol §3.8.
 */
export function judgePlacements(
  pieces: readonly PieceSides[],
  placements: readonly Placement[],
): readonly JudgedPlacement[] {
  const left = [...pieces]
  const lying: Placement[] = []
  return placements.map((placement): JudgedPlacement => {
    const [x, y, width, height] = placement
    const at = left.findIndex(
      ([wide, high]) => (wide === width && high === height) || (wide === height && high === width),
    )
    if (at === -1) return { placement, flaw: 'no such piece is left' }
    left.splice(at, 1)
    if (x + width > BOX_WIDTH || y + height > BOX_HEIGHT)
      return { placement, flaw: 'outside the box' }
    if (lying.some((other) => overlap(other, placement)))
      return { placement, flaw: 'on another piece' }
    lying.push(placement)
    return { placement, flaw: undefined }
  })
}

export function overlap(
  [x, y, width, height]: Placement,
  [left, top, wide, high]: Placement,
): boolean {
  return x < left + wide && left < x + width && y < top + high && top < y + height
}

/** What was earned. */
export const earnedArea = (judged: readonly JudgedPlacement[]): number =>
  judged.reduce(
    (area, { placement: [, , width, height], flaw }) =>
      flaw === undefined ? area + width * height : area,
    0,
  )

/** A judgement in words, as "0,0,12,7 earns 84". */
export function judgementText({ placement, flaw }: JudgedPlacement): string {
  const [, , width, height] = placement
  const earns = flaw === undefined ? `earns ${width * height}` : `earns nothing: ${flaw}`
  return `${placement.join(',')} ${earns}`
}

/** The side of a square of the box. */
const SQUARE = 10

/** The box with what was placed in it, each by its place in the list; what lies outside is cut. */
export function packPicture(judged: readonly JudgedPlacement[]): Picture {
  const [width, height] = [SQUARE * BOX_WIDTH, SQUARE * BOX_HEIGHT]
  const placed = judged.map((each, at): PictureShape => {
    return {
      kind: each.flaw === undefined ? 'first' : 'wrong',
      corners: rectangle(each.placement.map((side) => SQUARE * side)),
      text: String(at + 1),
      says: judgementText(each),
    }
  })
  const box: PictureShape = { kind: 'empty', corners: rectangle([0, 0, width, height]) }
  return { width, height, shapes: [box, ...placed] }
}
