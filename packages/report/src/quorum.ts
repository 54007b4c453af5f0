import { nextContenders } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { otherState } from './other-state.ts'

/** An active validator whose attestation did not count. */
export type MissingVoter = {
  readonly hotkey: string
  /** The stake that it would vote with, in rao, in digits. */
  readonly stake: string
  readonly weightPpm: number
  /** The last epoch in which its attestation counted; undefined if none did. */
  readonly lastEpoch: number | undefined
  /** Did it attest this epoch, but another state of it? */
  readonly isElsewhere: boolean
  /** At the end of this epoch it is not waited for any more. */
  readonly droppedIn: number
}

/** Why no duel starts though a miner waits: too few of the active validators attested. */
export interface MissingQuorum {
  /** The share of the weight that attested, in ppm. */
  readonly attestedPpm: number
  /** The heaviest first. */
  readonly missing: readonly MissingVoter[]
}

/** Undefined unless a quorum is all that a duel lacked at the epoch's end. Protocol §8.1. */
export function missingQuorum(settled: Settled): MissingQuorum | undefined {
  const { before, state, snapshot, quorum } = settled
  const isWaiting = nextContenders(state, snapshot).length > 0
  if (state.duel !== undefined || state.champion === undefined || !isWaiting) return undefined

  const { weights, stakes, heard } = quorum
  const elsewhere = otherState(settled)?.hotkeys ?? []
  const all = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  const shareOf = (weight: number): number => Math.floor((1_000_000 * weight) / all)
  const missing = Object.entries(weights)
    .filter(([hotkey]) => !heard.has(hotkey))
    .sort(([, a], [, b]) => b - a)
    .map(([hotkey, weight]): MissingVoter => {
      const lastEpoch = before.attested?.[hotkey]?.epoch
      const droppedIn = (lastEpoch ?? before.epoch) + before.protocol.quorumEpochs
      const stake = stakes[hotkey] ?? ''
      const isElsewhere = elsewhere.includes(hotkey)
      return { hotkey, stake, weightPpm: shareOf(weight), lastEpoch, isElsewhere, droppedIn }
    })
  const absent = missing.reduce((sum, { hotkey }) => sum + (weights[hotkey] ?? 0), 0)
  return { attestedPpm: all === 0 ? 0 : shareOf(all - absent), missing }
}
