import { attestersOf, isFrozen, isMajority, type Seals } from './acceptance.ts'
import { type Evidence, judgeEnvironment } from './evidence.ts'
import { type Protocol, quotaOf, ruleOf } from './protocol.ts'
import { decay, ratchet } from './ratio.ts'
import { own, tabulate } from './record.ts'
import type { Heard } from './snapshot.ts'
import { type Duel, openEnvs, type State, type Verdict } from './state.ts'
import { addTallies, fillsQuota, type Tallies } from './tally.ts'
import { remember } from './trust.ts'
import { type Winner, winnerOf } from './winner.ts'

/** Whole lanes by hotkey, then environment. A lane that is not whole, or not found, is absent. */
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

/** What became of a lane. */
interface LaneReport extends Acceptance {
  /** The environments in which it was too far from the others. */
  readonly setAside: readonly string[]
}

/**
 * What accepted lanes saw over the duel, and the verdict that the environment got in this epoch.
 */
interface EnvReport extends Evidence {
  readonly tallies: Tallies
  readonly given: Verdict | undefined
}

/** Why a due validator's lane counts, or why it does not. */
interface Acceptance {
  readonly sealed: boolean
  readonly whole: boolean
  /** Who attests it, ascending. */
  readonly attesters: readonly string[]
  readonly accepted: boolean
}

/** What is known of an epoch: attestations that count, seals, and whole lanes. */
export interface EpochFacts {
  readonly heard: Heard
  readonly seals: Seals
  readonly lanes: Lanes
}

/** What a duel leaves behind: itself, the trust of those who were due, the ratio to beat. */
export interface Judgement extends Pick<State, 'trust' | 'ratio'> {
  readonly duel: Duel
  readonly report: Report
}

/** One epoch of a duel: acceptance, tallies, verdicts, winner, ratio, trust. Protocol §9.4. */
export function judge(state: State, before: Duel, facts: EpochFacts): Judgement {
  const { protocol } = state
  const open = openEnvs(before, protocol)
  const acceptances = acceptLanes(state, before, facts)
  const accepted = Object.keys(acceptances).filter((hotkey) => acceptances[hotkey]?.accepted)
  const frozen = isFrozen(before, accepted)
  const turn = { epochIndex: state.epoch - before.start + 1, frozen, protocol }

  const added = addLanes(before, accepted, { open, lanes: facts.lanes })
  const seen = { ...before, tallies: frozen ? before.tallies : added }
  const envs = judgeOpen(seen, turn)
  const duel = { ...seen, verdicts: { ...before.verdicts, ...verdictsIn(envs) } }
  const outcome = endOf(duel, turn)
  const report = { frozen, lanes: withOutliers(acceptances, envs), envs, outcome }

  const ratio = ratioAfter(state, duel, outcome)
  return { duel, trust: countLanes(state, report), ratio, report }
}

/** Which lanes count, by due validator. Protocol §8.3. */
function acceptLanes(state: State, duel: Duel, { heard, seals, lanes }: EpochFacts) {
  const open = openEnvs(duel, state.protocol)
  const quota = quotaOf(state.epoch - duel.start + 1, state.protocol)
  return tabulate(Object.keys(state.due), (hotkey): Acceptance => {
    const lane = own(lanes, hotkey)
    const sealed = Object.hasOwn(seals, hotkey)
    const whole = open.every((env) => fillsQuota(own(lane, env), quota))
    const attesters = attestersOf(duel, heard, hotkey)
    return { sealed, whole, attesters, accepted: sealed && whole && isMajority(duel, attesters) }
  })
}

/** The duel's tallies with those of accepted lanes added, unweighted. Protocol §8.4. */
function addLanes(duel: Duel, accepted: readonly string[], { open, lanes }: OpenLanes) {
  const added = tabulate(open, (env): Tallies => {
    const before = own(duel.tallies, env)
    const after = tabulate(accepted, (hotkey) =>
      addTallies(own(before, hotkey), own(own(lanes, hotkey), env)),
    )
    return { ...before, ...after }
  })
  return { ...duel.tallies, ...added }
}

