import type { EpisodeCourse, GameMove, Turn } from '@affine/report'
import { turnText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visible } from '../visible.ts'
import { Drawing } from './drawing.tsx'

/** An episode that one steps through: what was seen, what was replied, and how it ended. */
export function CourseView({ course }: { readonly course: EpisodeCourse }): JSX.Element {
  const { turns, moves, ending } = course
  const steps: readonly (Partial<GameMove> & { readonly turn: Turn })[] =
    moves ?? turns.map((turn) => ({ turn }))
  const givenUp = turns[(ending?.givenUpAfter ?? 0) - 1]
  const isToShow = (turn: Turn): boolean => turn.mistake !== undefined || turn === givenUp
  const first = steps.findIndex(({ turn }) => turns.includes(turn) && isToShow(turn))
  const [at, setAt] = useState(Math.max(0, first))
  const step = steps[at]
  if (step === undefined) return <p>There is nothing to see.</p>
  const { side, turn } = step
  return (
    <div class="course">
      {steps.length > 1 && (
        <p class="stepper">
          <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
            ← before
          </button>
          <span>
            turn {at + 1} of {steps.length}
            {side !== undefined && `, the ${side}: ${visible(turn.reply ?? 'no usable reply', 40)}`}
          </span>
          <button type="button" disabled={at === steps.length - 1} onClick={() => setAt(at + 1)}>
            next →
          </button>
        </p>
      )}
      <TurnView turn={turn} index={at} />
      {at === steps.length - 1 && <CourseEnding course={course} />}
    </div>
  )
}

interface TurnProps {
  readonly turn: Turn
  readonly index: number
}

function TurnView({ turn, index }: TurnProps): JSX.Element {
  const { reply, prompt } = turn
  return (
    <>
      <Drawing {...turn} turn={turn} />
      <p class="said">{visible(turnText(turn, index))}</p>
      <details>
        <summary>The prompt and the whole reply</summary>
        <pre class="message">{visible(prompt)}</pre>
        <pre class="message reply">{visible(reply ?? '(no usable reply)', 8192)}</pre>
      </details>
    </>
  )
}

/** How it ended. */
function CourseEnding({ course }: { readonly course: EpisodeCourse }): JSX.Element | null {
  const { turns, lastPicture, reward, ending } = course
  if (ending === undefined) return null
  const { why, shown, better } = ending
  const isPictured = turns.some(({ picture }) => picture !== undefined)
  return (
    <>
      <Drawing picture={lastPicture} drawn={isPictured ? [] : shown} />
      <p>
        <b>Reward {reward}</b>: {visible(why)}
        {better !== undefined && <>; {visible(better)}</>}
      </p>
    </>
  )
}
