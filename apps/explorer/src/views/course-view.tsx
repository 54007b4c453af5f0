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

/** The turn that decided an episode: where it was given up, or forfeited, or went wrong first. */
function findDecidingTurn({ turns, ending }: EpisodeCourse): Turn | undefined {
  const last = turns.at(-1)
  if (ending.givenUpAfter !== undefined) return turns[ending.givenUpAfter - 1] ?? last
  if (last?.reply === undefined || last.forfeit !== undefined) return last
  return turns.find(({ mistake }) => mistake !== undefined) ?? last
}

/** An episode at the move that decided it, the reason beside it; one can step through the rest. */
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
              ← before
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
  /** What was said already. */
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

const KEY = 'Shaded, or red: the reply. Green edge: that of the scripted player, a good program.'

/** What the last reply led to, if it was no forfeit. */
function LastBoard({ course: { turns, lastPicture, ending } }: CourseProps): JSX.Element | null {
  const last = turns.at(-1)
  if (last?.reply === undefined || last.forfeit) return null
  return (
    <figure>
      <figcaption>In the end</figcaption>
      <Drawing picture={lastPicture} drawn={last.picture ? [] : ending.shown} />
    </figure>
  )
}

interface ThumbnailProps extends Page {
  readonly loss: LostLine
  /** The side that lost it. */
  readonly side: Side
}

/** A lost challenge, small: the board at the move that decided it, and why it was lost. */
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
