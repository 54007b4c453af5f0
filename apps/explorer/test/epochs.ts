import type { State } from '@affine/duel'
import { epochOf, type Scene, startedDuels } from '../../../packages/duel/test/subnet.ts'
import { settledBy } from '../../../packages/report/test/history.ts'
import { type EpochAccount, EpochAccounts } from '../src/worker/epoch-accounts.ts'

/**
 * Decides one epoch for each scene, from epoch 12, the first with duels, in which m1 is champion.
 * Returns the epochs as the page stores them, and the accounts.
 */
export function played(scenes: readonly Scene[]): {
  readonly accounts: EpochAccounts
  readonly epochs: readonly EpochAccount[]
} {
  const accounts = new EpochAccounts()
  let before: State = startedDuels(scenes[0])
  const epochs = scenes.map((scene) => {
    const settled = settledBy(before, epochOf(before, scene))
    before = settled.state
    return accounts.finish(settled)
  })
  return { accounts, epochs }
}
