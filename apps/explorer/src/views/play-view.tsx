import type { Picture } from '@affine/envs'
import type { EpisodeCourse, Turn } from '@affine/report'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { absentText, type Page, useAnswer } from '../page.ts'
import { visible } from '../visible.ts'
import type { Met } from '../worker/sample-index.ts'
import { CourseView } from './course-view.tsx'
import { PictureView } from './picture-view.tsx'

interface PlayProps extends Page {
  /** The environment that a link names. */
  readonly start: string | undefined
}

/** Any environment, against the very challenges that the champion had: yours beside its. */
export function PlayView({ start, ...page }: PlayProps): JSX.Element {
  const { state, ask } = page
  const [chosen, setEnv] = useState(start)
  const envs = state.beginning?.envs ?? []
  const env = chosen ?? envs.at(-1) ?? ''
  const choose = (name: string): void => {
    setEnv(name)
    history.replaceState(null, '', linkTo.play(name))
  }
  const [round, setRound] = useState(0)
  const { value: met } = useAnswer(() => ask('recent', env), [env, state.epochs.length])
  const challenge = met?.[round % Math.max(1, met.length)]
  return (
    <>
      <h1>Beat the champion</h1>
      <p>
        A recorded challenge, made again from its id. Play it, then see what the champion replied.
      </p>
      <p class="stepper">
        <label>
          Environment{' '}
          <select value={env} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {envs.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => setRound(round + 1)}>
          Another challenge
        </button>
      </p>
      {challenge ? (
        <MatchView key={`${challenge.block}${challenge.line}`} {...page} met={challenge} />
      ) : (
        <p>{absentText(state, 'No challenge of this environment was read.')}</p>
      )}
    </>
  )
}

/** One challenge: what the reader replies, and then what the champion replied. */
function MatchView({ state, ask, met }: Page & { readonly met: Met }): JSX.Element {
  const { env, challengeId, block, line } = met
  const [replies, setReplies] = useState<readonly string[]>([])
  const { value: mine } = useAnswer(
    () => ask('course', { env, challengeId, replies }),
    [challengeId, replies.length],
  )
  const { value: shown } = useAnswer(() => ask('sample', { block, line }), [block, line, state.ms])
  if (mine === undefined) return <p>One moment…</p>
  const theirs = shown?.pairs[0]?.courses.champion
  const tryReply = (text: string) =>
    ask('course', { env, challengeId, replies: [...replies, text] })
  // What is clicked while an answer is on its way was meant for the turn before.
  const reply = (text: string): void => {
    if (mine.turns.length > replies.length) setReplies([...replies, text])
  }
  return (
    <div class="columns">
      <section class="card">
        <h2>You</h2>
        {mine.players === 2 && <p>You play against the scripted player.</p>}
        <Yours course={mine} reply={reply} tryReply={tryReply} />
      </section>
      <section class="card">
        <h2>The champion</h2>
        {!mine.isOver && <p>You will see it when you have finished.</p>}
        {mine.isOver && theirs && (
          <>
            <p class="lead">{wordsOf(mine, theirs)}</p>
            <CourseView course={theirs} />
          </>
        )}
        <p>
          Challenge <a href={linkTo.sample(met)}>{challengeId}</a>
        </p>
      </section>
    </div>
  )
}

function wordsOf({ players, reward: mine }: EpisodeCourse, { reward: theirs }: EpisodeCourse) {
  if (players === 2)
    return `You ${beat(mine)} the scripted player; the champion ${beat(theirs)} the contender.`
  if (mine > theirs) return 'You beat the champion here.'
  return mine === theirs ? 'You did as well as the champion.' : 'The champion did better.'
}

const beat = (reward: number): string => (reward > 0 ? 'beat' : 'lost to')

interface YoursProps {
  readonly course: EpisodeCourse
  readonly reply: (text: string) => void
  /** What it would be after a reply. */
  readonly tryReply: (text: string) => Promise<EpisodeCourse | undefined>
}

function Yours({ course, reply, tryReply }: YoursProps): JSX.Element {
  const { turns, isOver } = course
  const [text, setText] = useState('')
  /** What comes of the text, or of it without its last word, which may be half written. */
  const draw = async () => {
    for (const each of [text, text.slice(0, Math.max(0, text.lastIndexOf(' ')))]) {
      const picture = each && (await tryReply(each))?.turns[turns.length - 1]?.picture
      if (picture) return picture
    }
    return undefined
  }
  const { value: drawn } = useAnswer(draw, [text, turns.length])
  const turn = turns.at(-1)
  if (isOver || turn === undefined) return <CourseView course={course} />
  const picture = drawn ?? turn.picture
  const send = (line: string): void => {
    setText('')
    reply(line)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send(text)
      }}
    >
      {picture && <PictureView picture={markAnswer(picture, turns.at(-2))} onTake={send} />}
      {turn.picture && (
        <p>Click an empty cell, or type its name. Green edge: your opponent’s last move.</p>
      )}
      <p class="stepper">
        <label>
          Your reply{' '}
          <input
            value={text}
            autocomplete="off"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit">Reply</button>
      </p>
      <pre class="message">{visible(turn.prompt)}</pre>
    </form>
  )
}

/** The picture with what the opponent took after a turn marked. */
const markAnswer = ({ shapes, ...picture }: Picture, before: Turn | undefined): Picture => ({
  ...picture,
  shapes: shapes.map((shape, i) => {
    const wasEmpty = before?.picture?.shapes[i]?.reply !== undefined
    const isTaken = wasEmpty && shape.reply === undefined && shape.action !== before.action
    return isTaken ? { ...shape, isMarked: true } : shape
  }),
})
