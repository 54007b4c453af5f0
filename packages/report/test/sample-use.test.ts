import { expect, it } from 'vitest'
import type { Scene } from '../../duel/test/subnet.ts'
import { explainUncounted } from '../src/index.ts'
import { historyOf } from './history.ts'

const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
/** v5 invents its samples. */
const LYING: Scene = {
  validators,
  rates: (validator) => (validator === 'v5' ? [1, 0] : [0.2, 0.2]),
}

/** Returns, by validator, whether samples of the third epoch count, or why not; each text once. */
function usesIn(scene: Scene) {
  const [, , epoch] = historyOf([scene])
  if (epoch === undefined) throw new Error('no third epoch')
  const uses = epoch.samples.map(([sample, place]) => {
    return `${place.validator} ${explainUncounted(epoch.settled, sample, place) ?? 'counts'}`
  })
  return [...new Set(uses)].sort()
}

it('returns the reason that a sample does not count', () => {
  const honest = ['v1 counts', 'v2 counts', 'v3 counts', 'v4 counts']
  expect(usesIn(LYING)).toEqual([...honest, 'v5 SET_ASIDE'])
  const frozen = usesIn({ ...LYING, silent: ['v1', 'v2', 'v3'] })
  expect(new Set(frozen.map((use) => use.slice(3)))).toEqual(new Set(['FROZEN']))
})
