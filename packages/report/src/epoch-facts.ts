import {
  type Acceptance,
  computeTrust,
  countedAttestations,
  type Miner,
  pickMiner,
  type Report,
  stateRoot,
} from '@affine/duel'
import type { EpochResult, RecomputedEpoch } from '@affine/settlement'
import { type DuelFacts, type DuelTurn, describeDuels, listTurns } from './duel-facts.ts'

type EpochFindings = Pick<RecomputedEpoch, 'flaws' | 'warnings'>

/** A decided epoch, with findings if its evidence was recomputed. */
type DecidedEpoch = EpochResult & Partial<EpochFindings>

/** The facts of a decided epoch, the basis of all reports about it. */
export interface EpochFacts extends EpochFindings {
  readonly epoch: number
  /** Champion of the epoch. */
  readonly champion: Miner | undefined
  /** Ratio to beat in the epoch, in ppm. */
  readonly ratio: number
  /** Duels of the epoch, oldest first. */
  readonly duels: readonly DuelFacts[]
  readonly frozen: boolean
  readonly lanes: readonly LaneFacts[]
  /** Miner that took the vacant throne at the end of the epoch. */
  readonly seated: Miner | undefined
  readonly nextChampion: Miner | undefined
  /** Ratio to beat in the next epoch, in ppm. */
  readonly nextRatio: number
  readonly nextDuels: readonly DuelTurn[]
  /** Trust after the epoch in ppm, of every validator with a record of trust. */
  readonly trust: Readonly<Record<string, number>>
  /** Undefined unless the epoch was frozen. */
  readonly lacking: MissingQuorum | undefined
  /**
   * Voters that attest another state of the epoch, ascending, and their share of the voters' weight
   * in ppm. Undefined without such voters.
   */
  readonly others: { readonly hotkeys: readonly string[]; readonly weightPpm: number } | undefined
  /** Root of the state that governs the next epoch. */
  readonly root: string
}

export interface LaneFacts extends Omit<Acceptance, 'attesters'> {
  readonly validator: string
  /** Environments, each with the contenders in whose duels the lane was an outlier. */
  readonly setAside: readonly { readonly env: string; readonly contenders: readonly string[] }[]
  /** Trust of the validator after the epoch, in ppm. */
  readonly trust: number
  /** Code of a void lane's fault. Undefined if the lane is valid or was not read. */
  readonly fault: string | undefined
}

export function describeEpoch(settled: DecidedEpoch): EpochFacts {
  const { before, state, report, flaws = [], warnings = [] } = settled
  const { champion, epoch, ratio } = before
  const trust = Object.entries(state.trust).map(([key, record]) => [key, computeTrust(record)])
  return {
    epoch,
    champion,
    ratio,
    duels: describeDuels(settled),
    frozen: report.frozen,
    lanes: describeLanes(settled),
    seated: champion === undefined ? state.champion : undefined,
    nextChampion: state.champion,
    nextRatio: state.ratio,
    nextDuels: listTurns(state),
    trust: Object.fromEntries(trust),
    lacking: findMissingQuorum(settled),
    others: findOtherState(settled),
    flaws,
    warnings,
    root: stateRoot(state),
  }
}

function describeLanes({ report, lanes, state }: EpochResult): readonly LaneFacts[] {
  return Object.entries(report.lanes).map(([validator, lane]) => {
    const read = lanes.get(validator)
    const fault = read === undefined || read.ok ? undefined : read.code
    const { attesters: _, ...acceptance } = lane
    const setAside = findOutliers(report, validator)
    const trust = computeTrust(state.trust[validator])
    return { validator, ...acceptance, setAside, trust, fault }
  })
}

/** Returns the environments in which a lane was set aside, ascending. */
function findOutliers({ duels }: Report, validator: string): LaneFacts['setAside'] {
  const aside = new Map<string, string[]>()
  for (const { contender, envs } of duels)
    for (const [env, { setAside }] of Object.entries(envs))
      if (setAside.includes(validator))
        aside.set(env, [...(aside.get(env) ?? []), contender.hotkey])
  return [...aside].sort().map(([env, contenders]) => ({ env, contenders }))
}

/** A voter without a counted attestation. */
export type MissingVoter = {
  readonly hotkey: string
  readonly weightPpm: number
  /** Epoch at whose end the quorum stops counting this voter. */
  readonly droppedIn: number
}

/** The missed quorum of a frozen epoch. */
export interface MissingQuorum {
  /** Share of the weight that attested, in ppm. */
  readonly attestedPpm: number
  /** Voters without a counted attestation, heaviest first. */
  readonly missing: readonly MissingVoter[]
}

/** Returns the voters that a frozen epoch lacked; undefined for another epoch. Protocol §8.3. */
function findMissingQuorum({ before, report, snapshot }: EpochResult): MissingQuorum | undefined {
  if (!report.frozen) return undefined
  const { voters, attested } = before
  const attestations = countedAttestations(before, snapshot)
  const missing = Object.keys(voters)
    .filter((hotkey) => !attestations.has(hotkey))
    .map((hotkey): MissingVoter => {
      const { epoch = before.epoch } = attested?.[hotkey] ?? {}
      const droppedIn = epoch + before.protocol.quorumEpochs
      return { hotkey, weightPpm: sharePpm([hotkey], voters), droppedIn }
    })
  missing.sort((a, b) => b.weightPpm - a.weightPpm)
  return { attestedPpm: sharePpm([...attestations.keys()], voters), missing }
}

/** Returns the hotkeys' share of the voters' weight, in ppm. */
function sharePpm(hotkeys: readonly string[], voters: EpochResult['before']['voters']): number {
  const sumWeights = (some: readonly string[]): number =>
    some.reduce((sum, hotkey) => sum + (voters[hotkey] ?? 0), 0)
  const all = Math.max(1, sumWeights(Object.keys(voters)))
  return Math.floor((1_000_000 * sumWeights(hotkeys)) / all)
}

/**
 * Returns the voters that attest another state, if there are any. Releases with different constants
 * cause this. Protocol §9.2.
 */
function findOtherState({ before, snapshot }: EpochResult): EpochFacts['others'] {
  const { voters } = before
  const attestations = countedAttestations(before, snapshot)
  const hotkeys = snapshot.validators
    .filter(({ hotkey, attest }) => attest?.epoch === before.epoch && !attestations.has(hotkey))
    .map(({ hotkey }) => hotkey)
    .filter((hotkey) => (voters[hotkey] ?? 0) > 0)
    .sort()
  return hotkeys.length > 0 ? { hotkeys, weightPpm: sharePpm(hotkeys, voters) } : undefined
}

/** Returns one decided epoch for `--json`, with exact weighted counts. */
export function exportEpoch(settled: EpochResult): object {
  const { epoch, champion, ratio, root, seated, trust, lacking, others } = describeEpoch(settled)
  const contenders = settled.before.duels.map(({ contender }) => contender.hotkey)
  const throne = { champion: champion?.hotkey ?? null, contenders, ratio, seated: seated?.hotkey }
  // Omits the tallies of each epoch: `envs` has their sums over the duel. `pickMiner` orders the
  // contender's fields, because states that were read and computed states differ in this order.
  const duels = settled.report.duels.map(({ tallies: _, contender, ...duel }) => ({
    contender: pickMiner(contender),
    ...duel,
  }))
  const report = { ...settled.report, duels }
  return { type: 'epoch', epoch, root, ...throne, trust, lacking, others, report }
}
