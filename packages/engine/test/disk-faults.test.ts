import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockPath, readBlock, statePath } from '@affine/blocks'
import { verify } from '@affine/chain'
import { LOCAL } from '@affine/duel'
import { lockFolder } from '@affine/node/disk'
import { canonicalize, type Json } from '@affine/prng'
import { LOCAL_NETWORK, listSeals } from '@affine/settlement'
import { afterEach, describe, expect, it } from 'vitest'
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, so that a process can begin with it
import { setFaults } from '../../../test/faults.mjs'
import { testPaths } from '../../../test/test-folder.ts'
import { withQuota } from '../../duel/test/subnet.ts'
import { FIRST, own, START, startBeforeDuel, tempo } from './one-validator.ts'

/*
 * A disk fails under a validator, or files were altered while it was down. The validator reports
 * what is wrong and where, sends nothing that depends on it, and continues once it is fixed.
 */
const network = { ...LOCAL_NETWORK, protocol: withQuota(LOCAL, 4) }
const END = START + tempo - 1
const freshFolder = testPaths('disk-faults')

afterEach(() => setFaults([]))

/** A chain before the epoch of its first duel, and a validator that can be restarted on it. */
async function seat(folder = freshFolder()) {
  const options = { network, bucketUrl: 'b' }
  const { chain, start, ...first } = await startBeforeDuel(folder, options)
  const at = (path: string) => join(folder, path)
  const journal = at(`journal/${FIRST}.jsonl`)
  const head = async () => listSeals(await chain.snapshot(chain.height), FIRST)[own.hotkey]
  return { folder, first, start, at, journal, head }
}
type Seat = Awaited<ReturnType<typeof seat>>

/** Expects that the sealed lane has the samples in the journal, compared as text. */
async function expectWhole({ at, journal, head }: Seat): Promise<void> {
  const hash = (await head()) ?? ''
  const block = readBlock(await readFile(at(blockPath(hash))), { hash, verify })
  if (!block.ok) throw new Error(`${block.code}: ${block.detail}`)
  expect(block.value.header.height).toBe(0)
  const inLane = block.value.samples.map((sample) => canonicalize(sample as unknown as Json))
  const lines = (await readFile(journal, 'utf8')).split('\n').slice(1, -1)
  const inJournal = lines.map((line) => /"sample":(.*)\}$/.exec(line)?.[1])
  expect(inLane.sort()).toEqual(inJournal.sort())
}

const messagesOf = ({ problems }: Pick<Seat['first'], 'problems'>): string =>
  problems()
    .map(({ error }) => error.message)
    .join()

describe('a disk that fails', () => {
  it.each<[fault: string, place: string, op: string, from: number]>([
    ['EROFS', 'v1/states', 'open', 1],
    ['ENOSPC', 'journal', 'appendFile', 2],
    ['EIO', 'journal', 'datasync', 2],
    ['ENOSPC', 'v1/blocks', 'writeFile', 1],
    ['EIO', 'v1/blocks', 'sync', 1],
  ])('with %s in %s at %s is reported, and the lane is sealed once it is fixed', async (...way) => {
    const [fault, place, op, from] = way
    const seated = await seat()
    const { folder, first } = seated
    setFaults([{ fault, path: `${folder}/${place}`, op, from }])
    await first.follow(START + 3)
    expect(messagesOf(first)).toMatch(RegExp(`cannot write ${folder}/${place}/[^ "]+: ${fault}`))
    expect(await seated.head()).toBeUndefined()
    setFaults([])
    await first.follow(START + 5)
    await expectWhole(seated)
  })

  it('blocks the attestation until the next secret is on disk', async () => {
    const { folder, first } = await seat()
    setFaults([{ fault: 'ENOSPC', path: `${folder}/secrets`, op: 'writeFile' }])
    await first.follow(END - 2)
    const message = `cannot write ${folder}/secrets/${FIRST + 1}: ENOSPC`
    expect(messagesOf(first)).toContain(message)
    expect(first.sent()).toContain(`seal ${FIRST}`)
    expect(first.sent()).not.toContain(`attest ${FIRST}`)
    setFaults([])
    await first.follow(END)
    expect(first.sent()).toContain(`attest ${FIRST}`)
  })

  it('is reported if the file system is really full or read-only', async (context) => {
    const folder = freshFolder()
    await mkdir(folder)
    const mount = (...words: string[]) =>
      execFileSync('mount', [...words, folder], { stdio: 'ignore' })
    try {
      mount('-t', 'tmpfs', '-o', 'size=4m', 'affine-test')
    } catch {
      return context.skip('mounting is not permitted')
    }
    try {
      const seated = await seat(folder)
      const { first } = seated
      await writeFile(join(folder, 'ballast'), Buffer.alloc(4 << 20)).catch(() => {})
      await first.follow(START + 3)
      expect(messagesOf(first)).toMatch(RegExp(`cannot write ${folder}/[^ "]+: ENOSPC`))
      expect(await seated.head()).toBeUndefined()
      await rm(join(folder, 'ballast'))
      await first.follow(START + 5)
      await expectWhole(seated)
      mount('-o', 'remount,ro')
      const refused = { code: 'EROFS', path: `${folder}/lock` }
      await expect(lockFolder(folder)).rejects.toMatchObject(refused)
    } finally {
      execFileSync('umount', [folder])
    }
  })
})

