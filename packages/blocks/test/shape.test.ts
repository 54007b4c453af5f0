import { canonicalize } from '@affine/prng'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { beforeAll, expect, it } from 'vitest'
import { type EpisodeSample, LIMITS } from '../src/index.ts'
import { readSample } from '../src/line.ts'
import { episodesOf, gamesOf, honestSamples, scopeOf, toy } from './lane.ts'

let sample: EpisodeSample

beforeAll(async () => {
  const samples = await honestSamples(scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 8 }))
  sample = episodesOf(samples, 'champion').find(({ messages }) => messages.length > 2)!
})

const read = (value: unknown) => readSample(utf8ToBytes(canonicalize(value as never)))

it('says where a sample has not its shape, and what was expected there', () => {
  const [prompt, reply] = sample.messages
  const withMessages = (...messages: unknown[]) => ({ ...sample, messages })
  const { ms: _, ...without } = sample
  const wrong: [unknown, string][] = [
    [[], 'expected an object'],
    ['text', 'expected an object'],
    [without, '/ms: expected an integer in 0..9007199254740991'],
    [{ ...sample, more: 1 }, 'expected no other fields'],
    [{ ...sample, ['__proto__']: {} }, 'expected no other fields'],
    [{ ...sample, ms: -1 }, '/ms: expected an integer in 0..9007199254740991'],
    [{ ...sample, challengeId: '0'.repeat(44) }, '/challengeId: expected base58 of 32 bytes'],
    [{ ...sample, challengeId: '1'.repeat(45) }, '/challengeId: expected base58 of 32 bytes'],
    [{ ...sample, messages: {} }, '/messages: expected a list'],
    [{ ...sample, index: -1 }, '/index: expected an integer in 0..9007199254740991'],
    [{ ...sample, index: '1' }, '/index: expected an integer in 0..9007199254740991'],
    [{ ...sample, env: 'a b' }, '/env: expected 1 to 64 visible ASCII characters'],
    [{ ...sample, fault: 'late' }, '/fault: expected one of no-reply'],
    [{ ...sample, miner: '5' }, '/miner: expected an SS58 address'],
    [withMessages({ ...prompt, role: 'system' }), '/messages/0/role: expected one of user'],
    [
      withMessages(prompt, { ...reply, content: 7 }),
      '/messages/1/content: expected a string of at most 131072 characters',
    ],
    ...['', 'a b', 'a'.repeat(129)].map((invocation): [unknown, string] => [
      withMessages(prompt, { ...reply, invocation }),
      '/messages/1/invocation: expected 1 to 128 visible ASCII characters',
    ]),
    [withMessages({ ...prompt, ms: 1 }), '/messages/0: expected no other fields'],
    [withMessages({ ...prompt, invocation: 'x' }), '/messages/0: expected no other fields'],
    [withMessages([]), '/messages/0: expected an object'],
  ]
  expect(read(sample)).toEqual({ ok: true, value: sample })
  for (const [value, detail] of wrong)
    expect(read(value)).toEqual({ ok: false, code: 'BAD_SAMPLE', detail })
})

it('takes no other type in any place', () => {
  const [prompt, reply] = sample.messages
  for (const field of [...Object.keys(sample), 'fault'])
    expect(read({ ...sample, [field]: true }).ok, field).toBe(false)
  for (const field of ['role', 'content', 'invocation', 'ms']) {
    const messages = [prompt, { ...reply, [field]: true }]
    expect(read({ ...sample, messages }).ok, field).toBe(false)
  }
})

it('takes a line of as many bytes as it may have, and not of one more', () => {
  const padded = (more: number) => {
    const [prompt, ...rest] = sample.messages
    const room = LIMITS.sampleBytes - canonicalize(sample as never).length
    const content = prompt!.content + 'x'.repeat(room + more)
    return read({ ...sample, messages: [{ ...prompt, content }, ...rest] }).ok
  }
  expect([padded(0), padded(1)]).toEqual([true, false])
})

it('takes optional fields, or none', () => {
  const bare = sample.messages.map(({ role, content }) => ({ role, content }))
  const value = { ...sample, messages: bare, fault: 'no-reply' }
  expect(read(value)).toEqual({ ok: true, value })
})

it('says the same of a game, which has two sides', async () => {
  const [game] = gamesOf(await honestSamples(scopeOf(toy.hotkey, { 'hex@0.1.0': 1 })))
  const { champion, ...oneSided } = game!
  const wrong: [unknown, string][] = [
    [oneSided, '/miner: expected an SS58 address'],
    [{ ...game, champion: 7 }, '/champion: expected an object'],
    [{ ...game, miner: champion.miner }, 'expected no other fields'],
    [{ ...game, champion: { ...champion, ms: -1 } }, '/champion/ms: expected an integer in 0..'],
  ]
  expect(read(game)).toEqual({ ok: true, value: game })
  for (const [value, detail] of wrong) {
    const found = { ok: false, code: 'BAD_SAMPLE', detail: expect.stringContaining(detail) }
    expect(read(value)).toEqual(found)
  }
})
