import type { Side } from '@affine/report'
import { formatFault } from '@affine/report/sentences'
import { type Page, readingState, type StateProps, useAnswer } from '../page.ts'
import { showHidden } from '../visible.ts'
import type { ShownPair } from '../worker/answers.ts'
import type { SampleLine } from '../worker/epoch-accounts.ts'
import { CourseView } from './course-view.tsx'
import { Heading, Key } from './parts.tsx'
import { ProofView } from './proof-view.tsx'
import { Terms } from './terms.tsx'

/** Shows a challenge as the champion and its contenders played it, then its proof. */
export function ChallengeView({ block, line, ...page }: Page & SampleLine) {
  const { state, ask } = page
  const by = [state.epochs.length, state.ms]
  const { value: shown, error } = useAnswer(ask, ['sample', { block, line }], by)
  if (shown === undefined)
    return (
      <>
        <Heading>A challenge</Heading>
        <p>{readingState(state) === 'reading' ? 'Reading…' : error}</p>
      </>
    )
  const { sample, epoch, validator, url, pairs } = shown
  const name = `proof-${sample.env}-${sample.index}-epoch-${epoch}.json`
  const [pair] = pairs
  return (
    <>
      <Heading kind={`${sample.env} #${sample.index}, epoch ${epoch}`}>
        {describeWinner(pairs)}
      </Heading>
      <p>
        <Terms>Challenge</Terms> <span class="mono">{sample.challengeId}</span>, sent by{' '}
        <Key state={state} hotkey={validator} />: line {line} of <Terms>block</Terms>{' '}
        <a {...(url !== undefined && { href: url })}>
          <code>{block.slice(0, 12)}…</code>
        </a>
        .
      </p>
      <div class="grid columns">
        {pair && <EpisodeView state={state} pair={pair} side="champion" />}
        {pairs.map((each) => (
          <EpisodeView key={each.contender.miner} state={state} pair={each} side="contender" />
        ))}
        {pair && <GameView {...pair} />}
      </div>
      <ProofView {...page} line={{ block, line }} name={name} />
    </>
  )
}

/** Names the winner, or a tie, if only one contender is shown. */
function describeWinner([pair, ...others]: readonly ShownPair[]): string {
  if (pair === undefined || others.length > 0) return 'A challenge'
  const { champion, contender } = pair
  if (champion.reward === contender.reward) return 'A tie'
  const winner = contender.reward > champion.reward ? 'contender' : 'champion'
  return `The ${winner} won this challenge`
}

/** Shows a game move by move, from the loser's side; in a tie, from the contender's. */
function GameView({ courses: { champion, contender } }: ShownPair) {
  if (champion?.moves === undefined || contender === undefined) return null
  const side = champion.reward < contender.reward ? 'champion' : 'contender'
  return (
    <section class="card wide">
      <h2>The game{champion.reward !== contender.reward && `, lost by the ${side}`}</h2>
      <CourseView course={{ champion, contender }[side]} />
    </section>
  )
}

interface EpisodeProps extends StateProps {
  readonly pair: ShownPair
  readonly side: Side
}

function EpisodeView({ state, pair, side }: EpisodeProps) {
  const { miner, reward } = pair[side]
  const course = pair.courses[side]
  const role = course?.turns[0]?.role
  const isGame = course?.moves !== undefined
  return (
    <section class="card">
      <h2>
        {side} <Key state={state} hotkey={miner} />
      </h2>
      {role && <p class="caption">plays {showHidden(role)}</p>}
      {course && !isGame && <CourseView course={course} />}
      {isGame && <p>{showHidden(course.ending.why)}</p>}
      {course === undefined && (
        <p>
          reward {reward}
          {formatFault(pair[side])}
        </p>
      )}
    </section>
  )
}
