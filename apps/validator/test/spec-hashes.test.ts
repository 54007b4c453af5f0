import { registry, specHash } from '@affine/envs'
import { NETWORKS } from '@affine/settlement'
import { expect, it } from 'vitest'

it.each(Object.entries(NETWORKS))(
  '%s pins the environments of this release',
  (_, { protocol: { envs } }) => {
    expect(Object.keys(envs).length).toBeGreaterThan(0)
    for (const [env, constants] of Object.entries(envs)) {
      const players = registry.get(env)?.game ? 2 : 1
      expect([env, constants]).toMatchObject([env, { specHash: specHash(env), players }])
    }
  },
)
