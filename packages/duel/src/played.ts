import type { Look } from '@affine/wilson'
import { type EnvConstants, quotaOf } from './env-constants.ts'
import { tabulate } from './own-keys.ts'
import type { Protocol } from './protocol.ts'
import type { Duel, State, Verdict } from './state.ts'

/** The number of an epoch in a duel, from 1. */
export const epochIndexOf = ({ start }: Pick<Duel, 'start'>, epoch: number): number =>
  epoch - start + 1

/** Has the contender what it takes for the throne? Then it plays on, unjudged. Protocol §8.7. */
export const isWon = ({ verdicts }: Pick<Duel, 'verdicts'>, protocol: Protocol): boolean =>
  winnerBy(verdicts, protocol) === 'contender'

/**
 * The environments that a duel plays in an epoch, ascending: while it is open those without a
 * verdict, and once it is won those of one player. Protocol §8.2.
 */
export function listPlayedEnvs(
  duel: Duel,
  { epoch, protocol }: Pick<State, 'epoch' | 'protocol'>,
): readonly string[] {
  if (epochIndexOf(duel, epoch) > protocol.duelEpochs) return []
  const isPlayed = isWon(duel, protocol)
    ? (env: string) => protocol.envs[env]?.players === 1
    : (env: string) => !Object.hasOwn(duel.verdicts, env)
  return Object.keys(protocol.envs).filter(isPlayed).sort()
}

/** How many challenges: by contender's hotkey, then by environment. */
export type Quotas = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * What a lane plays in the epoch that a state governs, in each duel. Protocol §8.2.
 */
export function quotasOf(state: Pick<State, 'epoch' | 'duels' | 'protocol'>): Quotas {
  const { epoch, duels, protocol } = state
  const quotas = duels.map((duel) => {
    const envs = listPlayedEnvs(duel, state).map((env) => {
      const constants = protocol.envs[env] as EnvConstants // it is played, so it is one of them
      return [env, quotaOf(epochIndexOf(duel, epoch), constants)] as const
    })
    return [duel.contender.hotkey, Object.fromEntries(envs)] as const
  })
  return Object.fromEntries(quotas)
}

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
