import { canonicalize } from '@affine/prng'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { expect, it } from 'vitest'
import { LIMITS } from '../src/index.ts'
import { readSample } from '../src/line.ts'
import { episodesOf, gamesOf, honestSamples, scopeOf, toy } from './lane.ts'

const samples = await honestSamples(scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 8 }))
const sample = episodesOf(samples, 'champion').find(({ messages }) => messages.length > 2)!

const read = (value: unknown) => readSample(utf8ToBytes(canonicalize(value as never)))

it('states where a sample has the wrong shape, and the expected shape', async () => {
  const [prompt, reply] = sample.messages
  const withMessages = (...messages: unknown[]) => ({ ...sample, messages })
  const { ms: _, ...without } = sample
  const [game] = gamesOf(await honestSamples(scopeOf(toy.hotkey, { 'hex@0.1.0': 1 })))
  const { champion, ...oneSided } = game!
  expect(read(sample)).toEqual({ ok: true, value: sample })
  expect(read(game)).toEqual({ ok: true, value: game })
  const wrong = {
    'a list': [],
    'a text': 'text',
    'no ms': without,
    'a field more': { ...sample, more: 1 },
    'a __proto__': { ...sample, ['__proto__']: {} },
    'ms below zero': { ...sample, ms: -1 },
    'zeros in base58': { ...sample, challengeId: '0'.repeat(44) },
    'base58 too long': { ...sample, challengeId: '1'.repeat(45) },
    'messages by name': { ...sample, messages: {} },
    'an index below zero': { ...sample, index: -1 },
    'an index as text': { ...sample, index: '1' },
    'a blank in env': { ...sample, env: 'a b' },
    'another fault': { ...sample, fault: 'late' },
    'a miner without address': { ...sample, miner: '5' },
    'another role': withMessages({ ...prompt, role: 'system' }),
    'content as a number': withMessages(prompt, { ...reply, content: 7 }),
    'an empty invocation': withMessages(prompt, { ...reply, invocation: '' }),
    'a blank in an invocation': withMessages(prompt, { ...reply, invocation: 'a b' }),
    'a long invocation': withMessages(prompt, { ...reply, invocation: 'a'.repeat(129) }),
    'ms of a prompt': withMessages({ ...prompt, ms: 1 }),
    'an invocation of a prompt': withMessages({ ...prompt, invocation: 'x' }),
    'a message as a list': withMessages([]),
    'a game without champion': oneSided,
    'a champion as a number': { ...game, champion: 7 },
    'a game with a miner': { ...game, miner: champion.miner },
    'a champion with ms below zero': { ...game, champion: { ...champion, ms: -1 } },
  }
  const lines = Object.entries(wrong).map(([name, value]) => {
    const result = read(value)
    expect(result, name).toMatchObject({ ok: false, code: 'BAD_SAMPLE' })
    return `${name}: ${result.ok ? '' : result.detail}\n`
  })
  await expect(lines.join('')).toMatchFileSnapshot('snapshots/shape.txt')
})

it('rejects a value of another type in any field', () => {
  const [prompt, reply] = sample.messages
  for (const field of [...Object.keys(sample), 'fault'])
    expect(read({ ...sample, [field]: true }).ok, field).toBe(false)
  for (const field of ['role', 'content', 'invocation', 'ms']) {
    const messages = [prompt, { ...reply, [field]: true }]
    expect(read({ ...sample, messages }).ok, field).toBe(false)
  }
})

it('accepts a line of the maximum length, and not a byte more', () => {
  const padded = (more: number) => {
    const [prompt, ...rest] = sample.messages
    const room = LIMITS.sampleBytes - canonicalize(sample as never).length
    const content = prompt!.content + 'x'.repeat(room + more)
    return read({ ...sample, messages: [{ ...prompt, content }, ...rest] }).ok
  }
  expect([padded(0), padded(1)]).toEqual([true, false])
})

it('accepts samples with and without optional fields', () => {
  const bare = sample.messages.map(({ role, content }) => ({ role, content }))
  const value = { ...sample, messages: bare, fault: 'no-reply' }
  expect(read(value)).toEqual({ ok: true, value })
})
