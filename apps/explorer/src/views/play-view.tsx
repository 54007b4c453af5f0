import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { linkTo } from '../address.ts'
import { type Page, useAnswer } from '../page.ts'
import { absentText } from '../reading.ts'
import { MatchView } from './match-view.tsx'

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
