import type { Look } from '@affine/wilson'
import { compare } from './ascending.ts'
import { type Evidence, judgeEnvironment } from './environment-judgement.ts'
import { own, tabulate } from './own-keys.ts'
import { type LaneRule, loneRuleOf, type Protocol, ruleOf } from './protocol.ts'
import { type Duel, openEnvs, type Verdict, type Weights } from './state.ts'
import { sumTallies, type Tallies } from './tally.ts'

/**
 * What accepted lanes saw over the duel, and the verdict that the environment got in this epoch.
 */
export interface EnvReport extends Evidence {
  readonly tallies: Tallies
  readonly given: Verdict | undefined
  /** The numbers it was judged by. */
  readonly rule: LaneRule
}

/** Where in its duel an epoch is. */
export interface DuelEpoch {
  /** From 1. */
  readonly epochIndex: number
  readonly frozen: boolean
  readonly protocol: Protocol
  /** What the voters weigh in it. */
  readonly weights: Weights
}

/** What the open environments came to, and all verdicts of the duel. */
interface Judged {
  readonly envs: Readonly<Record<string, EnvReport>>
  readonly verdicts: Duel['verdicts']
}

/**
 * Every open environment, by all its lanes have seen. Where all others are even, the last one
 * decides alone and has to meet the stricter bar: also if it was won before they were, and is then
 * open again. Protocol §8.6.
 */
export function judgeAll(duel: Duel, turn: DuelEpoch): Judged {
  const { protocol } = turn
  const judge = (env: string) => reportOn(env, duel, { ...turn, rule: ruleOf(protocol) })
  const envs = tabulate(openEnvs(duel, protocol), judge)
  const verdicts = joined(duel.verdicts, verdictsIn(envs))
  const lone = loneEnv(verdicts, protocol)
  if (lone === undefined || own(duel.verdicts, lone) === 'hold') return { envs, verdicts }

  const report = reportOn(lone, duel, { ...turn, rule: loneRuleOf(protocol) })
  const { [lone]: _, ...others } = verdicts
  const isOpen = Object.hasOwn(envs, lone)
  return {
    envs: { ...envs, ...(isOpen && { [lone]: report }) },
    verdicts: joined(others, verdictsIn({ [lone]: report })),
  }
}

/** The environment that is left when all others are even. */
function loneEnv(verdicts: Duel['verdicts'], { envs }: Protocol): string | undefined {
  const left = Object.keys(envs).filter((env) => own(verdicts, env) !== 'even')
  return left.length === 1 ? left[0] : undefined
}

/** The rule of an open environment of a duel with these verdicts. Protocol §8.6. */
export function ruleAmong(verdicts: Duel['verdicts'], env: string, protocol: Protocol): LaneRule {
  return loneEnv(verdicts, protocol) === env ? loneRuleOf(protocol) : ruleOf(protocol)
}

/** What one environment came to under these numbers. */
export function reportOn(
  env: string,
  duel: Duel,
  turn: DuelEpoch & { readonly rule: LaneRule },
): EnvReport {
  const epochs = own(duel.tallies, env) ?? []
  const { weights, rule } = turn
  const evidence = judgeEnvironment({ weights, epochs, ratioPpm: duel.ratio, rule })
  return { ...evidence, tallies: sumTallies(epochs), given: verdictOf(evidence, turn), rule }
}

/** A win or a hold, else perhaps an even one, which needs time. Protocol §8.6. */
function verdictOf({ look, decisivePpm }: Evidence, turn: DuelEpoch): Verdict | undefined {
  const { evenEpoch, evenPpm } = turn.protocol
  if (turn.frozen) return undefined
  if (look !== 'continue') return look
  const isLate = turn.epochIndex >= evenEpoch
  if (isLate && decisivePpm !== undefined && decisivePpm < evenPpm) return 'even'
  return undefined
}

/** The verdicts given in this epoch. */
function verdictsIn(envs: Judged['envs']): Duel['verdicts'] {
  const verdicts: [env: string, verdict: Verdict][] = []
  for (const [env, { given }] of Object.entries(envs)) if (given) verdicts.push([env, given])
  return Object.fromEntries(verdicts)
}

/**
 * By environment, ascending: the account of an epoch is the same whether the state was computed or
 * read.
 */
function joined(earlier: Duel['verdicts'], given: Duel['verdicts']): Duel['verdicts'] {
  const all = Object.entries({ ...earlier, ...given })
  return Object.fromEntries(all.sort(([a], [b]) => compare(a, b)))
}

/** Who has the throne at the end. */
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
