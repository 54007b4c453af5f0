import { describe, expect, test } from 'vitest'
import { fuzz, type Reader } from './fuzz.ts'
import { openReaders } from './readers.ts'

const readers = await openReaders()
const SEED = 1

/** Removes the time limit, which only the long run checks. */
const inTime = { mostMs: Number.POSITIVE_INFINITY }
/** Returns the number of inputs, few for readers that hash a phrase or check a signature. */
const inputsOf = ({ share }: Reader): number => (share < 5 ? 10 : 100)

test.each(readers)('$name: accepts or refuses every input', async (reader) => {
  const { failure, accepted } = await fuzz({ ...reader, ...inTime }, inputsOf(reader), SEED)
  expect(failure).toBeUndefined()
  expect(accepted).toBeGreaterThan(0)
})

const any = { name: 'any', share: 1, samples: [new TextEncoder().encode('{"a":[1]}')] }

const isBrace = ([byte]: Uint8Array): boolean => byte === 0x7b

describe('detects', () => {
  test.each<[string, Reader['read'], string]>([
    ['an undocumented error', (bytes) => JSON.parse(String(bytes)), 'threw SyntaxError'],
    ['a refusal with control characters', (bytes) => isBrace(bytes) || REFUSAL, 'refused with'],
  ])('%s', async (_, read, fault) => {
    const { failure } = await fuzz({ ...any, ...inTime, read }, 1000, SEED)
    expect(failure?.fault).toContain(fault)
  })
})

const REFUSAL = { ok: false, code: 'BAD', detail: '\u001b' }
