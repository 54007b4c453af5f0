import type { EpisodeCourse, Side, Turn } from '@affine/report'
import { formatMistake } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { type Page, useAnswer } from '../page.ts'
import { showHidden } from '../visible.ts'
import type { LostLine } from '../worker/epoch-accounts.ts'
import { Drawing } from './picture-view.tsx'

interface CourseProps {
  readonly course: EpisodeCourse
}

/**
 * Returns the deciding turn of an episode: where the scripted player would resign, the forfeit, or
 * the first mistake.
 */
function findDecidingTurn({ turns, ending }: EpisodeCourse): Turn | undefined {
  const last = turns.at(-1)
  if (ending.givenUpAfter !== undefined) return turns[ending.givenUpAfter - 1] ?? last
  if (last?.reply === undefined || last.forfeit !== undefined) return last
  return turns.find(({ mistake }) => mistake !== undefined) ?? last
}

/** Shows an episode at its deciding move, with the reason and buttons to step through. */
export function CourseView({ course }: CourseProps): JSX.Element {
  const steps = course.moves ?? course.turns.map((turn) => ({ turn, side: undefined }))
  const deciding = findDecidingTurn(course)
  const [at, setAt] = useState(
    Math.max(
      0,
      steps.findIndex(({ turn }) => turn === deciding),
    ),
  )
  const step = steps[at]
  const { reward, ending } = course
  return (
    <div class="course">
      {step && <Drawing {...step.turn} />}
      <div>
        <p>
          <b>Reward {reward}</b>: {showHidden(ending.why)}
          {ending.better !== undefined && <>; {showHidden(ending.better)}</>}
        </p>
        {steps.length > 1 && (
          <p class="stepper">
            <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
              ← previous
            </button>
            <button type="button" disabled={at === steps.length - 1} onClick={() => setAt(at + 1)}>
              next →
            </button>
            <span>
              turn {at + 1} of {steps.length}
              {step?.side && `, the ${step.side}: ${showHidden(step.turn.reply ?? NO_REPLY, 40)}`}
            </span>
          </p>
        )}
        {step && <TurnText {...step} index={at} explained={ending.better} />}
      </div>
      {at === steps.length - 1 && <LastBoard course={course} />}
    </div>
  )
}

const NO_REPLY = 'no usable reply'

interface TurnProps {
  readonly turn: Turn
  readonly index: number
  /** The mistake that is already shown. */
  readonly explained: string | undefined
}

function TurnText({ turn, index, explained }: TurnProps): JSX.Element {
  const { reply, prompt, picture } = turn
  const text = formatMistake(turn, index)
  const isBoard = picture?.shapes.some(({ action }) => action !== undefined)
  return (
    <>
      {text !== '' && text !== explained && <p>{showHidden(text)}</p>}
      {isBoard && <p class="caption">{KEY}</p>}
      <details>
        <summary>The prompt and the whole reply</summary>
        <pre class="message">{showHidden(prompt)}</pre>
        <pre class="message reply">{showHidden(reply ?? NO_REPLY, 8192)}</pre>
      </details>
    </>
  )
}

const KEY =
  'Shaded or red: the reply. Green edge: the reply of the scripted player, a good program.'

/** Shows the position after the last reply, unless the reply was a forfeit. */
function LastBoard({ course: { turns, lastPicture, ending } }: CourseProps): JSX.Element | null {
  const last = turns.at(-1)
  if (last?.reply === undefined || last.forfeit) return null
  return (
    <figure>
      <figcaption>The last position</figcaption>
      <Drawing picture={lastPicture} drawn={last.picture ? [] : ending.shown} />
    </figure>
  )
}

interface ThumbnailProps extends Page {
  readonly loss: LostLine
  /** Side that lost the challenge. */
  readonly side: Side
}

/** Shows a lost challenge as a small picture of the deciding move, with the reason. */
export function Thumbnail({ loss, side, ask }: ThumbnailProps): JSX.Element {
  const { block, line, env, index } = loss
  const { value, error } = useAnswer(ask, ['sample', { block, line }], [])
  const course = value?.pairs[0]?.courses[side]
  const turn = course && findDecidingTurn(course)
  return (
    <li>
      <a href={linkTo.sample(loss)} title={`${env} #${index}`}>
        {turn?.picture ? <Drawing {...turn} /> : <b>{env.replace(/@.*/, '')}</b>}
        <span>{showHidden(course?.ending.why ?? error ?? '…', 70)}</span>
      </a>
    </li>
  )
}
