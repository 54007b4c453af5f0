import {
  type BlockFault,
  blockPath,
  LIMITS,
  readBlock,
  type Sample,
  statePath,
} from '@affine/blocks'
import { type Chain, verify } from '@affine/chain'
import { encodeState, genesis, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import { beaconBlock, bucketUrls, type Network, place } from './network.ts'
import { checkLane, type LaneVerdict, type Settled, settleEpoch } from './settle.ts'
import { type Source, sourceReader } from './sources.ts'

/** Something in the public data that is not as it should be: whose, where, and why. */
export interface Flaw {
  readonly epoch: number
  /** The validator whose lane or bucket it is. */
  readonly validator: string
  readonly code:
    | BlockFault
    | 'STATE_DIFFERS'
    | 'COPY_MISSING'
    | 'COPY_DIFFERS'
    | 'WRONG_ROOT_ATTESTED'
  readonly detail: string
}

/** One epoch, recomputed from bytes. */
export type Recomputed = Settled & { readonly epoch: number; readonly flaws: readonly Flaw[] }

export interface RecomputeOptions {
  readonly chain: Chain
  readonly network: Network
  /** Opens the bucket that a validator announced; null when it may not be opened. */
  readonly openBucket: (hotkey: string, url: string) => Source | null
  /** The state to begin with, taken as it is; the network's first without. */
  readonly from?: State
  /** False: takes one authentic copy of what it needs, and looks at no other. */
  readonly compare?: boolean
  /** Sees every sample of every lane, before its lane is known to be whole. */
  readonly onSample?: (
    sample: Sample,
    where: { readonly validator: string; readonly block: Hash },
  ) => void
}

/**
 * Decides every epoch that the chain has closed, from the network's first or `from` on, and says of
 * each what did not hold. Lanes are read from their validator's own bucket, then from any other;
 * all attested copies are compared. Holds one block at a time.
 *
 * @throws Unavailable when data that an epoch needs is nowhere: what comes after cannot be decided.
 */
export async function* recompute(options: RecomputeOptions): AsyncGenerator<Recomputed, void> {
  const { chain, network, from = genesis(network.protocol, network.firstEpoch) } = options
  const { number } = await chain.head()
  const { epoch: last } = place(number + 1, network.protocol)
  for (let state = from; state.epoch < last; ) {
    const recomputed = await recomputeEpoch(options, state)
    yield recomputed
    state = recomputed.state
  }
}

async function recomputeEpoch(
  { chain, network, openBucket, ...more }: RecomputeOptions,
  state: State,
) {
  const { epoch, protocol } = state
  const flaws: Flaw[] = []
  const flaw = (validator: string, code: Flaw['code'], detail: string) =>
    flaws.push({ epoch, validator, code, detail })
  const ended = await chain.snapshot(beaconBlock(epoch + 1, protocol) - 1)
  const sources = [...bucketUrls(ended)].flatMap(([hotkey, url]) => openBucket(hotkey, url) ?? [])
  const compared = more.compare === false ? [] : sources
  const missing: (readonly [validator: string, holder: string, hash: Hash])[] = []
  const check = async (validator: string, head: Hash): Promise<LaneVerdict> => {
    const ownFirst = [...sources].sort(
      (a, b) => Number(b.name === validator) - Number(a.name === validator),
    )
    const read = sourceReader(ownFirst, async (hash, bytes, samples) => {
      for (const sample of samples) more.onSample?.(sample, { validator, block: hash })
      for (const source of compared) {
        const copy = await readQuietly(source, blockPath(hash))
        if (copy === null) missing.push([validator, source.name, hash])
        if (copy === null || Buffer.compare(copy, bytes) === 0) continue
        const block = readBlock(copy, { hash, verify })
        flaw(
          source.name,
          block.ok ? 'COPY_DIFFERS' : block.code,
          `its copy of block ${hash} of ${validator}`,
        )
      }
    })
    const verdict = await checkLane(chain, state, validator, head, read)
    if (!verdict.ok) flaw(validator, verdict.code, verdict.detail)
    return verdict
  }
  // One lane after the other: their blocks are large.
  let before: Promise<unknown> = Promise.resolve()
  const settled = await settleEpoch(chain, network, state, (validator, head) => {
    const verdict = before.then(() => check(validator, head))
    before = verdict.catch(() => undefined)
    return verdict
  })
  // Who attested a lane said that its own bucket serves it.
  for (const [validator, holder, hash] of missing) {
    const attested = settled.report.lanes[validator]?.attesters.includes(holder)
    if (attested) flaw(holder, 'COPY_MISSING', `it attested block ${hash} of ${validator}`)
  }
  // States that buckets hold must be the one that follows; attested roots must be that of the state
  // before.
  const expected = Buffer.from(encodeState(settled.state))
  for (const source of compared) {
    const kept = await readQuietly(source, statePath(epoch + 1))
    if (kept !== null && !expected.equals(kept))
      flaw(source.name, 'STATE_DIFFERS', statePath(epoch + 1))
  }
  const root = stateRoot(state)
  for (const { hotkey, attest } of settled.snapshot.validators) {
    if (attest?.epoch !== epoch || attest.stateRoot === root) continue
    flaw(hotkey, 'WRONG_ROOT_ATTESTED', `expected ${root}, got ${attest.stateRoot}`)
  }
  return { epoch, ...settled, flaws }
}

/** Null when it cannot be had, for whatever reason. */
const readQuietly = (source: Source, path: string) =>
  source.read(path, LIMITS.blockBytes).catch(() => null)
