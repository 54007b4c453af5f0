import type { Look } from '@affine/wilson'
import { tabulate } from './own-keys.ts'
import type { Protocol } from './protocol.ts'
import type { Duel, Verdict } from './state.ts'

/** Who is better, as far as the throne is concerned. */
export type Winner = 'contender' | 'champion'

/**
 * How many wins a contender needs where `counted` environments are not even: ⌈(N + margin)/2⌉.
 * `margin` is 1 or more. Protocol §8.7.
 */
export const neededWins = (counted: number, margin: number): number =>
  Math.ceil((counted + margin) / 2)

/**
 * Who has won, by each environment's verdict or last look: the contender with the wins that it
 * needs, the champion as soon as those are out of reach, as they are when none is counted.
 * Undefined while it is open. `margin` is 1 or more. Protocol §8.7.
 */
export function winnerOf(
  environments: Readonly<Record<string, Verdict | Look>>,
  margin: number,
): Winner | undefined {
  const counted = Object.values(environments).filter((each) => each !== 'even')
  const wins = counted.filter((each) => each === 'win').length
  const open = counted.filter((each) => each === 'continue').length
  const needed = neededWins(counted.length, margin)
  if (wins + open < needed) return 'champion'
  if (wins >= needed) return 'contender'
  return undefined
}

/** Who has won by a duel's verdicts, as `winnerOf`: environments without one are open. */
export function winnerBy(
  verdicts: Duel['verdicts'],
  { envs, margin }: Pick<Protocol, 'envs' | 'margin'>,
): Winner | undefined {
  const open = tabulate(Object.keys(envs), () => 'continue' as const)
  return winnerOf({ ...open, ...verdicts }, margin)
}
