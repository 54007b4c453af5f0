import { countedAttestations, type Miner, type Report, stateRoot, trustOf } from '@affine/duel'
import type { Recomputed, Settled } from '@affine/settlement'
import { type DuelFacts, type DuelTurn, describeDuels, listTurns } from './duel-facts.ts'

/** What was found of an epoch. */
type EpochFindings = Pick<Recomputed, 'flaws' | 'warnings'>

/** An epoch that was decided; with what was found of it, if its evidence was recomputed. */
type EpochResult = Settled & Partial<EpochFindings>

/** The result of one decided epoch. All that is told of one follows from this. */
export interface EpochFacts extends EpochFindings {
  readonly epoch: number
  /** The miner that held the throne in it. */
  readonly champion: Miner | undefined
  /** The ratio to beat in it, in ppm. */
  readonly ratio: number
  /** In the order in which they began. */
  readonly duels: readonly DuelFacts[]
  readonly frozen: boolean
  readonly lanes: readonly LaneFacts[]
  /** The miner that took the empty throne at its end. */
  readonly seated: Miner | undefined
  /** Of the next epoch: the miner that has the throne, the ratio to beat, and the duels. */
  readonly heir: Miner | undefined
  readonly nextRatio: number
  readonly nextDuels: readonly DuelTurn[]
  /** The trust after it of every validator that has a record, in ppm. */
  readonly trust: Readonly<Record<string, number>>
  /** Whose attestations a frozen epoch lacked. */
  readonly lacking: MissingQuorum | undefined
  /** Voters that attest another state of it than was decided here, ascending, and their weight. */
  readonly others: { readonly hotkeys: readonly string[]; readonly weightPpm: number } | undefined
  /** The root of the state that governs the next epoch. */
  readonly root: string
}

/** The result of the lane of a validator that was due. */
export interface LaneFacts {
  readonly validator: string
  readonly sealed: boolean
  readonly attested: boolean
  readonly accepted: boolean
  /** The environments in which it was too far from the others, and in whose duels. */
  readonly setAside: readonly { readonly env: string; readonly contenders: readonly string[] }[]
  /** The validator's trust after the epoch, in ppm. */
  readonly trust: number
  /** Why the lane is void, as a code; not every reader reads those that cannot count. */
  readonly fault: string | undefined
  /** How many of its games were never begun; 0 if it is not accepted. */
  readonly unbegun: number
}

export function epochFacts(settled: EpochResult): EpochFacts {
  const { before, state, report, flaws = [], warnings = [] } = settled
  const { champion, epoch, ratio } = before
  const trust = Object.entries(state.trust).map(([hotkey, record]) => [hotkey, trustOf(record)])
  return {
    epoch,
    champion,
    ratio,
    duels: describeDuels(settled),
    frozen: report.frozen,
    lanes: describeLanes(settled),
    seated: champion === undefined ? state.champion : undefined,
    heir: state.champion,
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

/** The lanes of an epoch, by validator ascending. */
function describeLanes({ report, lanes, state }: Settled): readonly LaneFacts[] {
  return Object.entries(report.lanes).map(([validator, lane]) => {
    const read = lanes.get(validator)
    const fault = read === undefined || read.ok ? undefined : read.code
    const unbegun = lane.accepted && read?.ok ? read.value.unbegun : 0
    const { sealed, attested, accepted } = lane
    const setAside = findOutliers(report, validator)
    const trust = trustOf(state.trust[validator])
    return { validator, sealed, attested, accepted, setAside, trust, fault, unbegun }
  })
}

/** The environments in which a lane was set aside in some duels, by name. */
function findOutliers({ duels }: Report, validator: string): LaneFacts['setAside'] {
  const aside = new Map<string, string[]>()
  for (const { contender, envs } of duels)
    for (const [env, { setAside }] of Object.entries(envs))
      if (setAside.includes(validator))
        aside.set(env, [...(aside.get(env) ?? []), contender.hotkey])
  return [...aside].sort().map(([env, contenders]) => ({ env, contenders }))
}

/** A voter whose attestation did not count. */
export type MissingVoter = {
  readonly hotkey: string
  /** The stake at its last attestation, in rao, in digits. */
  readonly stake: string
  readonly weightPpm: number
  /** The last epoch in which its attestation counted; undefined if none did. */
  readonly lastEpoch: number | undefined
  /** At the end of this epoch it is not waited for any more. */
  readonly droppedIn: number
}

/** Why an epoch was frozen: too few of its voters attested. */
export interface MissingQuorum {
  /** The share of the weight that attested, in ppm. */
  readonly attestedPpm: number
  /** The heaviest first. */
  readonly missing: readonly MissingVoter[]
}

/** Undefined unless the epoch was frozen. Protocol §8.3. */
function findMissingQuorum({ before, report, snapshot }: Settled): MissingQuorum | undefined {
  if (!report.frozen) return undefined
  const { voters, attested } = before
  const heard = countedAttestations(before, snapshot)
  const missing = Object.keys(voters)
    .filter((hotkey) => !heard.has(hotkey))
    .map((hotkey): MissingVoter => {
      const { epoch: lastEpoch, stake = '' } = attested?.[hotkey] ?? {}
      const droppedIn = (lastEpoch ?? before.epoch) + before.protocol.quorumEpochs
      return { hotkey, stake, weightPpm: sharePpm([hotkey], voters), lastEpoch, droppedIn }
    })
  missing.sort((a, b) => b.weightPpm - a.weightPpm)
  return { attestedPpm: sharePpm([...heard.keys()], voters), missing }
}

/** The share of the voters' weight that these hotkeys have, in ppm. */
function sharePpm(hotkeys: readonly string[], voters: Settled['before']['voters']): number {
  const sumWeights = (some: readonly string[]): number =>
    some.reduce((sum, hotkey) => sum + (voters[hotkey] ?? 0), 0)
  return Math.floor(
    (1_000_000 * sumWeights(hotkeys)) / Math.max(1, sumWeights(Object.keys(voters))),
  )
}

/** Undefined if there are none. Releases with other constants come to this. Protocol §9.2. */
function findOtherState({ before, snapshot }: Settled): EpochFacts['others'] {
  const { voters } = before
  const heard = countedAttestations(before, snapshot)
  const hotkeys = snapshot.validators
    .filter(({ hotkey, attest }) => attest?.epoch === before.epoch && !heard.has(hotkey))
    .map(({ hotkey }) => hotkey)
    .filter((hotkey) => (voters[hotkey] ?? 0) > 0)
    .sort()
  return hotkeys.length > 0 ? { hotkeys, weightPpm: sharePpm(hotkeys, voters) } : undefined
}

/** One decided epoch as a record for machines, its weighted counts exact. */
export function epochRecord(settled: Settled): object {
  const { epoch, champion, ratio, root, seated, trust, lacking, others } = epochFacts(settled)
  const contenders = settled.before.duels.map(({ contender }) => contender.hotkey)
  const throne = { champion: champion?.hotkey ?? null, contenders, ratio, seated: seated?.hotkey }
  const { report } = settled
  return { type: 'epoch', epoch, root, ...throne, trust, lacking, others, report }
}
