import { percent } from '@affine/report/sentences'
import type { JSX } from 'preact'
import { linkTo } from '../address.ts'
import { type AppState, type DuelAccount, duelsIn, lastLooks, reignsIn } from '../app-state.ts'
import type { StateProps } from '../page.ts'
import { BigNumber } from './numbers.tsx'

/** How sure it is that the champion is the better one: by the duel that it won. */
export function SureNumber({ state }: StateProps): JSX.Element {
  const { epochs } = state
  const name = 'How sure'
  if (epochs.length === 0) return <BigNumber name={name} value="…" />
  const reign = reignsIn(state).at(-1)
  if (reign?.hotkey === undefined)
    return (
      <BigNumber name={name} value="–">
        the throne is empty
      </BigNumber>
    )
  const won = duelsIn(state).find(({ end }) => end?.epoch === reign.from - 1)
  const least = won && leastOf(won)
  if (won === undefined || least === undefined)
    return (
      <BigNumber name={name} value="unknown">
        {unknownText(state, reign.from)}
      </BigNumber>
    )
  return (
    <BigNumber name={name} value={leastText(least, won.duel.ratio)}>
      of the challenges that only one of the two solves are its own, in each environment that it won
      and luck allowed for. {percent(won.duel.ratio)} were needed in{' '}
      <a href={linkTo.duel(won.duel.id)}>its duel</a>
    </BigNumber>
  )
}

/** Rounded down; where the score alone decided, it is known to be above the ratio. */
const leastText = (least: number, ratio: number): string =>
  least < ratio ? `more than ${percent(ratio)}` : `${percent(least, Math.floor)} or more`

const unknownText = ({ epochs }: AppState, from: number): string =>
  epochs[0]?.epoch === from
    ? 'it was the champion before'
    : 'it took the throne without winning a duel'

/** The least share that it is sure to win, of the environments that it won. */
function leastOf(account: DuelAccount): number | undefined {
  const { end, verdicts } = account.duel
  if (end?.winner !== 'contender') return undefined
  const shares = lastLooks(account).flatMap(({ env, win }) =>
    verdicts[env] === 'win' && win.bounds ? [win.bounds.lower] : [],
  )
  return shares.length === 0 ? undefined : Math.min(...shares)
}
