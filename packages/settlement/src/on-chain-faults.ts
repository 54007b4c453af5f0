import type { Chain, Snapshot, UidWeights } from '@affine/chain'
import { countedAttestations, encodeBitmap, type Protocol, stateRoot } from '@affine/duel'
import type { UndatedFlaw } from './copies.ts'
import { type EpochResult, isMissing } from './epoch-decision.ts'
import { snapshotBlock } from './on-chain.ts'

/** Returns the flaws in the attestations of voters. */
export function findAttestationFlaws(settled: EpochResult): readonly UndatedFlaw[] {
  return [...findWrongRoots(settled), ...findNeverSealed(settled), ...findNeverServed(settled)]
}

/** Returns the voters' attestations that count. Protocol §8.3. */
const listCounted = ({ before, snapshot }: EpochResult) =>
  [...countedAttestations(before, snapshot)].filter(([hotkey]) =>
    Object.hasOwn(before.voters, hotkey),
  )

/** Returns flaws for voters' attestations of a root other than the state's. Protocol §6.4. */
function findWrongRoots({ before, snapshot }: EpochResult): readonly UndatedFlaw[] {
  const { epoch, voters } = before
  const root = stateRoot(before)
  return snapshot.validators.flatMap(({ hotkey, attest }) => {
    if (attest?.epoch !== epoch || attest.stateRoot === root || !Object.hasOwn(voters, hotkey))
      return []
    const advice = 'if other validators attest it too, compare your release with theirs'
    const detail = `expected ${root}, got ${attest.stateRoot}; ${advice}`
    return [{ validator: hotkey, code: 'WRONG_ROOT_ATTESTED' as const, detail }]
  })
}

/** Returns flaws for counted attestations with bits of unsealed lanes. Protocol §5.2. */
function findNeverSealed(settled: EpochResult): readonly UndatedFlaw[] {
  const { before, report } = settled
  const sealed = Object.keys(report.lanes).filter((hotkey) => report.lanes[hotkey]?.sealed)
  const sealedBits = encodeBitmap(before.voters, new Set(sealed))
  const isMore = (bitmap: Uint8Array): boolean =>
    bitmap.some((byte, i) => (byte & ~(sealedBits[i] ?? 0)) !== 0)
  const detail = 'it attested a lane that was never sealed'
  return listCounted(settled)
    .filter(([, { bitmap }]) => isMore(bitmap))
    .map(([validator]) => ({ validator, code: 'NEVER_SEALED', detail }))
}

/** Returns flaws for the attesters of lanes that no bucket serves. Protocol §5.2. */
function findNeverServed({ lanes, report }: EpochResult): readonly UndatedFlaw[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (!isMissing(lane)) return []
    const detail = `it attested the lane of ${validator}, which no bucket has`
    const attesters = report.lanes[validator]?.attesters ?? []
    return attesters.map((holder) => ({ validator: holder, code: 'COPY_MISSING' as const, detail }))
  })
}

/** A validator's action or omission that is reported, but is not a flaw. */
export interface Warning {
  readonly epoch: number
  readonly validator: string
  readonly code: 'BITS_WITHHELD' | 'OTHER_WEIGHTS'
  readonly detail: string
}

/**
 * Returns a warning for each voter whose attestation lacks the bit of a valid lane that a voter
 * other than the lane's validator attests. The lane may have arrived too late. Protocol §5.2.
 */
export function findWithheldBits(settled: EpochResult): readonly Warning[] {
  const { before, lanes, report } = settled
  const whole = [...lanes.keys()].filter((validator) => lanes.get(validator)?.ok).sort()
  const isWithheldBy = (voter: string) => (validator: string) => {
    const attesters = report.lanes[validator]?.attesters ?? []
    return !attesters.includes(voter) && attesters.some((attester) => attester !== validator)
  }
  return listCounted(settled).flatMap(([validator]) => {
    const withheld = whole.filter(isWithheldBy(validator))
    if (withheld.length === 0) return []
    const detail = `${withheld.length} valid lanes that others attest: ${withheld.join(', ')}`
    return [{ epoch: before.epoch, validator, code: 'BITS_WITHHELD' as const, detail }]
  })
}

/** The weights of validators with a permit, in force at an epoch's end. */
export interface Votes {
  /** Uid of the neuron that is owed all weight. */
  readonly uid: number
  /** Number of validators with weights in force. */
  readonly validators: number
  /** Number of these validators that give all their weight to `uid`. */
  readonly agreeing: number
  /**
   * Warnings for validators whose weights do not all go to the recipient of this epoch, or of an
   * earlier epoch whose weights may still be in force.
   */
  readonly others: readonly Warning[]
}

/** Hotkey that is owed all weight, if any, in each of consecutive epochs, oldest first. */
export type Recipients = readonly (string | undefined)[]

/**
 * Counts the weights in force at the end of an epoch, whose snapshot is `ended`. `recipients` end
 * with this epoch's. Resolves with undefined if no neuron of `ended` is owed weight, or if
 * `recipients` lack an epoch whose weights may still be in force, because the chain reveals
 * committed weights later. Protocol §8.13.
 */
export async function countVotes(
  chain: Chain,
  ended: Snapshot,
  recipients: Recipients,
  { before, snapshot: { validators } }: EpochResult,
): Promise<Votes | undefined> {
  const { epoch, protocol } = before
  const lag = computeLag(ended, protocol)
  const uidOf = new Map(ended.neurons.map(({ hotkey, uid }) => [hotkey, uid]))
  const uid = uidOf.get(recipients.at(-1) ?? '')
  if (uid === undefined || recipients.length <= lag) return undefined
  const owed = new Set(recipients.slice(-lag - 1).map((hotkey) => uidOf.get(hotkey ?? '')))
  const weights = new Map(Object.entries(await chain.weights(snapshotBlock(epoch + 1, protocol))))
  const rows = validators.flatMap(({ hotkey }) => {
    const row = (weights.get(hotkey) ?? []).filter(([, weight]) => weight > 0)
    return row.length > 0 ? [{ hotkey, row }] : []
  })
  const agreeing = rows.filter(({ row }) => isPaidTo(new Set([uid]), row)).length
  const others = rows.flatMap(({ hotkey, row }): readonly Warning[] => {
    if (isPaidTo(owed, row)) return []
    const given = row.map(([to, weight]) => `${weight} to uid ${to}`)
    const detail = `expected all to uid ${uid}, got ${given.join(', ')}`
    return [{ epoch, validator: hotkey, code: 'OTHER_WEIGHTS', detail }]
  })
  return { uid, validators: rows.length, agreeing, others }
}

const isPaidTo = (uids: ReadonlySet<number | undefined>, row: UidWeights): boolean =>
  row.length === 1 && row.every(([to]) => uids.has(to))

/** Returns the maximum number of epochs until committed weights are in force. */
export function computeLag({ revealPeriod, tempo }: Snapshot, { epochBlocks }: Protocol): number {
  if (revealPeriod === 0) return 0
  return Math.ceil(((revealPeriod + 1) * tempo) / epochBlocks)
}
