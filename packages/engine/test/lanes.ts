import { NO_BLOCK, type Scope } from '@affine/blocks'
import { type Account, account } from '@affine/chain'
import { SECRET, scopeOf as scopeFor } from '../../../packages/blocks/test/lane.ts'
import type { writeLane } from '../src/own-lane.ts'

export { CHAMPION, CONTENDER, SECRET } from '../../../packages/blocks/test/lane.ts'
export const VALIDATOR: Account = account(new Uint8Array(32).fill(7))

/** Returns the scope of a lane of `VALIDATOR` in a duel's epoch. */
export const scopeOf = (quota: Readonly<Record<string, number>>, quotas?: Scope['quotas']): Scope =>
  scopeFor(VALIDATOR.hotkey, quota, quotas)

/** Returns a lane without its samples. */
export function headerOf({
  genesis,
  netuid,
  validator,
  epoch,
}: Scope): Omit<Parameters<typeof writeLane>[0], 'samples'> {
  const common = { genesis, netuid, validator, epoch, time: 1_760_000_000_000 }
  return { ...common, prev: NO_BLOCK, secret: SECRET, sign: VALIDATOR.sign }
}
