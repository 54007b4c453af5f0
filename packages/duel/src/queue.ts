import { compare } from './record.ts'
import { contentOf, type Miner, minerOf, type Snapshot, type State } from './state.ts'

const LONE_SURROGATE = /\p{Surrogate}/u // such a text has no digest

/**
 * Who waits for a duel, the next first: registered miners without a permit, by the block of their commitment, then
 * hotkey. A commitment has one duel, so those in `dueled` are out.
 */
export function queue({ dueled }: Pick<State, 'dueled'>, { hotkeys, validators, miners }: Snapshot): Miner[] {
  const registered = new Set(hotkeys)
  const permitted = new Set(validators.map(({ hotkey }) => hotkey))
  const served = new Set(dueled)
  return miners
    .filter((miner) => registered.has(miner.hotkey) && !permitted.has(miner.hotkey))
    .filter((miner) => !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' ')) && !served.has(contentOf(miner)))
    .sort((a, b) => compare(a.block, b.block) || compare(a.hotkey, b.hotkey))
    .map(minerOf)
}

/** Is this miner registered, and does it still commit to the same content? */
export function stands({ hotkey, model, revision, chute }: Miner, { hotkeys, miners }: Snapshot): boolean {
  return (
    hotkeys.includes(hotkey) &&
    miners.some((m) => m.hotkey === hotkey && m.model === model && m.revision === revision && m.chute === chute)
  )
}
