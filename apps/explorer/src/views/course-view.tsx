import type { EpisodeCourse, GameMove, Turn } from '@affine/report'
import { turnText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visible } from '../visible.ts'
import { Drawing } from './picture-view.tsx'

interface CourseProps {
  readonly course: EpisodeCourse
}

/** An episode: how it ended, and its turns, through which one steps. */
export function CourseView({ course }: CourseProps): JSX.Element {
  const { turns, moves, ending } = course
  const steps: readonly (Partial<GameMove> & { readonly turn: Turn })[] =
    moves ?? turns.map((turn) => ({ turn }))
  const givenUp = turns[(ending?.givenUpAfter ?? 0) - 1]
  const isToShow = (turn: Turn): boolean => turn.mistake !== undefined || turn === givenUp
  const first = steps.findIndex(({ turn }) => turns.includes(turn) && isToShow(turn))
  const [at, setAt] = useState(Math.max(0, first))
  const step = steps[at]
  return (
    <div class="course">
      <Why course={course} />
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
            {step?.side && `, the ${step.side}: ${visible(step.turn.reply ?? NO_REPLY, 40)}`}
          </span>
        </p>
      )}
      {step && <TurnView turn={step.turn} index={at} />}
      {at === steps.length - 1 && <LastBoard course={course} />}
    </div>
  )
}

const NO_REPLY = 'no usable reply'

/** What it was rewarded with, and why. */
function Why({ course: { reward, ending } }: CourseProps): JSX.Element | null {
  if (ending === undefined) return null
  const { why, better } = ending
  return (
    <p>
      <b>Reward {reward}</b>: {visible(why)}
      {better !== undefined && <>; {visible(better)}</>}
    </p>
  )
}

function TurnView({ turn, index }: { readonly turn: Turn; readonly index: number }): JSX.Element {
  const { reply, prompt, picture } = turn
  const isBoard = picture?.shapes.some(({ action }) => action !== undefined)
  return (
    <>
      <Drawing {...turn} turn={turn} />
      <p>{visible(turnText(turn, index)) || (isBoard && KEY)}</p>
      <details>
        <summary>The prompt and the whole reply</summary>
        <pre class="message">{visible(prompt)}</pre>
        <pre class="message reply">{visible(reply ?? NO_REPLY, 8192)}</pre>
      </details>
    </>
  )
}

const KEY = 'Shaded: the reply. Green edge: the scripted player’s.'

/** What the last reply led to, if it was no forfeit. */
function LastBoard({ course: { turns, lastPicture, ending } }: CourseProps): JSX.Element | null {
  const last = turns.at(-1)
  if (ending === undefined || last?.reply === undefined || last.forfeit) return null
  return <Drawing picture={lastPicture} drawn={last.picture ? [] : ending.shown} />
}
