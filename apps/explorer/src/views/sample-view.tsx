import type { EpisodeCourse, Side } from '@affine/report'
import { faultText } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { absentText, type Page, progressOf, useAnswer } from '../page.ts'
import { visible } from '../visible.ts'
import type { Shown } from '../worker/answers.ts'
import type { SampleLine } from '../worker/sample-index.ts'
import { CourseView } from './course-view.tsx'
import { Hash, Key } from './parts.tsx'
import { Drawing } from './picture-view.tsx'
import { ProofView } from './proof-view.tsx'

/** A challenge as it was played: both miners side by side, then its proof. */
export function SampleView({ block, line, ...page }: Page & SampleLine): JSX.Element {
  const { state, ask } = page
  const by = [block, line, state.epochs.length, state.ms]
  const { value: shown, error } = useAnswer(() => ask('sample', { block, line }), by)
  if (shown === undefined)
    return (
      <>
        <h1>A challenge</h1>
        <p>{progressOf(state) === 'reading' ? 'Reading…' : error}</p>
      </>
    )
  const { sample, epoch, validator } = shown
  return (
    <>
      <p class="eyebrow">
        {sample.env} #{sample.index}, epoch {epoch}
      </p>
      <h1>{HOW[sample.verdict]}</h1>
      <p>
        Challenge{' '}
        <a href={linkTo.challenge(sample.challengeId)} class="mono">
          {sample.challengeId}
        </a>
        , asked by <Key state={state} hotkey={validator} /> in{' '}
        <a href={linkTo.duel(sample.duel)}>this duel</a>: line {line} of block <Hash of={block} />.
        You can <a href={linkTo.play(sample.env)}>play against the champion</a> yourself.
      </p>
      <div class="columns">
        <SideView page={page} shown={shown} side="champion" />
        <SideView page={page} shown={shown} side="contender" />
        <GameView {...shown} />
      </div>
      <ProofView {...page} line={{ block, line }} />
    </>
  )
}

const HOW = {
  win: 'The contender won this challenge',
  loss: 'The champion won this challenge',
  tie: 'A tie',
} as const

/** A game move by move, as its loser has it. */
function GameView({ champion, contender }: Shown): JSX.Element | null {
  if (champion?.moves === undefined || contender === undefined) return null
  const side = champion.reward < contender.reward ? 'champion' : 'contender'
  return (
    <section class="card wide">
      <h2>The game{champion.reward !== contender.reward && `, lost by the ${side}`}</h2>
      <CourseView course={{ champion, contender }[side]} />
    </section>
  )
}

interface SideProps {
  readonly page: Page
  readonly shown: Shown
  readonly side: Side
}

function SideView({ page: { state }, shown, side }: SideProps): JSX.Element {
  const { miner, reward, messages } = shown.sample[side]
  const course = shown[side]
  return (
    <section class="card">
      <h2>
        {side} <Key state={state} hotkey={miner} />
      </h2>
      {course && course.moves === undefined ? (
        <CourseView course={course} />
      ) : (
        <p>
          Reward {reward}
          {faultText(shown.sample[side])}
        </p>
      )}
      {!course &&
        messages.map(({ role, content }, i) => (
          <pre key={i} class={role === 'user' ? 'message' : 'message reply'}>
            {visible(content, 8192)}
          </pre>
        ))}
    </section>
  )
}

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
