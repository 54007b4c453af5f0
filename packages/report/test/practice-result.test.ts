import { make } from '@affine/envs'
import { expect, test } from 'vitest'
import { practiceResult, practiceText } from '../src/index.ts'

const textOf = (rewards: readonly number[], env = 'pack@0.1.0'): readonly string[] => {
  const played = rewards.map((reward) => ({
    ...{ env, challengeId: 'c', messages: [], reward, best: 9 },
  }))
  return practiceText(practiceResult(env, played), make(env).spec).split('\n')
}

test('a few different rewards are counted each', () => {
  expect(textOf([0, 9, 9, 4])).toContain('  reward 4: 1, 0.046…0.699')
})

test('many different rewards are one line', () => {
  const lines = textOf([3, 1, 9, 4, 9, 5, 2, 6])
  expect(lines.filter((line) => /^ {2}reward/.test(line))).toEqual([
    '  rewards: 1 to 9, in half of the challenges at least 5',
  ])
})

test('nobody knows what a perfect packing is', () => {
  expect(textOf([3, 9, 9])[0]).toBe(
    'pack@0.1.0: 2 of 3 rewarded with what the scripted player earns, or more, 0.208…0.939',
  )
  expect(textOf([3, 9, 9], 'mult8@0.1.0')[0]).toBe(
    'mult8@0.1.0: 2 of 3 played perfectly, 0.208…0.939',
  )
})
