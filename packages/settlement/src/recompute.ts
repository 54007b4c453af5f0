import type { State } from '@affine/duel'
import { openCopies } from './answering.ts'
import { attestationFaults } from './attestation-faults.ts'
import type { PublicData } from './attested-state.ts'
import { SYSTEM_CLOCK } from './clock.ts'
import type { Choose } from './copies.ts'
import type { Flaw, UndatedFlaw } from './differing.ts'
import { laneFinder, type OnSample } from './lane-finder.ts'
import { firstStateOf } from './networks.ts'
import { Owners } from './owners.ts'
import { Patience } from './patience.ts'
import { type Settled, settleEpoch } from './settle.ts'
import type { CheckBlock, Failed } from './sources.ts'
import { placeOf, snapshotBlock } from './timetable.ts'
import { type Champions, type Votes, votesIn, type Warning, withheldBits } from './warnings.ts'

/** One epoch, recomputed from bytes. */
export interface Recomputed extends Settled {
  readonly epoch: number
  readonly flaws: readonly Flaw[]
  /** None without comparing. */
  readonly warnings: readonly Warning[]
  /** Of the weights on chain at its end; undefined without comparing. */
  readonly votes: Votes | undefined
}

export interface RecomputeOptions extends PublicData {
  /** The state to begin with, taken as it is; the network's first without. */
  readonly from?: State
  /** Of the epochs right before, as far as they are known. */
  readonly champions?: Champions
  /** The epoch to end with; the last that the chain has closed without. */
  readonly to?: number | undefined
  /** False: takes one authentic copy of what it needs, and looks at no other. */
  readonly compare?: boolean
  /** Whose copies of a block are compared, of all who answer for one; all without, none if null. */
  readonly choose?: Choose | null | undefined
  /**
   * Sees the samples of every lane that is whole, once it is known to be, and none of a void one:
   * the lanes one after the other, their order always the same, each from its first sample on.
   * Lanes that are read are held meanwhile: `lanesAtOnce` of them, of some 1.3 kB a sample where
   * replies are short, and of at most 128 KiB. Nothing is held without.
   */
  readonly onSample?: OnSample | undefined
  /** Of earlier epochs, too: without, there is all of it at the start. */
  readonly patience?: Patience
  /** Audits blocks; without, it is done in this thread. */
  readonly check?: CheckBlock
  /** How many lanes are read side by side, each a block at a time: at most 32, one without. */
  readonly lanesAtOnce?: number
}

/**
 * Decides every epoch that the chain has closed, from the network's first or `from` on, and says of
 * each what did not hold. Lanes are read from the buckets of the duel's voters alone: from their
 * attesters' in turn, then from their validator's own, then from any other; all attested copies are
 * compared. Holds a block of each lane that it reads, 32 copies, and 32 late answers.
 *
 * What it finds of an epoch does not depend on where it began, but for `votes` where `champions`
 * are not known as far back as weights may wait.
 *
 * @throws Unavailable when data that an epoch needs is nowhere: what comes after cannot be decided.
 *   RangeError when `to` has not ended, or comes before the beginning.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<Recomputed, void> {
  const { chain, network } = options
  const { from = firstStateOf(network) } = options
  const { number } = await chain.head()
  const open = placeOf(number + 1, network.protocol).epoch
  const { to = open - 1 } = options
  if (to >= open)
    throw new RangeError(`epoch ${to} has not ended, the last that has is ${open - 1}`)
  if (to < from.epoch && options.to !== undefined)
    throw new RangeError(`epoch ${to} comes before the one to begin with, ${from.epoch}`)
  const { clock = SYSTEM_CLOCK, patience = new Patience(clock) } = options
  const openBucket = patience.open(options.openBucket)
  const reading = { ...options, openBucket, clock: patience.clock, patience }
  const owners = new Owners()
  const champions = [...(options.champions ?? [])]
  for (let state = from; state.epoch <= to; ) {
    champions.push(state.champion?.hotkey)
    const recomputed = await recomputeEpoch({ ...reading, owners, champions }, state)
    yield recomputed
    state = recomputed.state
  }
}

/** What is known besides when an epoch is recomputed. */
interface RecomputeContext extends RecomputeOptions {
  readonly owners: Owners
  readonly patience: Patience
  /** Up to the epoch's. */
  readonly champions: Champions
}

async function recomputeEpoch(options: RecomputeContext, state: State): Promise<Recomputed> {
  const { chain, compare = true, patience } = options
  const { epoch, duel } = state
  const failed: Failed = new Set()
  patience.weigh(duel?.weights ?? {})
  const ended = compare && (await chain.snapshot(snapshotBlock(epoch + 1, state.protocol)))
  const looking = { ...options, choose: options.choose ?? undefined, patience }
  const copies = ended && duel && openCopies(looking, state, { duel, ended, failed })
  const compared = copies && options.choose !== null ? copies : undefined
  // Whoever compares looks at every lane that is due.
  const settled = await settleEpoch(options, state, {
    find: laneFinder({ ...options, state, failed, copies: compared }),
    isWanted: () => compare,
  })
  const flawsOf = (found: readonly UndatedFlaw[]): readonly Flaw[] =>
    found.map((flaw) => ({ epoch, ...flaw }))
  if (!ended) {
    const flaws = flawsOf([...faultsIn(settled), ...attestationFaults(settled)])
    return { epoch, ...settled, flaws, warnings: [], votes: undefined }
  }
  // Without a duel, those answer that would vote in the next and attested the epoch.
  const { quorum } = settled
  if (!copies) patience.weigh(quorum.weights)
  const looked = copies || openCopies(looking, state, { duel: quorum, ended, failed })
  const differing = await looked.flaws([state, settled.state])
  const flaws = flawsOf([...faultsIn(settled), ...differing, ...attestationFaults(settled)])
  const votes = await votesIn({ ...options, ended }, settled)
  const warnings = [...withheldBits(settled), ...(votes?.others ?? [])]
  return { epoch, ...settled, flaws, warnings, votes }
}

function faultsIn({ lanes }: Settled): readonly UndatedFlaw[] {
  return [...lanes].flatMap(([validator, lane]) => {
    if (lane.ok) return []
    return [{ validator, code: lane.code, detail: lane.detail }]
  })
}
