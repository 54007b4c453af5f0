import { pcg64 } from '@affine/prng'
import { describe, expect, test } from 'vitest'
import { defineEnv, Env, make, spaces } from '../src/index.ts'

const challenge = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'

/** Adds actions to 0 or 1. A step earns 1, a sum of at least 3 ends the episode, 7 is illegal. */
const counter = defineEnv<number, readonly number[], number>({
  name: 'counter',
  version: '1.2.3',
  maxSteps: 4,
  replyMs: 1000,
  lowestReward: -5,
  highestReward: 3,
  actionSpace: spaces.Discrete(8),
  observationSpace: spaces.Box({ low: 0, high: 9, length: 1 }),
  initial: (random) => random.integers(0, 2),
  truth: (count) => count,
  difficulty: (count) => 10 + count,
  observe: (count) => [count],
  step: (count, action) =>
    action === 7 ? null : { state: count + action, reward: 1, terminated: count + action >= 3 },
  prompt: ([count]) => `Count on from ${count}.`,
  parse: (reply) => (/^[0-9]$/.test(reply) ? Number(reply) : null),
  format: String,
  solve: () => '1',
  guess: (_, random) => String(random.integers(0, 8)),
})

test('reset rejects invalid options', () => {
  const env = make('mult8-v0')
  expect(() => env.reset({ seed: 1, options: { challengeId: challenge } })).toThrow(TypeError)
  expect(() => env.reset({ options: { challengeId: 'x' } })).toThrow(TypeError)
  expect(() => env.reset({ seed: -1 })).toThrow(RangeError)
  expect(() => env.step('1')).toThrow(TypeError)
})

describe('step', () => {
  test('throws before reset, after the end and after close', () => {
    const env = new Env(counter)
    expect(() => env.step(1)).toThrow(TypeError)
    expect(() => env.render()).toThrow(TypeError)
    env.reset({ seed: 0 })
    env.step(7)
    expect(() => env.step(1)).toThrow('"step" expected an episode in progress: reset first')
    env.reset({ seed: 0 })
    env.close()
    expect(() => env.step(1)).toThrow(TypeError)
  })

  test('throws for an action outside the space, without taking a turn', () => {
    const env = new Env(counter)
    env.reset({ seed: 0 })
    for (const action of [8, -1, 0.5, '1', undefined])
      expect(() => env.step(action)).toThrow(TypeError)
    expect(env.step(1)[2]).toBe(false)
  })

  test('terminates or truncates the episode', () => {
    const env = new Env(counter)
    env.reset({ seed: 0 })
    expect([3].map((action) => env.step(action).slice(1, 4))).toEqual([[1, true, false]])
    env.reset({ seed: 0 })
    const idle = [0, 0, 0, 0].map((action) => env.step(action).slice(1, 4))
    expect(idle).toEqual([
      [1, false, false],
      [1, false, false],
      [1, false, false],
      [1, false, true],
    ])
    expect(() => env.step(0)).toThrow(TypeError)
  })

  test.each([null, 7])('reduces the total to the lowest reward after a forfeit by %j', (action) => {
    const env = new Env(counter)
    env.reset({ seed: 0 })
    const rewards = [env.step(0), env.step(0), env.step(action)].map(([, reward]) => reward)
    expect(rewards).toEqual([1, 1, -7])
  })
})

test.each([
  ['name', 'Counter'],
  ['version', '1.2'],
  ['version', '01.2.3'],
  ['maxSteps', 0],
  ['replyMs', Number.POSITIVE_INFINITY],
  ['lowestReward', -0.5],
  ['lowestReward', -1_000_000_001],
  ['highestReward', -5],
  ['highestReward', 1_000_000_001],
])('rejects a definition with %s %s', (field, value) => {
  expect(() => defineEnv({ ...counter, [field]: value })).toThrow(RangeError)
})

const discrete = spaces.Discrete(9)
const text = spaces.Text({ minLength: 2, maxLength: 4, charset: 'a-b^]\\' })
const box = spaces.Box({ low: -1, high: 2, length: 3 })

test.each<{
  description: string
  contains: (value: unknown) => boolean
  members: unknown[]
  others: unknown[]
}>([
  { ...discrete, members: [0, 8], others: [-1, 9, 0.5, '1', Number.NaN, 1n, [1], null] },
  { ...text, members: ['ab', '-]^\\'], others: ['a', 'ababa', 'a_', 'aB', ['a', 'b'], null] },
  {
    ...box,
    members: [[-1, 0, 2]],
    others: [[0, 0], [0, 0, 3], [0, 0, 0, 0], Array(3), [0, 0, 0.5], '012', { length: 3 }],
  },
])('$description contains its members, and no other value', ({ contains, members, others }) => {
  expect([members.filter(contains), others.filter(contains)]).toEqual([members, []])
})

test.each([discrete, text, box])(
  '$description contains its samples, which follow from the seed',
  (space) => {
    const [left, right] = [pcg64(1), pcg64(1)]
    for (let draw = 0; draw < 1000; draw++) {
      const sample = space.sample(left)
      expect(space.contains(sample)).toBe(true)
      expect(space.sample(right)).toEqual(sample)
    }
  },
)
