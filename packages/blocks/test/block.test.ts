import { canonicalize, type Json } from '@affine/prng'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it, vi } from 'vitest'
import file from '../../../vectors/blocks/copies.json' with { type: 'json' }
import {
  type BlockDraft,
  hashBlock,
  isOnlyOfCopy,
  LIMITS,
  NO_BLOCK,
  openBlock,
  readBlock,
  writeBlock,
} from '../src/index.ts'
import { readSample } from '../src/line.ts'
import { keyOf } from './keys.ts'
import { episodesOf, forge, honestSamples, scopeOf, toy } from './lane.ts'

const vectors = file.vectors as unknown as readonly CopyVector[]
const key = keyOf(3)
const scope = scopeOf(toy.hotkey, { 'tictactoe@0.1.0': 1, 'mult8@0.1.0': 1 })
const { genesis, netuid, epoch } = scope
const first = { genesis, netuid, epoch, height: 0, prev: NO_BLOCK, time: 1 }

/**
 * A copy of a block: its parts in hex, since they may not be UTF-8, each with its number of
 * occurrences.
 */
interface CopyVector {
  readonly what: string
  readonly input: { readonly hash: string; readonly copy: readonly (readonly [string, number])[] }
  readonly want: string
}

const samples = await honestSamples(scope)
const draft: BlockDraft = { ...first, validator: key.hotkey, samples, sign: key.sign }

describe('writeBlock', () => {
  it('returns lines of canonical JSON, each with a line feed, and the leaf hash of the first', async () => {
    const { hash, bytes } = await writeBlock(draft)
    const text = new TextDecoder().decode(bytes)
    const [header, signature, ...lines] = text.split('\n')
    expect(lines).toEqual([...samples.map((sample) => canonicalize(sample as unknown as Json)), ''])
    expect(hashBlock(utf8ToBytes(header!))).toBe(hash)
    expect(JSON.parse(signature!)).toEqual({ signature: bytesToHex(key.sign(hexToBytes(hash))) })
    const { sign, samples: _, ...fields } = draft
    const root = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(JSON.parse(header!)).toEqual({ ...fields, v: 1, count: 4, root })
    expect(forge(key, fields, { lines: samples })).toEqual({ hash, bytes })
  })

  it('signs nothing that cannot be read back', async () => {
    const sign = vi.fn(key.sign)
    const [sample] = episodesOf(samples, 'champion')
    const prompt = { role: 'user', content: 'x'.repeat(LIMITS.sampleBytes) } as const
    const long = { ...sample!, messages: [prompt] }
    const wrong: [Partial<BlockDraft>, RegExp][] = [
      [{ validator: 'me' }, /BAD_HEADER.*validator/],
      [{ height: -1 }, /BAD_HEADER.*height/],
      [{ samples: Array(2049).fill(sample) }, /BAD_HEADER.*count/],
      [{ samples: [sample!, { ...sample!, index: -1 }] }, /BAD_SAMPLE: line 3: .index/],
      [{ samples: [long] }, /BAD_SAMPLE.*at most 131072 bytes/],
      [{ samples: [{ ...long, reward: 0.5 }] }, /expected integers/],
      [{ note: 'hello' } as object, /BAD_HEADER.*expected no other fields/],
    ]
    for (const [change, message] of wrong)
      await expect(writeBlock({ ...draft, ...change, sign })).rejects.toThrow(message)
    expect(sign).not.toHaveBeenCalled()
  })

  it('rejects a signature of another length, and passes on the error of `sign`', async () => {
    const writeWith = (sign: BlockDraft['sign']) => writeBlock({ ...draft, sign })
    await expect(writeWith(() => new Uint8Array(63))).rejects.toThrow('"sign" expected to give 64')
    await expect(writeWith(() => Promise.reject(new Error('locked')))).rejects.toThrow('locked')
  })
})

it.each(vectors)('classifies a copy of a block: $what', ({ input: { hash, copy }, want }) => {
  const { hotkey: validator, verify } = keyOf(1)
  const lane = { genesis: '11'.repeat(32), netuid: 120, validator, epoch: 7 }
  const parts = copy.map(([part, times]) => part.repeat(times))
  const read = openBlock(hexToBytes(parts.join('')), { hash, lane, verify })
  const samples = read.ok ? read.value.lines.map(readSample) : []
  const failed = [read, ...samples].find(({ ok }) => !ok)
  const code = failed?.ok === false ? failed.code : undefined
  expect(code && isOnlyOfCopy(code) ? 'altered' : (code ?? 'valid')).toBe(want)
})

it('readBlock rejects a block with any byte changed', async () => {
  const { hash, bytes } = await writeBlock({ ...draft, validator: toy.hotkey, sign: toy.sign })
  for (let at = 0; at < bytes.length; at++) {
    const flipped = bytes.slice()
    flipped[at]! ^= 1 + (at % 255)
    expect(readBlock(flipped, { hash, verify: toy.verify }).ok).toBe(false)
    expect(readBlock(flipped, { verify: toy.verify }).ok).toBe(false)
  }
})
