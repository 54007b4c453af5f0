import { compare } from './ascending.ts'
import type { Judgement } from './judgement.ts'
import { own } from './own-keys.ts'
import {
  type Candidate,
  contentOf,
  type Duel,
  type DuelSnapshot,
  isFrozenOut,
  type Miner,
  minerOf,
  type State,
  type Turns,
} from './state.ts'
import type { Winner } from './verdicts.ts'

/** Who has the throne in the coming epoch, and who waits. */
export interface NextThrone {
  /** How the duel ended, if it did. */
  readonly outcome: Winner | undefined
  /** The duel, if it goes on. */
  readonly running: Duel | undefined
  readonly champion: Miner | undefined
  /** Who of the duel that ended has the throne. */
  readonly heir: Winner | undefined
  /** Has it the throne by the duel's verdicts? */
  readonly isDethroned: boolean
  /** The champion, if it took an empty throne from the queue. */
  readonly crowned: Miner | undefined
  readonly dueled: State['dueled']
  /** The queue, without who was crowned. */
  readonly waiting: readonly Miner[]
}

/** The winner, who stands, or the first of the queue has the throne. Protocol §8.11. */
export function fillThrone(
  state: State,
  judged: Judgement | undefined,
  snapshot: DuelSnapshot,
): NextThrone {
  const standing = new Set(candidatesIn(snapshot).map(contentOf))
  const ifStanding = (miner: Miner | undefined): Miner | undefined => {
    if (miner && standing.has(contentOf(miner))) return miner
    return undefined
  }
  const holder = ifStanding(state.champion)
  const rival = ifStanding(judged?.duel.contender)

  const verdict = judged?.report.outcome
  const outcome = judged && (verdict ?? leaverLoses({ holder, rival }))
  const running = outcome ? undefined : judged?.duel
  const dueled = outcome ? turnsAfter(state, judged.duel) : state.dueled
  const waiting = nextContenders({ ...state, dueled }, snapshot)
  const rest = { outcome, running, dueled }
  const champion = outcome === 'contender' ? rival : holder
  if (champion) {
    const isDethroned = verdict === 'contender'
    return { ...rest, champion, heir: outcome, isDethroned, crowned: undefined, waiting }
  }
  const [crowned, ...others] = waiting
  const taken = { champion: crowned, heir: undefined, isDethroned: false, crowned }
  return { ...rest, ...taken, waiting: others }
}

/** The turns when a duel has ended: one that froze is not held against its contender's content. */
function turnsAfter({ dueled, epoch }: State, duel: Duel): State['dueled'] {
  return endTurn(dueled, duel.contender, { epoch, isForgotten: isFrozenOut(duel) })
}

/** Who leaves loses, the contender first: with both gone the throne is empty. Protocol §8.11. */
function leaverLoses({ holder, rival }: DuelSides): Winner | undefined {
  if (!rival) return 'champion'
  if (!holder) return 'contender'
  return undefined
}

/** The two of a duel, absent if they do not stand. */
interface DuelSides {
  readonly holder: Miner | undefined
  readonly rival: Miner | undefined
}

/** A text with one has no digest. */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Who waits for a duel, in the order in which they will have their turns if nobody else comes:
 * registered miners, but for those that would play what they played last. The turns alternate. One
 * is for the miner with the fewest, so that fresh keys do not wait; the other for the one that
 * waits longest, so that fresh keys cannot keep it waiting. Protocol §8.11.
 */
export function nextContenders(
  { dueled, turns }: Pick<State, 'dueled' | 'turns'>,
  snapshot: DuelSnapshot,
): readonly Miner[] {
  const had = (miner: Candidate) => turnsOf(dueled, miner)
  const waiting = candidatesIn(snapshot).filter((miner) => had(miner)?.content !== contentOf(miner))
  const since = (miner: Candidate) => waitsSince(miner, had(miner), snapshot.protocol)
  const longest = waiting.sort((a, b) => compare(since(a), since(b)) || compare(a.hotkey, b.hotkey))
  const duels = (miner: Candidate) => had(miner)?.duels ?? 0
  const fewest = [...longest].sort((a, b) => compare(duels(a), duels(b)))
  return alternate([fewest, longest], turns).map(minerOf)
}

/** The first of the one list that was not taken, then of the other, from list `turn` mod 2 on. */
function alternate(
  lists: readonly [readonly Candidate[], readonly Candidate[]],
  turn: number,
): readonly Candidate[] {
  const taken = new Set<Candidate>()
  for (let i = turn; taken.size < lists[0].length; i++) {
    const next = (i % 2 === 0 ? lists[0] : lists[1]).find((miner) => !taken.has(miner))
    if (next) taken.add(next)
  }
  return [...taken]
}

/** The block since which a miner waits. Protocol §8.11. */
function waitsSince(
  { block, registered }: Candidate,
  had: Turns | undefined,
  { epochBlocks }: DuelSnapshot['protocol'],
): number {
  const since = Math.max(block, registered)
  if (had === undefined) return since
  return Math.max(since, (had.ended + 1) * epochBlocks)
}

/** Registered miners that a digest can hold. */
export function candidatesIn({ hotkeys, miners }: DuelSnapshot): readonly Candidate[] {
  const registered = new Set(hotkeys)
  return miners.filter((miner) => registered.has(miner.hotkey) && hasDigest(miner))
}

/** The turns with one more for each of `served`, begun in the epoch decided. Protocol §8.11. */
export function countTurns(
  dueled: State['dueled'],
  served: readonly Miner[],
  snapshot: DuelSnapshot,
): State['dueled'] {
  const candidates = candidatesIn(snapshot).filter((one) =>
    served.some(({ hotkey }) => hotkey === one.hotkey),
  )
  const counted = candidates.map((miner): [hotkey: string, turns: Turns] => {
    const duels = (turnsOf(dueled, miner)?.duels ?? 0) + 1
    const { hotkey, registered } = miner
    return [hotkey, { registered, duels, ended: snapshot.epoch - 1, content: contentOf(miner) }]
  })
  return { ...dueled, ...Object.fromEntries(counted) }
}

/** How a contender's turn ended. */
interface TurnEnd {
  readonly epoch: number
  /** May it play with the same content again? */
  readonly isForgotten: boolean
}

/** The turns with the end of this contender's. Protocol §8.11. */
export function endTurn(
  dueled: State['dueled'],
  { hotkey }: Miner,
  { epoch, isForgotten }: TurnEnd,
): State['dueled'] {
  const had = own(dueled, hotkey)
  if (had === undefined) return dueled
  const { content, ...rest } = had
  const kept = isForgotten || content === undefined ? {} : { content }
  return { ...dueled, ...Object.fromEntries([[hotkey, { ...rest, ...kept, ended: epoch }]]) }
}

/** What this registration of the miner has had: a hotkey that registers anew starts anew. */
function turnsOf(dueled: State['dueled'], { hotkey, registered }: Candidate): Turns | undefined {
  const turns = own(dueled, hotkey)
  return turns?.registered === registered ? turns : undefined
}

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' '))
