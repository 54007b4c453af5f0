import { commitmentOf, NO_BLOCK, type Sample, type Scope } from '@affine/blocks'
import { type Account, account } from '@affine/chain'
import { challengeId, specHash } from '@affine/envs'
import { playerReply, playSample } from '@affine/miners'
import type { writeLane } from '../src/write-lane.ts'

export const SECRET: string = '5e'.repeat(32)
export const VALIDATOR: Account = account(new Uint8Array(32).fill(7))
export const CHAMPION: string = account(new Uint8Array(32).fill(8)).hotkey
export const CONTENDER: string = account(new Uint8Array(32).fill(9)).hotkey

/** A duel's epoch as a lane of `VALIDATOR` must match it. */
export function scopeOf(quota: Scope['quota']): Scope {
  const place = { genesis: '9e'.repeat(32), netuid: 120, validator: VALIDATOR.hotkey, epoch: 7 }
  return {
    ...place,
    beacon: 'be'.repeat(32),
    commitment: commitmentOf({ ...place, secret: SECRET }),
    duel: { id: 'd0'.repeat(32), champion: { hotkey: CHAMPION }, contender: { hotkey: CONTENDER } },
    quota,
    specHashes: Object.fromEntries(Object.keys(quota).map((env) => [env, specHash(env)])),
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

/** One sample as an honest validator takes it. `thoughts` come before every reply. */
function sampleOf(scope: Scope, env: string, index: number, thoughts = ''): Promise<Sample> {
  const parts = {
    ...scope,
    env,
    specHash: scope.specHashes[env] ?? '',
    duel: scope.duel.id,
    secret: SECRET,
    index,
  }
  const skills = { champion: 0.5, contender: 0.8 }
  const sideOf = (role: keyof typeof skills) => ({
    hotkey: scope.duel[role].hotkey,
    agent: (messages: readonly { readonly content: string }[]) => {
      const reply = playerReply(messages.at(-1)?.content ?? '', {
        skill: skills[role],
        seed: scope.duel[role].hotkey,
      })
      return { content: `${thoughts}\n${reply}` }
    },
  })
  const challenge = { env, duel: scope.duel.id, index, challengeId: challengeId(parts) }
  return playSample(challenge, sideOf, () => 0)
}

/** Every sample that the scope's quota asks for. */
export function samplesOf(scope: Scope, thoughts?: string): Promise<readonly Sample[]> {
  const open = Object.entries(scope.quota).flatMap(([env, quota]) =>
    Array.from({ length: quota }, (_, index) => sampleOf(scope, env, index, thoughts)),
  )
  return Promise.all(open)
}
