import { BOX_HEIGHT, BOX_WIDTH } from './pack-cutting.ts'
import { type JudgedPlacement, judgementText } from './pack-reward.ts'
import { type Picture, type PictureShape, rectangle } from './picture.ts'

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
