import { commitmentOf, NO_BLOCK, type Sample, type Scope } from '@affine/blocks'
import { type Account, account } from '@affine/chain'
import { specHash } from '@affine/envs'
import { playerReply } from '@affine/miners'
import { playPlan } from '../../../packages/blocks/test/play-plan.ts'
import type { writeLane } from '../src/own-lane.ts'

export const SECRET: string = '5e'.repeat(32)
export const VALIDATOR: Account = account(new Uint8Array(32).fill(7))
export const CHAMPION: string = account(new Uint8Array(32).fill(8)).hotkey
export const CONTENDER: string = account(new Uint8Array(32).fill(9)).hotkey

/** A duel's epoch as a lane of `VALIDATOR` must match it. */
export function scopeOf(
  quota: Readonly<Record<string, number>>,
  quotas: Scope['quotas'] = { [CONTENDER]: quota },
): Scope {
  const place = { genesis: '9e'.repeat(32), netuid: 120, validator: VALIDATOR.hotkey, epoch: 7 }
  return {
    ...place,
    beacon: 'be'.repeat(32),
    commitment: commitmentOf({ ...place, secret: SECRET }),
    champion: CHAMPION,
    quotas,
    specHashes: Object.fromEntries(
      Object.values(quotas).flatMap((envs) => Object.keys(envs).map((env) => [env, specHash(env)])),
    ),
  }
}

/** A lane without its samples. */
export function headerOf({
  genesis,
  netuid,
  validator,
  epoch,
}: Scope): Omit<Parameters<typeof writeLane>[0], 'samples'> {
  const common = { genesis, netuid, validator, epoch, time: 1_760_000_000_000 }
  return { ...common, prev: NO_BLOCK, secret: SECRET, sign: VALIDATOR.sign }
}

/** Every sample of the plan, as an honest validator takes it. */
export const samplesOf = (scope: Scope): Promise<readonly Sample[]> =>
  playPlan(scope, SECRET, (seed) => (messages) => {
    const skill = seed === scope.champion ? 0.5 : 0.8
    return { content: playerReply(messages.at(-1)?.content ?? '', { skill, seed }) }
  })
