import { own } from '@affine/prng'
import { compare } from './ascending.ts'
import {
  type Candidate,
  type DuelSnapshot,
  digestContent,
  type LastPlayed,
  type Miner,
  pickMiner,
  type State,
} from './state.ts'

/** Texts with a lone surrogate have no digest. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** The miners with a turn, and the last turn of each. */
type Turns = Pick<State, 'champion' | 'duels' | 'lastPlayed'>

/**
 * Returns the queue, longest wait first: registered miners, except miners that play already, or
 * whose commitment is that of their last turn. Protocol §8.12.
 */
export function orderQueue(turns: Turns, snapshot: DuelSnapshot): readonly Miner[] {
  const registered = new Set(snapshot.hotkeys)
  const playing = listPlaying(turns)
  const waiting = snapshot.miners.filter(
    (miner) =>
      registered.has(miner.hotkey) &&
      !playing.has(miner.hotkey) &&
      hasDigest(miner) &&
      own(turns.lastPlayed, miner.hotkey)?.content !== digestContent(miner),
  )
  const since = ({ hotkey, block, registered }: Candidate): number =>
    Math.max(block, registered, own(turns.lastPlayed, hotkey)?.left ?? 0)
  return waiting
    .sort((a, b) => compare(since(a), since(b)) || compare(a.hotkey, b.hotkey))
    .map(pickMiner)
}

/** Returns the hotkeys of the champion and of all contenders. */
export const listPlaying = ({ champion, duels }: Omit<Turns, 'lastPlayed'>): ReadonlySet<string> =>
  new Set(
    [champion, ...duels.map(({ contender }) => contender)].flatMap((miner) => miner?.hotkey ?? []),
  )

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(pickMiner(miner)).join(' '))

/**
 * Returns `lastPlayed` with the turns of these miners. `left` is the last block of an ended turn;
 * without it the turn begins, and the miners leave the queue. Protocol §8.12.
 */
export function recordTurns(
  lastPlayed: State['lastPlayed'],
  miners: readonly Miner[],
  left?: number,
): State['lastPlayed'] {
  const turnOf = (miner: Miner): LastPlayed => ({
    content: digestContent(miner),
    ...(left !== undefined && { left }),
  })
  const turns = miners.map((miner) => [miner.hotkey, turnOf(miner)] as const)
  return { ...lastPlayed, ...Object.fromEntries(turns) }
}