interface OpenLanes {
  /** The environments that are open. */
  readonly open: readonly string[]
  readonly lanes: Lanes
}

/** Where in its duel an epoch is. */
interface Turn {
  /** From 1. */
  readonly epochIndex: number
  readonly frozen: boolean
  readonly protocol: Protocol
}

/** Every open environment, by all its lanes have seen. Protocol §8.6. */
function judgeOpen(duel: Duel, turn: Turn): Readonly<Record<string, EnvReport>> {
  return tabulate(openEnvs(duel, turn.protocol), (env): EnvReport => {
    const evidence = evidenceOn(env, duel, turn.protocol)
    return { ...evidence, tallies: own(duel.tallies, env) ?? {}, given: verdictOf(evidence, turn) }
  })
}

function evidenceOn(env: string, duel: Duel, protocol: Protocol): Evidence {
  const { weights, ratio: ratioPpm } = duel
  const tallies = own(duel.tallies, env) ?? {}
  return judgeEnvironment({ weights, tallies, ratioPpm, rule: ruleOf(protocol) })
}

/** A win or a hold, else perhaps an even one, which needs time. Protocol §8.6. */
function verdictOf({ look, decisivePpm }: Evidence, turn: Turn): Verdict | undefined {
  const { evenEpoch, evenPpm } = turn.protocol
  if (turn.frozen) return undefined
  if (look !== 'continue') return look
  const isLate = turn.epochIndex >= evenEpoch
  if (isLate && decisivePpm !== undefined && decisivePpm < evenPpm) return 'even'
  return undefined
}

/** The verdicts given in this epoch. */
function verdictsIn(envs: Report['envs']): Duel['verdicts'] {
  const verdicts: [env: string, verdict: Verdict][] = []
  for (const [env, { given }] of Object.entries(envs)) if (given) verdicts.push([env, given])
  return Object.fromEntries(verdicts)
}

/** Who has won by now: by the verdicts, or because the duel has lasted. Protocol §8.7. */
function endOf(duel: Duel, { epochIndex, protocol }: Turn): Winner | undefined {
  const open = tabulate(openEnvs(duel, protocol), () => 'continue' as const)
  const winner = winnerOf({ ...open, ...duel.verdicts }, protocol.margin)
  if (winner === undefined && epochIndex >= protocol.duelEpochs) return 'champion'
  return winner
}

/** The ratio decays, or rises by the environments that the contender won. Protocol §8.10. */
function ratioAfter({ ratio, protocol }: State, duel: Duel, winner: Winner | undefined): number {
  if (winner !== 'contender') return decay(ratio, protocol)
  const won = Object.keys(duel.verdicts).filter((env) => own(duel.verdicts, env) === 'win')
  const tallies = won.map((env) => evidenceOn(env, duel, protocol).win)
  return ratchet(tallies, protocol)
}

/** The acceptances, and where each lane was set aside. */
function withOutliers(
  acceptances: Readonly<Record<string, Acceptance>>,
  envs: Report['envs'],
): Report['lanes'] {
  const lanes = Object.entries(acceptances).map(([hotkey, acceptance]) => {
    const setAside = Object.keys(envs).filter((env) => own(envs, env)?.setAside.includes(hotkey))
    return [hotkey, { ...acceptance, setAside }] as const
  })
  return Object.fromEntries(lanes)
}

/** For each due validator one count an environment. Protocol §8.9. */
function countLanes({ trust, protocol }: State, { lanes, envs }: Report): State['trust'] {
  const all = Object.keys(envs).length
  const records = Object.entries(lanes).map(([hotkey, { accepted, setAside }]) => {
    const correct = accepted ? all - setAside.length : 0
    const counted = { correct, incorrect: all - correct }
    return [hotkey, remember(own(trust, hotkey), counted, protocol)] as const
  })
  return Object.fromEntries(records)
}
