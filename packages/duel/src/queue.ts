import { compare } from './ascending.ts'
import { own } from './own-keys.ts'
import {
  type Candidate,
  contentOf,
  type DuelSnapshot,
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
const playingIn = ({ champion, duels }: Omit<Turns, 'lastPlayed'>): ReadonlySet<string> =>
  new Set(
    [champion, ...duels.map(({ contender }) => contender)].flatMap((miner) => miner?.hotkey ?? []),
  )

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' '))

/** With these miners out of the queue, for duel or throne. Protocol §8.12. */
export function withTurn(
  lastPlayed: State['lastPlayed'],
  miners: readonly Miner[],
): State['lastPlayed'] {
  const begun = miners.map((miner) => [miner.hotkey, { content: contentOf(miner) }] as const)
  return { ...lastPlayed, ...Object.fromEntries(begun) }
}

/** With these miners out of list or throne since the epoch before `snapshot`. Protocol §8.12. */
export function withoutTurn(
  lastPlayed: State['lastPlayed'],
  miners: readonly Miner[],
  { epoch, protocol }: DuelSnapshot,
): State['lastPlayed'] {
  const left = protocol.epochBlocks * epoch - 1
  const ended = miners.map((miner) => [miner.hotkey, { content: contentOf(miner), left }] as const)
  return { ...lastPlayed, ...Object.fromEntries(ended) }
}

/** Without those who neither are registered nor have a turn. Protocol §8.12. */
export function knownOnly(
  { lastPlayed, ...playing }: Turns,
  { hotkeys }: DuelSnapshot,
): State['lastPlayed'] {
  const known = new Set([...hotkeys, ...playingIn(playing)])
  return Object.fromEntries(Object.entries(lastPlayed).filter(([hotkey]) => known.has(hotkey)))
}
