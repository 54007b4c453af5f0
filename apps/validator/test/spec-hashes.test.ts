import { LOCAL, PROTOCOL } from '@affine/duel'
import { registry, specHash } from '@affine/envs'
import { NETWORKS } from '@affine/settlement'
import { expect, it } from 'vitest'

it.each(Object.entries({ PROTOCOL, LOCAL }))(
  '%s pins the environments of this release',
  (_, { envs }) => {
    expect(Object.keys(envs).length).toBeGreaterThan(0)
    for (const [env, constants] of Object.entries(envs)) {
      const players = registry.get(env)?.game ? 2 : 1
      expect([env, constants]).toMatchObject([env, { specHash: specHash(env), players }])
    }
  },
)

it('every network plays only registered environments', () => {
  for (const { protocol } of Object.values(NETWORKS))
    for (const env of Object.keys(protocol.envs)) expect(registry.has(env)).toBe(true)
})
