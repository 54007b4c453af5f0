import { accept, type LaneReport, weightOf } from './acceptance.ts'
import { type Evidence, evidence, NOTHING, type Tally } from './evidence.ts'
import { outcome } from './match.ts'
import { type Protocol, ruleOf } from './protocol.ts'
import { own, tabulate } from './record.ts'
import { type Duel, openEnvs, type State, type Witnessed } from './state.ts'
import { NEWCOMER, remember, type Trust } from './trust.ts'

/** What an epoch came to, for people and logs: nothing in it is needed for the next one. */
export interface Report {
  readonly epoch: number
  /** Too few lanes were accepted: no tallies, no verdicts. */
  readonly frozen: boolean
  /** By due validator; `setAside` are the environments in which its lane was too far from the others. */
  readonly lanes: Readonly<Record<string, LaneReport & { readonly setAside: readonly string[] }>>
  /** By environment that was open. */
  readonly envs: Readonly<Record<string, EnvReport>>
  /** How the duel ended. */
  readonly outcome?: 'contender' | 'champion'
}

export interface EnvReport extends Evidence {
  /** By hotkey: what accepted lanes saw over the duel. */
  readonly tallies: Readonly<Record<string, Tally>>
  /** The verdict that the environment got in this epoch. */
  readonly given?: 'win' | 'hold' | 'even'
}

/** One epoch of a duel: acceptance, tallies, verdicts, trust of those who were due, outcome. */
export function judge(
  state: State,
  duel: Duel,
  witnessed: Witnessed,
): { readonly duel: Duel; readonly trust: Readonly<Record<string, Trust>>; readonly report: Report } {
  const { protocol, epoch } = state
  const epochIndex = epoch - duel.start + 1
  const open = openEnvs(duel, protocol)
  const accepts = accept(state, duel, witnessed)
  const accepted = Object.keys(accepts).filter((hotkey) => own(accepts, hotkey)?.accepted)
  const frozen = 3 * weightOf(duel, accepted) < 2 * weightOf(duel)
  const envs = tabulate(open, (env): EnvReport => {
    const before = own(duel.tallies, env) ?? {}
    const seen = tabulate(frozen ? [] : accepted, (hotkey) =>
      add(own(before, hotkey), own(own(witnessed.lanes, hotkey) ?? {}, env)),
    )
    const tallies = { ...before, ...seen }
    const found = weighed({ ...duel, tallies: { [env]: tallies } }, env, protocol)
    const given = frozen ? undefined : verdictOf(found, epochIndex, protocol)
    return { ...found, tallies, ...(given && { given }) }
  })
  const given = Object.entries(envs).flatMap(([env, { given }]) => (given ? [[env, given] as const] : []))
  const verdicts = { ...duel.verdicts, ...Object.fromEntries(given) }
  const tallies = frozen ? duel.tallies : { ...duel.tallies, ...tabulate(open, (env) => own(envs, env)?.tallies ?? {}) }

  const lanes = Object.entries(accepts).map(([hotkey, lane]) => {
    const setAside = open.filter((env) => own(envs, env)?.setAside.includes(hotkey))
    return [hotkey, { ...lane, setAside }] as const
  })
  const trust = lanes.map(([hotkey, { accepted, setAside }]) => {
    const good = accepted ? open.length - setAside.length : 0
    return [hotkey, remember(own(state.trust, hotkey) ?? NEWCOMER, good, open.length - good, protocol)] as const
  })
  const ended =
    outcome({ ...tabulate(open, () => 'continue' as const), ...verdicts }, protocol.margin) ??
    (epochIndex >= protocol.duelEpochs ? 'champion' : undefined)
  return {
    duel: { ...duel, tallies, verdicts },
    trust: Object.fromEntries(trust),
    report: { epoch, frozen, lanes: Object.fromEntries(lanes), envs, ...(ended && { outcome: ended }) },
  }
}

/** A duel's evidence in one environment. */
export function weighed({ weights, tallies, ratio }: Duel, env: string, protocol: Protocol): Evidence {
  return evidence({ weights, tallies: own(tallies, env) ?? {}, ratioPpm: ratio, rule: ruleOf(protocol) })
}

/** The verdict that an epoch gives: a win or a hold before an even one, which needs time. */
function verdictOf({ verdict, decisivePpm }: Evidence, epochIndex: number, protocol: Protocol): EnvReport['given'] {
  if (verdict !== 'continue') return verdict
  const { evenEpoch, evenPpm } = protocol
  return epochIndex >= evenEpoch && (decisivePpm ?? evenPpm) < evenPpm ? 'even' : undefined
}

function add(a: Tally = NOTHING, b: Tally = NOTHING): Tally {
  return { wins: a.wins + b.wins, losses: a.losses + b.losses, played: a.played + b.played }
}
