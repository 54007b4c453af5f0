import { make } from '@affine/envs'
import { expect, test } from 'vitest'
import { formatPractice, summarisePractice } from '../src/index.ts'

const textOf = (rewards: readonly number[], env = 'pack@0.1.0'): string => {
  const played = rewards.map((reward) => ({
    ...{ env, challengeId: 'c', messages: [], reward, best: 9 },
  }))
  return formatPractice(summarisePractice(env, played), make(env).spec)
}

test('lists up to five rewards, summarises more, and never calls a packing perfect', async () => {
  const texts = [
    textOf([0, 9, 9, 4]),
    textOf([3, 1, 9, 4, 9, 5, 2, 6]),
    textOf([3, 9, 9]),
    textOf([3, 9, 9], 'mult8@0.1.0'),
  ]
  const text = texts.map((each) => `${each}\n`).join('\n')
  await expect(text).toMatchFileSnapshot('snapshots/practice-result.txt')
})
