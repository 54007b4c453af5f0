import type { Snapshot } from '@affine/chain'
import type { Duel } from '@affine/duel'
import { commitmentsOf } from './snapshot.ts'

/** A voter, and the address of the bucket that it announced: untrusted text. */
export interface Holder {
  readonly hotkey: string
  readonly url: string
}

/**
 * The voters of a duel that have announced a bucket, the heaviest first; nobody without a duel.
 * Nobody else's bucket is opened: whoever has no weight costs nobody any time. Protocol §6.4.
 */
export function holdersOf(
  duel: Pick<Duel, 'weights'> | undefined,
  chain: Snapshot,
): readonly Holder[] {
  const weights = new Map(Object.entries(duel?.weights ?? {}))
  const weightOf = ({ hotkey }: Holder): number => weights.get(hotkey) ?? 0
  return [...commitmentsOf(chain)]
    .flatMap(([hotkey, said]) => {
      if (said.kind === 'miner' || !weights.has(hotkey)) return []
      return [{ hotkey, url: said.url }]
    })
    .sort((a, b) => weightOf(b) - weightOf(a) || (a.hotkey < b.hotkey ? -1 : 1))
}

/**
 * Whom to ask for a lane. Without attesters: its validator, then the other voters. To decide: its
 * attesters, from the one on that comes after its validator in `holders`, so that not all lanes are
 * asked of the heaviest; then its validator, then the other voters. Protocol §6.4.
 */
export function inReadingOrder(
  holders: readonly Holder[],
  validator: string,
  attesters: readonly string[] = [],
): readonly Holder[] {
  const own = holders.findIndex(({ hotkey }) => hotkey === validator)
  const inTurn = [...holders.slice(own + 1), ...holders.slice(0, own + 1)]
  const ranks = new Map(attesters.map((hotkey) => [hotkey, 0]))
  ranks.set(validator, 1)
  const rankOf = ({ hotkey }: Holder): number => ranks.get(hotkey) ?? 2
  return inTurn.sort((a, b) => rankOf(a) - rankOf(b))
}
