import type { EpisodeCourse, Turn } from '@affine/report'
import { turnText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visible } from '../visible.ts'
import { Drawing } from './drawing.tsx'

/** An episode that one steps through: what was seen, what was replied, and how it ended. */
export function CourseView({ course }: { readonly course: EpisodeCourse }): JSX.Element {
  const { turns, ending } = course
  const mistake = turns.findIndex((turn) => turn.mistake !== undefined)
  const [at, setAt] = useState(Math.max(0, mistake, (ending?.givenUpAfter ?? 0) - 1))
  const turn = turns[at]
  if (turn === undefined) return <p>There is nothing to see.</p>
  return (
    <div class="course">
      {turns.length > 1 && (
        <p class="stepper">
          <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>
            ← before
          </button>
          <span>
            turn {at + 1} of {turns.length}
          </span>
          <button type="button" disabled={at === turns.length - 1} onClick={() => setAt(at + 1)}>
            next →
          </button>
        </p>
      )}
      <TurnView turn={turn} index={at} />
      {at === turns.length - 1 && <CourseEnding course={course} />}
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
