import type { Chain, Snapshot, UidWeights } from '@affine/chain'
import { type Protocol, stateRoot } from '@affine/duel'
import { attestationsIn } from './attestation-faults.ts'
import type { Settled } from './settle.ts'
import { snapshotBlock } from './timetable.ts'

/**
 * Something that a validator did, or left undone, against the protocol, though no data is wrong:
 * whose, when, and what.
 */
export interface Warning {
  readonly epoch: number
  readonly validator: string
  readonly code: 'BITS_WITHHELD' | 'OTHER_WEIGHTS'
  readonly detail: string
}

/**
 * Who attested without the bit of lanes that are whole, as was found by reading them, and that
 * others than their validators attest. They may have come too late for who withheld it.
 * Protocol §5.2.
 */
export function withheldBits(settled: Settled): readonly Warning[] {
  const { before, lanes, report } = settled
  const root = stateRoot(before)
  const whole = [...lanes.keys()].filter((validator) => lanes.get(validator)?.ok).sort()
  const isWithheldBy = (voter: string) => (validator: string) => {
    const attesters = report.lanes[validator]?.attesters ?? []
    return !attesters.includes(voter) && attesters.some((attester) => attester !== validator)
  }
  return attestationsIn(settled)
    .filter(({ attest }) => attest.stateRoot === root)
    .map(({ hotkey }) => ({ hotkey, withheld: whole.filter(isWithheldBy(hotkey)) }))
    .filter(({ withheld }) => withheld.length > 0)
    .map(({ hotkey, withheld }) => {
      const detail = `${withheld.length} whole lanes that others attest: ${withheld.join(', ')}`
      return { epoch: before.epoch, validator: hotkey, code: 'BITS_WITHHELD', detail }
    })
}

/** Whom the weights in force at an epoch's end go to, of validators with a permit. */
export interface Votes {
  /** The champion's. */
  readonly uid: number
  /** How many have weights in force, and how many of them give it all of theirs. */
  readonly validators: number
  readonly agreeing: number
  /** Whose weights are nobody's that they may be in force for. */
  readonly others: readonly Warning[]
}

/** The hotkeys of the champions from some epoch on, up to the one looked at. */
export type Champions = readonly (string | undefined)[]

interface VotesRequest {
  readonly chain: Chain
  /** The chain at the epoch's end. */
  readonly ended: Snapshot
  readonly champions: Champions
}

/**
 * Whom the weights go to at the end of an epoch; undefined when nobody is owed any, or it is not
 * known whom. Where weights are committed first, those of a champion before may be in force still.
 * Protocol §8.12.
 */
export async function votesIn(
  { chain, ended, champions }: VotesRequest,
  { before, snapshot: { validators } }: Settled,
): Promise<Votes | undefined> {
  const { epoch, protocol, champion } = before
  const lag = lagOf(ended, protocol)
  const uidOf = new Map(ended.neurons.map(({ hotkey, uid }) => [hotkey, uid]))
  const uid = uidOf.get(champion?.hotkey ?? '')
  if (uid === undefined || champions.length <= lag) return undefined
  const owed = new Set(champions.slice(-lag - 1).map((hotkey) => uidOf.get(hotkey ?? '')))
  const weights = new Map(Object.entries(await chain.weights(snapshotBlock(epoch + 1, protocol))))
  const rows = validators.flatMap(({ hotkey }) => {
    const row = (weights.get(hotkey) ?? []).filter(([, weight]) => weight > 0)
    return row.length > 0 ? [{ hotkey, row }] : []
  })
  const agreeing = rows.filter(({ row }) => goesTo(row) === uid).length
  const others = rows
    .filter(({ row }) => !owed.has(goesTo(row)))
    .map(({ hotkey, row }): Warning => {
      const given = row.map(([to, weight]) => `${weight} to uid ${to}`)
      const detail = `expected all to uid ${uid}, got ${given.join(', ')}`
      return { epoch, validator: hotkey, code: 'OTHER_WEIGHTS', detail }
    })
  return { uid, validators: rows.length, agreeing, others }
}

/** The one uid that has all the weight; -1 where there are several. */
const goesTo = (row: UidWeights): number => (row.length === 1 ? (row[0]?.[0] ?? -1) : -1)

/** For how many epochs weights may wait until they are in force. */
export function lagOf({ revealPeriod, tempo }: Snapshot, { epochBlocks }: Protocol): number {
  if (revealPeriod === 0) return 0
  return Math.ceil(((revealPeriod + 1) * tempo) / epochBlocks)
}
