import { decide, type State } from '@affine/duel'
import { epochOf, type Scene, startedDuels } from '../../../packages/duel/test/subnet.ts'
import { type EpochAccount, EpochAccounts } from '../src/worker/epoch-accounts.ts'

/** Epochs as the page holds them, with what it may ask for. */
export interface Played {
  readonly accounts: EpochAccounts
  readonly epochs: readonly EpochAccount[]
}

/** The epochs from the first with duels on, 12, in which m1 has the throne: one for each scene. */
export function played(scenes: readonly Scene[]): Played {
  const accounts = new EpochAccounts()
  let before: State = startedDuels(scenes[0])
  const epochs = scenes.map((scene) => {
    const { snapshot, ...facts } = epochOf(before, scene)
    const decided = decide(before, { snapshot, ...facts })
    const found = { flaws: [], warnings: [], votes: undefined, lanes: new Map() }
    const { epoch } = before
    const account = accounts.finish({ epoch, before, snapshot, ...decided, ...found })
    before = decided.state
    return account
  })
  return { accounts, epochs }
}
