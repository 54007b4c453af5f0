import { describe, expect, test } from 'vitest'
import { fuzz, type Reader } from './fuzz.ts'
import { openReaders } from './readers.ts'

const readers = await openReaders()
const SEED = 1

/** How long it takes is for the long run to say. */
const inTime = { mostMs: Number.POSITIVE_INFINITY }
/** Few of those that hash a phrase, or check a signature. */
const inputsOf = ({ share }: Reader): number => (share < 5 ? 20 : 150)

test.each(readers)('$name: whatever it is given is read or refused', async (reader) => {
  const { failure, accepted } = await fuzz({ ...reader, ...inTime }, inputsOf(reader), SEED)
  expect(failure).toBeUndefined()
  expect(accepted).toBeGreaterThan(0)
})

const any = { name: 'any', share: 1, samples: [new TextEncoder().encode('{"a":[1]}')] }

test('a seed has the same inputs every time', async () => {
  const inputs = async (seed: number): Promise<readonly string[]> => {
    // What is read again, for its cost, is the same.
    const seen = new Set<string>()
    await fuzz({ ...any, ...inTime, read: (bytes) => seen.add(String(bytes)) }, 300, seed)
    return [...seen]
  }
  expect(await inputs(1)).toEqual(await inputs(1))
  expect(await inputs(1)).not.toEqual(await inputs(2))
})

const isBrace = ([byte]: Uint8Array): boolean => byte === 0x7b

describe('is found, in a short input:', () => {
  test.each<[string, Reader['read'], string]>([
    ['an error that nobody documented', (bytes) => JSON.parse(String(bytes)), 'threw SyntaxError'],
    ['a refusal that a terminal acts on', (bytes) => isBrace(bytes) || REFUSAL, 'refused with'],
  ])('%s', async (_, read, fault) => {
    const { failure } = await fuzz({ ...any, ...inTime, read }, 1000, SEED)
    expect(failure?.fault).toContain(fault)
    expect(failure?.input.length).toBeLessThan(3)
  })
})

const REFUSAL = { ok: false, code: 'BAD', detail: '\u001b' }
