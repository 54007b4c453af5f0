import { compare } from './ascending.ts'
import { own } from './own-keys.ts'
import type { Candidate, DuelSnapshot } from './snapshot.ts'
import { contentOf, type Miner, minerOf, type State, type Turns } from './state.ts'

/** A text with one has no digest. */
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * Who waits for a duel, the next first: registered miners by the duels that their registration has
 * had, then by when they came, then hotkey. So who commits again goes behind who never played, and
 * an old commitment gains nothing under a new registration. What was just played is not played
 * again. Protocol §8.11.
 */
export function nextContenders(
  { dueled }: Pick<State, 'dueled'>,
  snapshot: DuelSnapshot,
): readonly Miner[] {
  const turns = (miner: Candidate) => turnsOf(dueled, miner)
  const came = ({ block, registered }: Candidate) => Math.max(block, registered)
  return candidatesIn(snapshot)
    .filter((miner) => turns(miner)?.content !== contentOf(miner))
    .sort(
      (a, b) =>
        compare(turns(a)?.duels ?? 0, turns(b)?.duels ?? 0) ||
        compare(came(a), came(b)) ||
        compare(a.hotkey, b.hotkey),
    )
    .map(minerOf)
}

/** Registered miners that a digest can hold. */
export function candidatesIn({ hotkeys, miners }: DuelSnapshot): readonly Candidate[] {
  const registered = new Set(hotkeys)
  return miners.filter((miner) => registered.has(miner.hotkey) && hasDigest(miner))
}

/** The turns with one more for each of `served`. Protocol §8.11. */
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
    return [miner.hotkey, { registered: miner.registered, duels, content: contentOf(miner) }]
  })
  return { ...dueled, ...Object.fromEntries(counted) }
}

/** What this registration of the miner has had: a hotkey that registers anew starts anew. */
function turnsOf(dueled: State['dueled'], { hotkey, registered }: Candidate): Turns | undefined {
  const turns = own(dueled, hotkey)
  return turns?.registered === registered ? turns : undefined
}

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' '))
