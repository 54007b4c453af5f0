import { compare } from './record.ts'
import type { DuelSnapshot } from './snapshot.ts'
import { contentOf, type Miner, minerOf, type State } from './state.ts'

/** A text with one has no digest. */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Who waits for a duel, the next first: registered miners without a permit, by the block of their
 * commitment, then hotkey. A commitment has one duel, so those in `dueled` are out. Protocol §8.11.
 */
export function nextContenders(
  { dueled }: Pick<State, 'dueled'>,
  snapshot: DuelSnapshot,
): readonly Miner[] {
  const permitted = new Set(snapshot.validators.map(({ hotkey }) => hotkey))
  const served = new Set(dueled)
  return candidatesIn(snapshot).filter(
    (miner) => !permitted.has(miner.hotkey) && !served.has(contentOf(miner)),
  )
}

/** Registered miners that a digest can hold, by the block of their commitment, then hotkey. */
export function candidatesIn({ hotkeys, miners }: DuelSnapshot): readonly Miner[] {
  const registered = new Set(hotkeys)
  return miners
    .filter((miner) => registered.has(miner.hotkey) && hasDigest(miner))
    .sort((a, b) => compare(a.block, b.block) || compare(a.hotkey, b.hotkey))
    .map(minerOf)
}

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' '))
