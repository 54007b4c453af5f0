import { own } from '@affine/prng'
import { compare } from './ascending.ts'
import {
  type Candidate,
  contentOf,
  type DuelSnapshot,
  type LastPlayed,
  type Miner,
  minerOf,
  type State,
} from './state.ts'

/** A text with one has no digest. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Who has a turn, and what everybody last played with. */
type Turns = Pick<State, 'champion' | 'duels' | 'lastPlayed'>

/**
 * The miners that wait for a duel, in the order in which they will have their turns: registered
 * ones, but for those that have one, or would play what they played last. The longest wait is
 * first. Protocol §8.12.
 */
export function queueOf(turns: Turns, snapshot: DuelSnapshot): readonly Miner[] {
  const registered = new Set(snapshot.hotkeys)
  const playing = playingIn(turns)
  const waiting = snapshot.miners.filter(
    (miner) =>
      registered.has(miner.hotkey) &&
      !playing.has(miner.hotkey) &&
      hasDigest(miner) &&
      own(turns.lastPlayed, miner.hotkey)?.content !== contentOf(miner),
  )
  const since = ({ hotkey, block, registered }: Candidate): number =>
    Math.max(block, registered, own(turns.lastPlayed, hotkey)?.left ?? 0)
  return waiting
    .sort((a, b) => compare(since(a), since(b)) || compare(a.hotkey, b.hotkey))
    .map(minerOf)
}

/** The champion and everybody in the list. */
export const playingIn = ({ champion, duels }: Omit<Turns, 'lastPlayed'>): ReadonlySet<string> =>
  new Set(
    [champion, ...duels.map(({ contender }) => contender)].flatMap((miner) => miner?.hotkey ?? []),
  )

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' '))

/**
 * With these miners' turns: begun, so that they are out of the queue; or over, with `left`, the
 * last block before they were out of list or throne. Protocol §8.12.
 */
export function recordTurns(
  lastPlayed: State['lastPlayed'],
  miners: readonly Miner[],
  left?: number,
): State['lastPlayed'] {
  const turnOf = (miner: Miner): LastPlayed => ({
    content: contentOf(miner),
    ...(left !== undefined && { left }),
  })
  const turns = miners.map((miner) => [miner.hotkey, turnOf(miner)] as const)
  return { ...lastPlayed, ...Object.fromEntries(turns) }
}