describe('a file that was altered while the validator was down', () => {
  /** Returns a seat with all samples of its lane in the journal, before the seal. */
  async function unsealed(): Promise<Seat> {
    const seated = await seat()
    // The lane's block exists, but could not be synced.
    const path = `${seated.folder}/v1/blocks`
    setFaults([{ fault: 'EIO', path, op: 'sync', from: 2 }])
    await seated.first.follow(START)
    setFaults([])
    return seated
  }
  const swap = (from: RegExp, to: string) => (bytes: Buffer) =>
    Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')
  type Row = [what: string, path: string, change: (bytes: Buffer) => Buffer, error: object]
  const JOURNAL = `journal/${FIRST}.jsonl`
  const SECRET = `secrets/${FIRST}`

  it.each<Row>([
    ['a line’s spacing', JOURNAL, swap(/\n\{"at"/, '\n{"at" '), { fault: 'NOT_CANONICAL' }],
    ['a reward', JOURNAL, swap(/"reward":1\}/, '"reward":0}'), { fault: 'WRONG_REWARD' }],
    ['a sample’s key', JOURNAL, swap(/"messages":/, '"messages_":'), { fault: 'NOT_A_SAMPLE' }],
    ['a reward’s type', JOURNAL, swap(/"reward":1\}/, '"reward":"1"}'), { fault: 'BAD_SAMPLE' }],
    ['a time', JOURNAL, swap(/"at":\d+/, '"at":"soon"'), { fault: 'NOT_A_SAMPLE' }],
    ['the secret, cut short', SECRET, (bytes) => bytes.subarray(1), { fault: 'NOT_A_SECRET' }],
    ['another secret', SECRET, (bytes) => bytes.fill('0', 0, 9), { fault: 'OTHER_SECRET' }],
    ['the state', statePath(FIRST), (bytes) => bytes.subarray(0, -20), { fault: 'BAD_STATE' }],
    ['the block', 'v1/blocks', (bytes) => bytes.subarray(0, -20), { code: 'conflict' }],
  ])('is reported and prevents the seal until it is restored: %s', async (...row) => {
    const [, place, change, error] = row
    const seated = await unsealed()
    const names = place === 'v1/blocks' ? await readdir(seated.at(place)) : ['']
    expect(names.length).toBe(1)
    const path = seated.at(join(place, ...names))
    const before = await readFile(path)
    await writeFile(path, change(Buffer.from(before)))
    const again = seated.start()
    await again.follow(START + 2)
    expect(again.problems()[0]).toMatchObject({ error })
    expect(await seated.head()).toBeUndefined()
    await writeFile(path, before)
    await again.follow(START + 4)
    expect(again.sent()).toContain(`seal ${FIRST}`)
    await expectWhole(seated)
  })

  it('does not lead to a second lane if it is the journal, and was removed', async () => {
    const { first, ...seated } = await seat()
    await first.follow(START + 2)
    const head = await seated.head()
    expect(head).toBeDefined()
    await rename(seated.journal, `${seated.journal}.gone`)
    const again = seated.start()
    await again.follow(START + 4)
    expect(await seated.head()).toBe(head)
    expect(again.sent()).not.toContain(`seal ${FIRST}`)
    await again.follow(END)
    expect(again.sent()).toContain(`attest ${FIRST}`)
    expect(existsSync(seated.journal)).toBe(false)
  })
})
