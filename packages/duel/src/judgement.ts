import {
  decay,
  type Evidence,
  evidence,
  NOTHING,
  ratchet,
  type Tallies,
  type Tally,
} from './evidence.ts'
import { outcome, type Winner } from './match.ts'
import { quota, ruleOf } from './protocol.ts'
import { own, tabulate } from './record.ts'
import { type Duel, type Given, openEnvs, type State } from './state.ts'
import { attestersOf, type Heard, isMajority, NEWCOMER, remember, weightOf } from './voters.ts'

/** The head each validator had on chain when lanes closed. */
export type Seals = State['heads']

/**
 * Whole lanes by hotkey, then environment. A lane that is not whole, or was not found, is absent.
 */
export type Lanes = Readonly<Record<string, Tallies>>

/** What an epoch came to, for people and logs: nothing in it is needed for the next one. */
export interface Report {
  /** Too few lanes were accepted: no tallies, no verdicts. */
  readonly frozen: boolean
  /** By due validator. */
  readonly lanes: Readonly<Record<string, LaneReport>>
  /** By environment that was open. */
  readonly envs: Readonly<Record<string, EnvReport>>
  /** How the duel ended. */
  readonly outcome: Winner | undefined
}

interface LaneReport {
  readonly sealed: boolean
  readonly whole: boolean
  /** Who attests it, ascending. */
  readonly attesters: readonly string[]
  readonly accepted: boolean
  /** The environments in which it was too far from the others. */
  readonly setAside: readonly string[]
}

/**
 * What accepted lanes saw over the duel, and the verdict that the environment got in this epoch.
 */
type EnvReport = Evidence & { readonly tallies: Tallies; readonly given: Given | undefined }

/** What a duel leaves behind: itself, the trust of those who were due, the ratio to beat. */
type Judgement = Pick<State, 'trust' | 'ratio'> & { readonly duel: Duel; readonly report: Report }

/** One epoch of a duel: acceptance, tallies, verdicts, outcome, ratio, trust. */
export function judge(
  state: State,
  duel: Duel,
  heard: Heard,
  seals: Seals,
  lanes: Lanes,
): Judgement {
  const { protocol } = state
  const epochIndex = state.epoch - duel.start + 1
  const open = openEnvs(duel, protocol)
  const due = Object.keys(state.due).map((hotkey) => {
    const sealed = Object.hasOwn(seals, hotkey)
    const whole = open.every((env) =>
      fills(own(own(lanes, hotkey), env), quota(epochIndex, protocol)),
    )
    const attesters = attestersOf(duel, heard, hotkey)
    const accepted = sealed && whole && isMajority(duel, attesters)
    return { hotkey, sealed, whole, attesters, accepted }
  })
  const accepted = due.filter((lane) => lane.accepted).map(({ hotkey }) => hotkey)
  const frozen = 3 * weightOf(duel, accepted) < 2 * weightOf(duel)

  // What accepted lanes saw adds up, unweighted.
  const seen = tabulate(open, (env) => {
    const before = own(duel.tallies, env)
    return {
      ...before,
      ...tabulate(accepted, (hotkey) => add(own(before, hotkey), own(own(lanes, hotkey), env))),
    }
  })
  const tallies = { ...duel.tallies, ...(!frozen && seen) }

  // Verdicts, the outcome, and what the ratio rises to.
  const weighed = (env: string): Evidence =>
    evidence({
      ...duel,
      tallies: own(tallies, env) ?? {},
      ratioPpm: duel.ratio,
      rule: ruleOf(protocol),
    })
  const envs = tabulate(open, (env): EnvReport => {
    const found = weighed(env)
    // A win or a hold before an even one, which needs time.
    const isEven =
      epochIndex >= protocol.evenEpoch && (found.decisivePpm ?? Infinity) < protocol.evenPpm
    const given = found.verdict !== 'continue' ? found.verdict : isEven ? 'even' : undefined
    return { ...found, tallies: own(tallies, env) ?? {}, given: frozen ? undefined : given }
  })
  const given = Object.entries(envs).flatMap(([env, { given }]) =>
    given ? [[env, given] as const] : [],
  )
  const verdicts = { ...duel.verdicts, ...Object.fromEntries(given) }
  const late = epochIndex >= protocol.duelEpochs ? 'champion' : undefined
  const ended =
    outcome({ ...tabulate(open, () => 'continue' as const), ...verdicts }, protocol.margin) ?? late
  const won = Object.keys(verdicts).flatMap((env) =>
    own(verdicts, env) === 'win' ? [weighed(env).win] : [],
  )

  // Trust: for each lane one count an environment.
  const reports = due.map(({ hotkey, ...lane }) => {
    const setAside = open.filter((env) => own(envs, env)?.setAside.includes(hotkey))
    return [hotkey, { ...lane, setAside }] as const
  })
  const trust = reports.map(([hotkey, { accepted, setAside }]) => {
    const good = accepted ? open.length - setAside.length : 0
    return [
      hotkey,
      remember(own(state.trust, hotkey) ?? NEWCOMER, good, open.length - good, protocol),
    ] as const
  })
  return {
    duel: { ...duel, tallies, verdicts },
    trust: Object.fromEntries(trust),
    ratio: ended === 'contender' ? ratchet(won, protocol) : decay(state.ratio, protocol),
    report: { frozen, lanes: Object.fromEntries(reports), envs, outcome: ended },
  }
}

/** A whole lane played the quota: all of it, and not more. */
function fills({ wins, losses, played }: Tally = NOTHING, quota: number): boolean {
  const counts = [wins, losses, quota - wins - losses]
  return played === quota && counts.every((count) => Number.isInteger(count) && count >= 0)
}

function add(a: Tally = NOTHING, b: Tally = NOTHING): Tally {
  return { wins: a.wins + b.wins, losses: a.losses + b.losses, played: a.played + b.played }
}
