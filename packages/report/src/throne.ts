import { contentOf, type Miner } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { duelEnd } from './duel-facts.ts'

/** What can happen to the throne at an epoch's end. */
export type ThroneChange =
  | 'dethroned'
  | 'inherited'
  | 'held'
  | 'failed-and-left'
  | 'won-and-left'
  | 'crowned'
  | 'emptied'

/**
 * What happened to the throne at an epoch's end, in order; empty while a duel goes on.
 * Protocol §8.11.
 */
export function throneChanges(settled: Settled): readonly ThroneChange[] {
  const { before, state } = settled
  const change = duelChange(settled)
  const changes = change === undefined ? [] : [change]
  const isTaken = change === 'dethroned' || change === 'inherited'
  if (isTaken || isSame(state.champion, before.champion)) return changes
  return [...changes, state.champion ? 'crowned' : 'emptied']
}

/** The miner that took the empty throne at this epoch's end, if one did. Protocol §8.11. */
export const crownedIn = (settled: Settled): Miner | undefined =>
  throneChanges(settled).includes('crowned') ? settled.state.champion : undefined

function duelChange(settled: Settled): ThroneChange | undefined {
  const { before, state } = settled
  const end = duelEnd(settled)
  if (before.duel === undefined || end === undefined) return undefined
  const { champion, contender } = before.duel
  if (end.winner === 'champion')
    return isSame(state.champion, champion) ? 'held' : 'failed-and-left'
  if (!isSame(state.champion, contender)) return 'won-and-left'
  return end.by === 'environments' ? 'dethroned' : 'inherited'
}

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && contentOf(a)) === (b && contentOf(b))
