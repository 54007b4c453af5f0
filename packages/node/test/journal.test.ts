import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalize, type Json } from '@affine/prng'
import { beforeEach, describe, expect, it, vi } from 'vitest'
// biome-ignore lint/correctness/useImportExtensions: a process can start with a JavaScript file
import { setFaults } from '../../../test/faults.mjs'
import { Disk, mount } from '../../../test/simulate/disk.ts'
import type { Machine } from '../../../test/simulate/machine.ts'
import { testPaths } from '../../../test/test-folder.ts'
import { syncFolders } from '../src/folders.ts'
import { openJournal } from '../src/journal.ts'

const freshFolder = testPaths('journal')
let path: string

beforeEach(() => {
  path = join(freshFolder(), 'deep', 'journal.jsonl')
})

async function entriesAt(place: string): Promise<readonly Json[]> {
  const journal = await openJournal(place)
  await journal[Symbol.asyncDispose]()
  return journal.entries
}

const ENTRIES: readonly Json[] = [
  { at: 1, text: 'line\nfeed, "quotes", \u2028, 我, \u0000' },
  'plain',
  [],
  7,
  { deep: [{}] },
]

async function fillJournal(): Promise<string> {
  const journal = await openJournal(path)
  for (const entry of ENTRIES) await journal.append(entry)
  await journal[Symbol.asyncDispose]()
  return readFile(path, 'utf8')
}

it('creates a journal, and its folder, that only their owner can read', async () => {
  await entriesAt(path)
  for (const each of [path, dirname(path)]) expect((await stat(each)).mode & 0o077).toBe(0)
})

it('has entries on disk when their append resolves, and reads them in order', async () => {
  const journal = await openJournal(path)
  expect(journal.entries).toEqual([])
  let want = ''
  for (const entry of ENTRIES) {
    await journal.append(entry)
    want += `${canonicalize(entry)}\n`
    expect(await readFile(path, 'utf8')).toBe(want)
  }
  await journal[Symbol.asyncDispose]()
  expect(await entriesAt(path)).toEqual(ENTRIES)
})

it('cuts a torn journal off after its last complete line, and accepts further entries', async () => {
  const bytes = Buffer.from(await fillJournal())
  for (let size = 0; size < bytes.length; size++) {
    const torn = bytes.subarray(0, size)
    await writeFile(path, torn)
    const whole = torn.subarray(0, torn.lastIndexOf(10) + 1)
    const entries = ENTRIES.slice(0, whole.toString().split('\n').length - 1)
    const journal = await openJournal(path)
    expect(journal.entries).toEqual(entries)
    expect(await readFile(path)).toEqual(whole)
    await journal.append('after')
    await journal[Symbol.asyncDispose]()
    expect(await readFile(path, 'utf8')).toBe(`${whole}"after"\n`)
  }
})

describe('an altered journal', () => {
  it.each(['{"a":1', '{"b":1, "a":2}', '', 'null', '1.5', '\0\0\0'])(
    'is rejected with the number of a wrong line, and not changed: %j',
    async (line) => {
      const text = await fillJournal()
      for (const index of [2, ENTRIES.length]) {
        const lines = text.split('\n')
        lines.splice(index, 0, line)
        await writeFile(path, lines.join('\n'))
        const message = expect.stringContaining(`${path}, line ${index + 1}: `)
        await expect(openJournal(path)).rejects.toMatchObject({ code: 'ALTERED_FILE', message })
        expect(await readFile(path, 'utf8')).toBe(lines.join('\n'))
      }
    },
  )

  it('is rejected if it is not UTF-8', async () => {
    const bytes = Buffer.from(await fillJournal())
    bytes[bytes.indexOf('plain')] = 0xff
    await writeFile(path, bytes)
    await expect(openJournal(path)).rejects.toMatchObject({ fault: 'NOT_UTF8' })
  })
})

describe('a file that is not a journal', () => {
  it.each(['a name\nanother', '{}\nanother\nand half', '\xff\n\xff', 'a name', '[1]'])(
    'is not changed: %j',
    async (text) => {
      await fillJournal()
      await writeFile(path, text, 'latin1')
      await expect(openJournal(path)).rejects.toMatchObject({ code: 'ALTERED_FILE' })
      expect(await readFile(path, 'latin1')).toBe(text)
    },
  )

  it.each(['', '{', '{"a"', '{}', '\0\0'])('differs from a torn first entry: %j', async (torn) => {
    await fillJournal()
    await writeFile(path, torn)
    expect(await entriesAt(path)).toEqual([])
  })
})

it('syncs folders only up to the top, and rejects a missing folder', async () => {
  const folder = dirname(path)
  const top = dirname(folder)
  await mkdir(folder, { recursive: true })
  for (const each of [top, folder]) await syncFolders(folder, each)
  await expect(syncFolders(join(folder, 'gone'), top)).rejects.toThrow('ENOENT')
})

describe('a failing disk', () => {
  it('makes all waiting appends reject, and accepts entries after its repair', async () => {
    const journal = await openJournal(path)
    for (const entry of ENTRIES) await journal.append(entry)
    const codeOf = (entry: Json) => journal.append(entry).catch(({ cause }) => cause.code)
    const ways = ['appendFile', 'datasync', 'appendFile|truncate', 'datasync|truncate']
    for (const op of ways) {
      setFaults([{ fault: 'ENOSPC', path, op }])
      const together = ['long'.repeat(99), 'short', 'short'].map(codeOf)
      expect(await Promise.all(together)).toEqual(['ENOSPC', 'ENOSPC', 'ENOSPC'])
      setFaults([])
      await journal.append(op)
    }
    expect(await entriesAt(path)).toEqual([...ENTRIES, ...ways])
    await journal[Symbol.asyncDispose]()
  })

  it('loses no acknowledged entry and no new folder in a power cut', async () => {
    let isDying = false
    let isDead = false
    const never = new Promise<never>(() => {})
    const perform: Machine['perform'] = async ({ act, half }) => {
      if (isDead) return never
      isDead = isDying && half !== undefined
      return act()
    }
    const disk = new Disk('/simulated/journal', { jitter: () => 0, perform }, [])
    using _ = mount(disk)
    path = `${disk.root}/journal/2.jsonl`
    await (await openJournal(path)).append('confirmed')
    disk.cutPower()
    const second = await openJournal(path)
    expect(second.entries).toEqual(['confirmed'])
    // The process dies between writing and syncing its last line. The next process reads that line,
    // and then the power fails.
    isDying = true
    void second.append('written')
    await vi.waitUntil(() => isDead)
    isDying = false
    isDead = false
    const third = await openJournal(path)
    expect(third.entries).toEqual(['confirmed', 'written'])
    disk.cutPower()
    expect(await entriesAt(path)).toEqual(['confirmed', 'written'])
  })
})
