import { LOCAL } from '@affine/duel'
import { expect, test } from 'vitest'
import { beaconBlock, placeOf, sealBlock, snapshotBlock } from '../src/index.ts'

const rules = { ...LOCAL, epochBlocks: 30, sealBlock: 20 }

test.each([
  [0, { epoch: 0, offset: 0 }],
  [29, { epoch: 0, offset: 29 }],
  [30, { epoch: 1, offset: 0 }],
  [89, { epoch: 2, offset: 29 }],
])('block %i lies at %o', (block, place) => {
  expect(placeOf(block, rules)).toEqual(place)
})

test('an epoch begins at its beacon, one after its snapshot, and is sealed further on', () => {
  expect([beaconBlock(3, rules), snapshotBlock(3, rules), sealBlock(3, rules)]).toEqual([
    90, 89, 110,
  ])
})
