import type { EpisodeCourse } from '@affine/report'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { type Page, useAnswer } from '../page.ts'
import { visible } from '../visible.ts'
import type { Met } from '../worker/sample-index.ts'
import { Board, cellName, isBoard } from './board.tsx'
import { CourseView } from './course-view.tsx'

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
        A recorded challenge, made again from its id. Play it, then see what the champion of its
        duel replied.
      </p>
      <p class="controls">
        <label>
          Environment{' '}
          <select value={env} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            {envs.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>{' '}
        <button type="button" onClick={() => setRound(round + 1)}>
          Another challenge
        </button>
      </p>
      {challenge ? (
        <Match key={`${challenge.block}${challenge.line}`} {...page} met={challenge} />
      ) : (
        <p>{state.ms === undefined ? 'Reading…' : 'No challenge of this environment was read.'}</p>
      )}
    </>
  )
}

function Match({ state, ask, met }: Page & { readonly met: Met }): JSX.Element {
  const { env, challengeId, block, line } = met
  const [replies, setReplies] = useState<readonly string[]>([])
  const { value: mine } = useAnswer(
    () => ask('course', { env, challengeId, replies }),
    [challengeId, replies.length],
  )
  const { value: shown } = useAnswer(() => ask('sample', { block, line }), [block, line, state.ms])
  if (mine === undefined) return <p>One moment…</p>
  const theirs = shown?.champion
  // What is clicked while an answer is on its way was meant for the turn before.
  const reply = (text: string): void => {
    if (mine.turns.length > replies.length) setReplies([...replies, text])
  }
  return (
    <div class="columns">
      <section class="card">
        <h2>You</h2>
        <Yours course={mine} reply={reply} />
      </section>
      <section class="card">
        <h2>The champion</h2>
        {!mine.isOver && <p>You will see it when you have finished.</p>}
        {mine.isOver && theirs && (
          <>
            <p class="lead">{wordsOf(mine.reward, theirs.reward)}</p>
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

function wordsOf(mine: number, theirs: number): string {
  if (mine > theirs) return 'You beat the champion here.'
  return mine === theirs ? 'You did as well as the champion.' : 'The champion did better.'
}

interface YoursProps {
  readonly course: EpisodeCourse
  readonly reply: (text: string) => void
}

function Yours({ course, reply }: YoursProps): JSX.Element {
  const turn = course.turns.at(-1)
  if (course.isOver || turn === undefined) return <CourseView course={course} />
  const { observation, prompt } = turn
  if (isBoard(course.env) && Array.isArray(observation))
    return (
      <>
        <p>{prompt.split('\n')[0]}</p>
        <Board cells={observation} onTake={(cell) => reply(cellName(cell))} />
      </>
    )
  return <Written prompt={prompt} reply={reply} />
}

function Written({ prompt, reply }: Pick<YoursProps, 'reply'> & { readonly prompt: string }) {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        reply(text)
      }}
    >
      <pre class="message">{visible(prompt)}</pre>
      <label>
        Your reply{' '}
        <input
          value={text}
          autocomplete="off"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>{' '}
      <button type="submit">Reply</button>
    </form>
  )
}
