import type { InterimResult } from '@affine/wilson'
import { computeQuota, type EnvConstants } from './env-constants.ts'
import { tabulate } from './own-keys.ts'
import type { Protocol } from './protocol.ts'
import type { Duel, State, Verdict } from './state.ts'

/** Returns the number of an epoch in a duel, from 1. */
export const computeEpochIndex = ({ start }: Pick<Duel, 'start'>, epoch: number): number =>
  epoch - start + 1

/**
 * Reports whether the contender has won enough environments. A duel that is won gets no further
 * verdicts, even if it continues. Protocol §8.7.
 */
export const isWon = ({ verdicts }: Pick<Duel, 'verdicts'>, protocol: Protocol): boolean =>
  findDuelWinner(verdicts, protocol) === 'contender'

/**
 * Returns the environments that a duel plays in an epoch, sorted by name: those without a verdict.
 * Once the duel is won, it plays every single-player environment instead. After `duelEpochs` epochs
 * it plays none. Protocol §8.2.
 */
export function listPlayedEnvs(
  duel: Duel,
  { epoch, protocol }: Pick<State, 'epoch' | 'protocol'>,
): readonly string[] {
  if (computeEpochIndex(duel, epoch) > protocol.duelEpochs) return []
  const isPlayed = isWon(duel, protocol)
    ? (env: string) => protocol.envs[env]?.players === 1
    : (env: string) => !Object.hasOwn(duel.verdicts, env)
  return Object.keys(protocol.envs).filter(isPlayed).sort()
}

export type Quotas = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * Returns the number of challenges that a lane plays in the epoch that a state governs, by
 * contender's hotkey, then by environment. Protocol §8.2.
 */
export function computeQuotas(state: Pick<State, 'epoch' | 'duels' | 'protocol'>): Quotas {
  const { epoch, duels, protocol } = state
  const quotas = duels.map((duel) => {
    const envs = tabulate(listPlayedEnvs(duel, state), (env) => {
      const constants = protocol.envs[env] as EnvConstants // it is played, so it is one of them
      return computeQuota(computeEpochIndex(duel, epoch), constants)
    })
    return [duel.contender.hotkey, envs] as const
  })
  return Object.fromEntries(quotas)
}

export type Winner = 'contender' | 'champion'

/**
 * Returns the number of environments that a contender has to win: ⌈(`counted` + `margin`)/2⌉, where
 * `counted` is the number of environments that are not undecided. `margin` is 1 or more. Protocol
 * §8.7.
 */
export const countNeededWins = (counted: number, margin: number): number =>
  Math.ceil((counted + margin) / 2)

/**
 * Returns the winner by each environment's verdict or last interim analysis: the contender if it
 * has won enough environments, the champion once the contender cannot win enough or all are
 * undecided. Undefined while the duel is open. `margin` is 1 or more. Protocol §8.7.
 */
export function findWinner(
  environments: Readonly<Record<string, Verdict | InterimResult>>,
  margin: number,
): Winner | undefined {
  const counted = Object.values(environments).filter((each) => each !== 'even')
  const wins = counted.filter((each) => each === 'win').length
  const open = counted.filter((each) => each === 'continue').length
  const needed = countNeededWins(counted.length, margin)
  if (wins + open < needed) return 'champion'
  if (wins >= needed) return 'contender'
  return undefined
}

/** Returns the winner as `findWinner` does. Environments without a verdict are open. */
export function findDuelWinner(
  verdicts: Duel['verdicts'],
  { envs, margin }: Pick<Protocol, 'envs' | 'margin'>,
): Winner | undefined {
  const open = tabulate(Object.keys(envs), () => 'continue' as const)
  return findWinner({ ...open, ...verdicts }, margin)
}
