import type { EpisodeCourse } from '@affine/report'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type Page, useAnswer } from '../page.ts'
import { absentText } from '../reading.ts'
import { visible } from '../visible.ts'
import { Drawing } from './drawing.tsx'
import { Key } from './key.tsx'

/** A challenge that is drawn anew from its id, in each environment, and where it was played. */
export function ChallengeView({ state, ask, id }: Page & { readonly id: string }): JSX.Element {
  const { value: courses } = useAnswer(() => ask('courses', id), [id])
  const { value: lines = [] } = useAnswer(() => ask('linesOf', id), [id, state.epochs.length])
  return (
    <>
      <p class="eyebrow">Challenge</p>
      <h1 class="mono">{id}</h1>
      {lines.length === 0 && (
        <p class="lead">{absentText(state, 'No epoch that was read has this challenge.')}</p>
      )}
      {lines.map((line) => (
        <p class="lead" key={line.validator}>
          Asked by <Key state={state} hotkey={line.validator} />:{' '}
          <a href={linkTo.sample(line)}>See how it was played, and the proof</a>
        </p>
      ))}
      <p>An id does not name its environment. This is the challenge that it gives in each one.</p>
      {courses?.length === 0 && <p class="bad">This is no challenge id: base58 of 32 bytes.</p>}
      <div class="columns">
        {courses?.map((course) => (
          <Drawn key={course.env} course={course} />
        ))}
      </div>
    </>
  )
}

function Drawn({ course: { env, turns } }: { readonly course: EpisodeCourse }): JSX.Element {
  const turn = turns[0]
  return (
    <section class="card">
      <h2>{env}</h2>
      {turn && <Drawing {...turn} />}
      <pre class="message">{visible(turn?.prompt ?? '')}</pre>
    </section>
  )
}
