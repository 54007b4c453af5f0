import type { Picture, PictureShape } from '@affine/envs'
import type { Turn } from '@affine/report'
import type { JSX } from 'preact'
import { showHidden } from '../visible.ts'

/** An observation, optionally with the reply and the best actions. */
type DrawingProps = Pick<Turn, 'picture'> & Partial<Turn>

/** Maximum pixels per unit of a picture. */
const SCALE = 1.6

/** Shows an observation as a picture, if it has one. */
export function Drawing({ picture, ...turn }: DrawingProps): JSX.Element | null {
  if (picture === undefined) return null
  const { width, height, shapes } = picture
  const labels = shapes.flatMap(({ says }) => says ?? [])
  return (
    <svg
      class="picture"
      viewBox={`-1 -1 ${width + 2} ${height + 2}`}
      width={width * SCALE}
      role="img"
      aria-label={showHidden(labels.join(', ') || 'empty')}
    >
      {sortMarkedLast(shapes, turn).map((shape, i) => (
        <Shape key={i} shape={shape} turn={turn} />
      ))}
    </svg>
  )
}

/** Sorts marked shapes last, so that no other shape covers their edges. */
const sortMarkedLast = (shapes: Picture['shapes'], turn: Partial<Turn>): Picture['shapes'] => {
  const isPlain = (shape: PictureShape): boolean => chooseClass(shape, turn) === shape.kind
  return [...shapes].sort((a, b) => Number(isPlain(b)) - Number(isPlain(a)))
}

function Shape(props: { readonly shape: PictureShape; readonly turn: Partial<Turn> }): JSX.Element {
  const { corners, text, says } = props.shape
  const middleOf = (axis: 0 | 1): number => {
    const along = corners.filter((_, i) => i % 2 === axis)
    return (Math.min(...along) + Math.max(...along)) / 2
  }
  return (
    <g class={chooseClass(props.shape, props.turn)}>
      <polygon points={corners.join(' ')} />
      {says && <title>{showHidden(says)}</title>}
      {text && (
        <text x={middleOf(0)} y={middleOf(1)}>
          {showHidden(text)}
        </text>
      )}
    </g>
  )
}

function chooseClass({ kind, action, isMarked }: PictureShape, turn: Partial<Turn>): string {
  const classes: string[] = [kind]
  if (isMarked === true) classes.push('marked')
  if (action !== undefined && turn.best?.includes(action)) classes.push('best')
  if (action !== undefined && turn.action === action)
    classes.push((turn.forfeit ?? turn.mistake) === undefined ? 'taken' : 'mistake')
  return classes.join(' ')
}
