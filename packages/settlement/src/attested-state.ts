import { statePath } from '@affine/blocks'
import { type DuelSnapshot, firstState, parseState, type State, stateRoot } from '@affine/duel'
import type { Hash } from '@affine/prng'
import type { Subnet } from './networks.ts'
import { bucketUrls, duelSnapshot } from './snapshot.ts'
import type { OpenBucket, Source } from './sources.ts'
import { placeOf, snapshotBlock } from './timetable.ts'

/** A few hundred hotkeys take well under this. */
export const STATE_BYTES: number = 8 * 1024 * 1024

/** A subnet, and how the buckets of its validators are opened. */
export interface PublicData extends Subnet {
  readonly openBucket: OpenBucket
}

/**
 * Where who only reads begins, to see the last `epochs` that ended: with the state that more than
 * half the stake attested by then. With the network's first, where there is none.
 */
export async function readersState(data: PublicData, epochs: number): Promise<State> {
  const { protocol, firstEpoch } = data.network
  const { epoch } = placeOf((await data.chain.head()).number, protocol)
  const attested = await attestedState(data, epoch - epochs + 1)
  return attested ?? firstState(protocol, firstEpoch)
}

/**
 * The state that governed the epoch before `epoch`, if validators with more than half the stake
 * attested one root; else null. It is believed, not recomputed.
 * @throws Error when they did, and none of their buckets serves the state.
 */
export async function attestedState(data: PublicData, epoch: number): Promise<State | null> {
  const { protocol, firstEpoch } = data.network
  if (epoch <= firstEpoch) return null
  const ended = await data.chain.snapshot(snapshotBlock(epoch, protocol))
  const root = attestedRoot(duelSnapshot(ended, epoch, protocol))
  if (root === undefined) return null
  const path = statePath(epoch - 1)
  for (const [hotkey, url] of bucketUrls(ended)) {
    const state = await readState(data.openBucket(hotkey, url), path)
    if (state !== null && stateRoot(state) === root) return state
  }
  const advice = 'wait; or give --replay, or no --last'
  throw new Error(`nobody serves ${path} with the attested root ${root}: ${advice}`)
}

/** The root that more than half the stake attests for the epoch before. */
function attestedRoot({ epoch, validators }: DuelSnapshot): Hash | undefined {
  const stakes = new Map<Hash, bigint>()
  let all = 0n
  for (const { stake, attest } of validators) {
    all += stake
    if (attest?.epoch !== epoch - 1) continue
    stakes.set(attest.stateRoot, (stakes.get(attest.stateRoot) ?? 0n) + stake)
  }
  return [...stakes].find(([, stake]) => 2n * stake > all)?.[0]
}

/** The state in a source's file; null when it has none that can be read. */
async function readState(source: Source | null, path: string): Promise<State | null> {
  const bytes = (await source?.read(path, STATE_BYTES).catch(() => null)) ?? null
  if (bytes === null) return null
  const state = parseState(new TextDecoder().decode(bytes))
  return state.ok ? state.value : null
}
