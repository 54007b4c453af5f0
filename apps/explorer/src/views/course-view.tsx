import type { PictureShape } from '@affine/envs'
import type { EpisodeCourse, Side, Turn } from '@affine/report'
import { formatMistake } from '@affine/report/sentences'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { type Page, useAnswer } from '../page.ts'
import { showHidden } from '../visible.ts'
import type { LostLine } from '../worker/epoch-accounts.ts'

/**
 * Returns the turn after which the scripted player would resign; otherwise the forfeit, the first
 * mistake, or the last turn. Undefined without turns.
 */
function findDecidingTurn({ turns, ending }: EpisodeCourse): Turn | undefined {
  const last = turns.at(-1)
  if (ending.givenUpAfter !== undefined) return turns[ending.givenUpAfter - 1] ?? last
  if (last?.forfeit !== undefined) return last
  return turns.find(({ mistake }) => mistake !== undefined) ?? last
}

/**
 * Shows an episode at its deciding move, with the reason, and buttons to step through the moves.
 */
export function CourseView({ course }: { readonly course: EpisodeCourse }) {
  const { ending, lastPicture } = course
  const moves = course.moves ?? course.turns.map((turn) => ({ turn, side: undefined }))
  const deciding = moves.findIndex(({ turn }) => turn === findDecidingTurn(course))
  const [at, setAt] = useState(Math.max(0, deciding))
  const step = moves[at]
  const last = moves.length - (lastPicture ? 0 : 1)
  return (
    <div class="course">
      <Drawing {...(step?.turn ?? { picture: lastPicture })} />
      <div>
        <p>
          <b>{showHidden(ending.why)}</b>
          {ending.better !== undefined && <>; {showHidden(ending.better)}</>}
        </p>
        {last > 0 && (
          <p class="stepper">
            <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
              ← previous
            </button>
            <button type="button" disabled={at === last} onClick={() => setAt(at + 1)}>
              next →
            </button>
            <span>
              {step ? `turn ${at + 1} of ${moves.length}` : 'the last position'}
              {step?.side && `, the ${step.side}: ${showHidden(step.turn.reply ?? NO_REPLY, 40)}`}
            </span>
          </p>
        )}
        {step && <TurnText {...step} index={at} explained={ending.better} />}
      </div>
    </div>
  )
}

const NO_REPLY = 'no usable reply'

interface TurnProps {
  readonly turn: Turn
  readonly index: number
  /** Text about a mistake that is already shown, and not to be repeated. */
  readonly explained: string | undefined
}

function TurnText({ turn, index, explained }: TurnProps) {
  const { reply, prompt, picture } = turn
  const text = formatMistake(turn, index)
  const shapes = picture?.shapes ?? []
  const wrong = shapes.filter(({ kind }) => kind === 'wrong')
  return (
    <>
      {text !== '' && text !== explained && <p>{showHidden(text)}</p>}
      {shapes.some(({ action }) => action !== undefined) && <p class="caption">{KEY}</p>}
      {wrong.length > 0 && <p class="caption">Red: wrong.</p>}
      <details>
        <summary>The prompt and the whole reply</summary>
        <pre class="message">{showHidden(prompt)}</pre>
        <pre class="message reply">{showHidden(reply ?? NO_REPLY, 8192)}</pre>
        {wrong.map(({ says }) => says && <p class="bad">{showHidden(says)}</p>)}
      </details>
    </>
  )
}

const KEY =
  'Bold edge: the reply, red if it was wrong. Green edge: a best reply or, in hex, the reply of ' +
  'the scripted player, a good program.'

interface ThumbnailProps extends Page {
  readonly loss: LostLine
  readonly side: Side
}

/** Shows the deciding move of a lost challenge as a small picture, with the reason. */
export function Thumbnail({ loss, side, ask }: ThumbnailProps) {
  const { block, line, env, index } = loss
  const { value, error } = useAnswer(ask, ['sample', { block, line }], [])
  const course = value?.pairs[0]?.courses[side]
  const turn = course && findDecidingTurn(course)
  return (
    <li>
      <a href={linkTo.sample(loss)} title={`${env} #${index}`}>
        <b>{env.replace(/@.*/, '')}</b>
        <div aria-hidden="true">{turn && <Drawing {...turn} />}</div>
        <span>{showHidden(course?.ending.why ?? error ?? '…', 70)}</span>
      </a>
    </li>
  )
}

/** An observation, optionally with the reply and the best actions. */
type DrawingProps = Pick<Turn, 'picture'> & Partial<Turn>

/** Maximum pixels per unit. */
const SCALE = 1.6

/** Shows an observation as a picture, if it has one. */
function Drawing({ picture, ...turn }: DrawingProps) {
  if (picture === undefined) return null
  const { width, height, shapes } = picture
  const labels = shapes.flatMap(({ says }) => says ?? [])
  // Marked shapes are drawn last, so that no other shape covers their edges.
  const drawn = shapes
    .map((shape) => ({ ...shape, name: chooseClass(shape, turn) }))
    .sort((a, b) => Number(a.name !== a.kind) - Number(b.name !== b.kind))
  return (
    <svg
      class="picture"
      viewBox={`-1 -1 ${width + 2} ${height + 2}`}
      width={width * SCALE}
      role="img"
      aria-label={showHidden(labels.join(', ') || 'empty')}
    >
      {drawn.map((shape, i) => (
        <Shape key={i} {...shape} />
      ))}
    </svg>
  )
}

function Shape({ corners, text, says, name }: PictureShape & { readonly name: string }) {
  const middleOf = (axis: 0 | 1): number => {
    const along = corners.filter((_, i) => i % 2 === axis)
    return (Math.min(...along) + Math.max(...along)) / 2
  }
  return (
    <g class={name}>
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
