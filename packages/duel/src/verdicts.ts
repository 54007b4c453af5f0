import { own } from '@affine/prng'
import { compare } from './ascending.ts'
import { computeQuota } from './env-constants.ts'
import {
  type Evidence,
  findWinLack,
  judgeEnvironment,
  type WinLack,
} from './environment-judgement.ts'
import { mapValues, tabulate } from './own-keys.ts'
import { computeEpochIndex, listPlayedEnvs } from './played.ts'
import { type LaneRule, makeSoleRule, type Protocol } from './protocol.ts'
import type { Duel, State, Verdict } from './state.ts'
import { sumTallies, type Tallies, toTally } from './tally.ts'

/** An environment's evidence over a duel, and its verdict in this epoch. */
export interface EnvReport extends Evidence {
  readonly tallies: Tallies
  readonly given: Verdict | undefined
  /** Undefined in a frozen epoch or a won duel, which are not judged. */
  readonly cause: VerdictCause | undefined
  /** Numbers by which the environment was judged. */
  readonly rule: LaneRule
}

/**
 * The rule of §8.6 that gave a verdict, or the condition that is missing for a win. `SCORE` gives a
 * win, `LINE` a hold. `BLANK`, no decisive challenge, and `SCARCE`, too few decisive challenges,
 * give an undecided verdict.
 */
export type VerdictCause = 'SCORE' | 'LINE' | 'BLANK' | 'SCARCE' | WinLack

/** Reports by environment, ascending. */
export type EnvReports = Readonly<Record<string, EnvReport>>

/** The part of a state by which duels are judged. */
type Governing = Pick<State, 'epoch' | 'protocol' | 'ratio' | 'voters'>

type DuelVerdicts = Pick<Duel, 'verdicts'> & { readonly envs: EnvReports }

/**
 * Judges every open environment by all challenges of its lanes. If all environments except one are
 * undecided, that environment has to meet a stricter rule, also if it was won before; it may then
 * be open again. Protocol §8.6.
 */
export function judgeOpen(duel: Duel, state: Governing): DuelVerdicts {
  const { protocol } = state
  const isLate = computeEpochIndex(duel, state.epoch) >= protocol.evenEpoch
  const judge = (env: string, rule: LaneRule): EnvReport => {
    const report = reportOn(env, duel, state, rule)
    return { ...report, ...giveVerdict(report, isLate ? protocol.evenPpm : 0) }
  }
  const envs = tabulate(listPlayedEnvs(duel, state), (env) => judge(env, protocol))
  const verdicts = joinVerdicts(duel.verdicts, listVerdicts(envs))
  const alone = findSoleEnv(verdicts, protocol)
  if (alone === undefined || own(duel.verdicts, alone) === 'hold') return { envs, verdicts }

  const report = judge(alone, makeSoleRule(protocol))
  const { [alone]: _, ...others } = verdicts
  return {
    envs: { ...envs, ...(Object.hasOwn(envs, alone) && { [alone]: report }) },
    verdicts: joinVerdicts(others, listVerdicts({ [alone]: report })),
  }
}

/** Reports on the environments that a duel plays, without verdicts. */
export function reportPlayed(duel: Duel, state: Governing): EnvReports {
  return tabulate(listPlayedEnvs(duel, state), (env) =>
    reportOn(env, duel, state, chooseRule(duel.verdicts, env, state.protocol)),
  )
}

/** Returns the only environment that is not undecided, if there is only one. */
function findSoleEnv(verdicts: Duel['verdicts'], { envs }: Protocol): string | undefined {
  const left = Object.keys(envs).filter((env) => own(verdicts, env) !== 'even')
  return left.length === 1 ? left[0] : undefined
}

/** Returns the rule of an open environment in a duel with these verdicts. Protocol §8.6. */
export function chooseRule(verdicts: Duel['verdicts'], env: string, protocol: Protocol): LaneRule {
  return findSoleEnv(verdicts, protocol) === env ? makeSoleRule(protocol) : protocol
}

export function reportOn(
  env: string,
  duel: Duel,
  { protocol, voters, ratio }: Governing,
  rule: LaneRule,
): EnvReport {
  const epochs = listTallies(duel, env, protocol)
  const evidence = judgeEnvironment({ weights: voters, epochs, ratioPpm: ratio, rule })
  const none = { given: undefined, cause: undefined }
  return { ...evidence, tallies: sumTallies(epochs), ...none, rule: pickNumbers(rule) }
}

/** Returns the tallies in an environment, by epoch of a duel. Protocol §8.4. */
export function listTallies(duel: Duel, env: string, { envs }: Protocol): readonly Tallies[] {
  const constants = own(envs, env)
  if (constants === undefined) return []
  return duel.tallies.map((epoch, i) => {
    const played = computeQuota(i + 1, constants)
    return mapValues(own(epoch, env) ?? {}, (lane) => toTally(lane, played))
  })
}

/**
 * Number of challenges in the median lane from which on an environment is undecided if none of them
 * is decisive. Protocol §8.6.
 */
const BLANK_PLAYED = 96

/**
 * Returns the verdict, if any, and its cause. Without a win or hold, an environment is undecided
 * if, in its median lane, the share of decisive challenges is below `minPpm`, or none of at least
 * `BLANK_PLAYED` challenges is decisive. Protocol §8.6.
 */
function giveVerdict(report: EnvReport, minPpm: number): Pick<EnvReport, 'given' | 'cause'> {
  const { interimResult, median } = report
  if (interimResult === 'win') return { given: interimResult, cause: 'SCORE' }
  if (interimResult === 'hold') return { given: interimResult, cause: 'LINE' }
  const { trials = 0, played = 0 } = median ?? {}
  if (trials === 0 && played >= BLANK_PLAYED) return { given: 'even', cause: 'BLANK' }
  if (played > 0 && Math.floor((1_000_000 * trials) / played) < minPpm)
    return { given: 'even', cause: 'SCARCE' }
  return { given: undefined, cause: findWinLack(report, report.rule) }
}

function listVerdicts(envs: EnvReports): Duel['verdicts'] {
  const verdicts: [env: string, verdict: Verdict][] = []
  for (const [env, { given }] of Object.entries(envs)) if (given) verdicts.push([env, given])
  return Object.fromEntries(verdicts)
}

/** Returns all verdicts by environment, ascending. */
function joinVerdicts(...verdicts: readonly Duel['verdicts'][]): Duel['verdicts'] {
  const all = Object.entries(Object.assign({}, ...verdicts) as Duel['verdicts'])
  return Object.fromEntries(all.sort(([a], [b]) => compare(a, b)))
}

/** Returns only the numbers of a rule, which may be a whole protocol. */
function pickNumbers(rule: LaneRule): LaneRule {
  const { minTrials, holdOffset, holdSlopePpm } = rule
  const { floorZSquaredPpm, outlierZSquared, ratchetZSquaredPpm } = rule
  const line = { holdOffset, holdSlopePpm }
  return { minTrials, ...line, floorZSquaredPpm, outlierZSquared, ratchetZSquaredPpm }
}
