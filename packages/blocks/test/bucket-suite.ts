import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { words } from '../../../test/words.ts'
import { type Bucket, blockPath, probePath, statePath } from '../src/index.ts'

/** A bucket that may contain other files than the suite's. */
export interface Harness {
  readonly bucket: Bucket
  close?(): Promise<unknown>
}

export const bytes = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content)
export const text = (content: Uint8Array | null): string | null =>
  content && new TextDecoder().decode(content)

/** Returns bytes that do not compress. */
export function noise(size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(all.subarray(at, at + 65_536))
  return all
}

const freshHash = (): string =>
  noise(32).reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), '')

/** Returns the path of a block that does not exist. */
export const freshPath = (): string => blockPath(freshHash())

/** Returns one path of each kind that a validator writes, as `docs/protocol.md` lists them. */
export const pathsOf = (hash: string, epoch: number, hotkey: string): readonly string[] => [
  blockPath(hash),
  statePath(epoch),
  probePath(hotkey),
]

const BAD_PATHS = [
  ...words('/ /etc/passwd ../secret .. . v1/../../secret v1//x v1/ /v1 .hidden v1/.x v1/..'),
  ...words('a\\b a%2e a?b a#b a:b é http://127.0.0.1/x'),
  ...['', 'a b', 'x\0', 'x\n'],
]

/** Tests the behaviour of any `Bucket`. */
export function bucketSuite(name: string, open: () => Promise<Harness>): void {
  describe(name, () => {
    let harness: Harness
    let bucket: Bucket
    beforeAll(async () => {
      harness = await open()
      bucket = harness.bucket
    })
    afterAll(() => harness?.close?.())

    const contents: readonly (readonly [string, Uint8Array])[] = [
      ['a line', bytes('{"epoch":3}\n')],
      ['nothing', new Uint8Array()],
      ['every byte there is', Uint8Array.from({ length: 256 }, (_, i) => i)],
      ['what looks gzipped', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1)],
      [
        '2 MiB of text',
        bytes('{"role":"user","content":"Compute"}\n'.repeat(58_254)).subarray(0, 1 << 21),
      ],
      ['2 MiB of noise', noise(1 << 21)],
    ]
    it.each(contents)('reads what was written, to the byte: %s', async (_, content) => {
      const path = freshPath()
      await bucket.write(path, content)
      const read = await bucket.read(path, content.length)
      expect(read).toBeInstanceOf(Uint8Array)
      expect(Buffer.compare(read!, content)).toBe(0)
    })

    it.each(pathsOf(freshHash(), Date.now(), freshHash()))(
      'stores a part of a buffer in a file of any kind, here at the path %s',
      async (path) => {
        await bucket.write(path, bytes('x{"epoch":3}x').subarray(1, -1))
        expect(text(await bucket.read(path, 100))).toBe('{"epoch":3}')
      },
    )

    it('reads null for a missing file', async () => {
      expect(await bucket.read(freshPath(), 100)).toBeNull()
      expect(await bucket.read(freshPath(), 0)).toBeNull()
    })

    it('rejects a file over the limit with an error that contains the path', async () => {
      const path = freshPath()
      await bucket.write(path, bytes('0123456789\n'.repeat(30_000)))
      expect(await bucket.read(path, 330_000)).toHaveLength(330_000)
      for (const limit of [0, 1, 10, 329_999]) {
        const message = expect.stringMatching(`${path}.* larger than ${limit} bytes`)
        await expect(bucket.read(path, limit)).rejects.toMatchObject({ code: 'too-large', message })
      }
    })

    it('accepts identical bytes again, and never other bytes', async () => {
      const path = freshPath()
      await bucket.write(path, bytes('one'))
      await bucket.write(path, bytes('one'))
      for (const other of ['two', '', 'on', 'one ', 'one'.repeat(100_000)])
        await expect(bucket.write(path, bytes(other))).rejects.toThrow(
          new RegExp(`${path}: the file exists with other content`),
        )
      expect(text(await bucket.read(path, 10))).toBe('one')
      await bucket.write(path, bytes('one'))
    })

    it('stores the file of one of 32 writers, complete', async () => {
      for (const size of [1, 100_000]) {
        const path = freshPath()
        const writers = Array.from({ length: 32 }, (_, i) => bytes(`${i} `.repeat(size)))
        const ended = await Promise.allSettled(
          writers.map((content) => bucket.write(path, content)),
        )
        const won = text(await bucket.read(path, 300_000))
        expect(ended.map(({ status }) => status)).toEqual(
          writers.map((content) => (text(content) === won ? 'fulfilled' : 'rejected')),
        )
        expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const end of ended)
          if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'conflict' })
      }
    })

    it.each(BAD_PATHS)('rejects the path %j', async (path) => {
      await expect(bucket.read(path, 100)).rejects.toThrow(RangeError)
      await expect(bucket.write(path, bytes('x'))).rejects.toThrow(RangeError)
    })
  })
}
