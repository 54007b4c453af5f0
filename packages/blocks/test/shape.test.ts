import { canonicalize } from '@affine/prng'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { beforeAll, expect, it } from 'vitest'
import type { Sample } from '../src/index.ts'
import { readSample } from '../src/line.ts'
import { honestSamples, scopeOf, toy } from './lane.ts'

let sample: Sample

beforeAll(async () => {
  const samples = await honestSamples(scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 3 }))
  sample = samples.find(({ champion }) => champion.messages.length > 2)!
})

const read = (value: unknown) => readSample(utf8ToBytes(canonicalize(value as never)))

it('says where a sample has not its shape, and what was expected there', () => {
  const { champion } = sample
  const [prompt, reply] = champion.messages
  const withMessages = (...messages: unknown[]) => ({
    ...sample,
    champion: { ...champion, messages },
  })
  const { duel: _, ...without } = sample
  const wrong: [unknown, string][] = [
    [[], 'expected an object'],
    ['text', 'expected an object'],
    [without, '/duel: expected 64 lower-case hex digits'],
    [{ ...sample, more: 1 }, 'expected no other fields'],
    [{ ...sample, index: -1 }, '/index: expected an integer in 0..9007199254740991'],
    [{ ...sample, index: '1' }, '/index: expected an integer in 0..9007199254740991'],
    [{ ...sample, env: 'a b' }, '/env: expected 1 to 64 visible ASCII characters'],
    [{ ...sample, verdict: 'draw' }, '/verdict: expected one of win, loss, tie'],
    [{ ...sample, champion: 7 }, '/champion: expected an object'],
    [
      { ...sample, champion: { ...champion, fault: 'late' } },
      '/champion/fault: expected one of no-reply, oversize',
    ],
    [
      { ...sample, champion: { ...champion, miner: '5' } },
      '/champion/miner: expected an SS58 address',
    ],
    [
      withMessages({ ...prompt, role: 'system' }),
      '/champion/messages/0/role: expected one of user',
    ],
    [
      withMessages(prompt, { ...reply, content: 7 }),
      '/champion/messages/1/content: expected a string of at most 131072 characters',
    ],
    [
      withMessages(prompt, { ...reply, invocation: '' }),
      '/champion/messages/1/invocation: expected 1 to 128 visible ASCII characters',
    ],
    [withMessages({ ...prompt, ms: 1 }), '/champion/messages/0: expected no other fields'],
    [withMessages([]), '/champion/messages/0: expected an object'],
  ]
  expect(read(sample)).toEqual({ ok: true, value: sample })
  for (const [value, detail] of wrong)
    expect(read(value)).toEqual({ ok: false, code: 'BAD_SAMPLE', detail })
})

it('takes optional fields, or none', () => {
  const { champion } = sample
  const bare = champion.messages.map(({ role, content }) => ({ role, content }))
  const value = { ...sample, champion: { ...champion, messages: bare, fault: 'no-reply' } }
  expect(read(value)).toEqual({ ok: true, value })
})
