import { expect, it } from 'vitest'
import type { Scene } from '../../duel/test/subnet.ts'
import { uncountedCause } from '../src/index.ts'
import { historyOf } from './history.ts'

const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
/** v5 invents what it publishes. */
const LYING: Scene = {
  validators,
  rates: (validator) => (validator === 'v5' ? [1, 0] : [0.2, 0.2]),
}

/** By validator, how its samples of the third epoch are used: of each kind once. */
function usesIn(scene: Scene) {
  const [, , epoch] = historyOf([scene])
  if (epoch === undefined) throw new Error('no third epoch')
  const uses = epoch.samples.map(([sample, place]) => {
    return `${place.validator} ${uncountedCause(epoch.settled, sample, place) ?? 'counts'}`
  })
  return [...new Set(uses)].sort()
}

it('a sample says whether it counts, and if not, why', () => {
  const honest = ['v1 counts', 'v2 counts', 'v3 counts', 'v4 counts']
  expect(usesIn(LYING)).toEqual([...honest, 'v5 SET_ASIDE'])
  const frozen = usesIn({ ...LYING, silent: ['v1', 'v2', 'v3'] })
  expect(new Set(frozen.map((use) => use.slice(3)))).toEqual(new Set(['FROZEN']))
})
