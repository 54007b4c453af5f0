import { accept, type Given, type LaneReport } from './acceptance.ts'
import { type Evidence, evidence, type Tally } from './evidence.ts'
import { outcome } from './match.ts'
import { type Protocol, ruleOf } from './protocol.ts'
import { own, tabulate } from './record.ts'
import { type Duel, type Lanes, openEnvs, type State } from './state.ts'
import { NEWCOMER, remember, type Trust } from './trust.ts'

/** What an epoch came to, for people and logs: nothing in it is needed for the next one. */
export interface Report {
  readonly epoch: number
  /** Too few lanes were accepted: no tallies, no verdicts. */
  readonly frozen: boolean
  /** By due validator; `setAside` are the environments in which its lane was too far from the others. */
  readonly lanes: Readonly<Record<string, LaneReport & { readonly setAside: readonly string[] }>>
  /** By environment that was open: what accepted lanes saw over the duel, by hotkey; `given` is the verdict it got now. */
  readonly envs: Readonly<Record<string, Evidence & EnvReport>>
  /** How the duel ended. */
  readonly outcome?: 'contender' | 'champion'
}

interface EnvReport {
  readonly tallies: Readonly<Record<string, Tally>>
  readonly given?: 'win' | 'hold' | 'even'
}

/** One epoch of a duel: acceptance, tallies, verdicts, trust of those who were due, outcome. */
export function judge(
  state: State,
  duel: Duel,
  given: Given,
): { readonly duel: Duel; readonly trust: Readonly<Record<string, Trust>>; readonly report: Report } {
  const { protocol, epoch } = state
  const epochIndex = epoch - duel.start + 1
  const open = openEnvs(duel, protocol)
  const { reports, frozen } = accept(state, duel, given)
  const accepted = Object.keys(reports).filter((hotkey) => own(reports, hotkey)?.accepted)
  const tallies = { ...duel.tallies, ...(!frozen && tabulate(open, (env) => added(duel, env, accepted, given.lanes))) }
  const envs = tabulate(open, (env) => {
    const seen = weighed({ ...duel, tallies }, env, protocol)
    const given = frozen ? undefined : give(seen, epochIndex, protocol)
    return { ...seen, tallies: own(tallies, env) ?? {}, ...(given && { given }) }
  })
  const reached = Object.entries(envs).flatMap(([env, { given }]) => (given ? [[env, given] as const] : []))
  const verdicts = { ...duel.verdicts, ...Object.fromEntries(reached) }

  const laneReports = tabulate(Object.keys(reports), (hotkey) => ({
    ...(reports[hotkey] as LaneReport),
    setAside: open.filter((env) => own(envs, env)?.setAside.includes(hotkey)),
  }))
  const trust = tabulate(Object.keys(reports), (hotkey) => {
    const lane = own(laneReports, hotkey)
    const good = lane?.accepted ? open.length - lane.setAside.length : 0
    return remember(own(state.trust, hotkey) ?? NEWCOMER, good, open.length - good, protocol)
  })
  const ended =
    outcome({ ...tabulate(open, () => 'continue' as const), ...verdicts }, protocol.margin) ??
    (epochIndex >= protocol.duelEpochs ? 'champion' : undefined)
  return {
    duel: { ...duel, tallies, verdicts },
    trust,
    report: { epoch, frozen, lanes: laneReports, envs, ...(ended && { outcome: ended }) },
  }
}

/** A duel's evidence in one environment. */
export function weighed({ weights, tallies, ratio }: Duel, env: string, protocol: Protocol): Evidence {
  return evidence({ weights, tallies: own(tallies, env) ?? {}, ratioPpm: ratio, rule: ruleOf(protocol) })
}

/** The verdict that an epoch gives: a win or a hold before an even one, which needs time. */
function give(
  seen: Evidence,
  epochIndex: number,
  { evenEpoch, evenPpm }: Protocol,
): 'win' | 'hold' | 'even' | undefined {
  if (seen.verdict !== 'continue') return seen.verdict
  return epochIndex >= evenEpoch && (seen.decisivePpm ?? evenPpm) < evenPpm ? 'even' : undefined
}

/** An environment's tallies with what the accepted lanes saw in this epoch. */
function added({ tallies }: Duel, env: string, accepted: readonly string[], lanes: Lanes): Record<string, Tally> {
  const before = own(tallies, env) ?? {}
  const sums = tabulate(accepted, (hotkey) => {
    const [a, b] = [own(before, hotkey) ?? NOTHING, own(own(lanes, hotkey) ?? {}, env) ?? NOTHING]
    return { wins: a.wins + b.wins, losses: a.losses + b.losses, played: a.played + b.played }
  })
  return { ...before, ...sums }
}

const NOTHING: Tally = { wins: 0, losses: 0, played: 0 }
