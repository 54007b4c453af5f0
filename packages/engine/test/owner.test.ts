import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalize } from '@affine/prng'
import { describe, expect, it } from 'vitest'
import { testPaths } from '../../../test/test-folder.ts'
import { claimFolder } from '../src/owner.ts'
import { chainOf, miner, own, START, validatorOf } from './one-validator.ts'

const freshPath = testPaths('owner')
const genesis = 'ab'.repeat(32)
const subnet = { genesis, netuid: 120 }

/** Creates a folder with these files. */
async function folderOf(...names: readonly string[]): Promise<string> {
  const folder = freshPath()
  await mkdir(folder)
  for (const name of names) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), 'x')
  }
  return folder
}
const recordIn = (folder: string): Promise<string> => readFile(join(folder, 'owner.json'), 'utf8')
const RECORD = `${canonicalize({ ...subnet, hotkey: own.hotkey })}\n`

it('claims a folder without a record, and creates a missing folder', async () => {
  const folders = [freshPath(), await folderOf(), await folderOf('lost+found/x', 'lock')]
  for (const folder of folders) {
    await claimFolder(folder, subnet, own.hotkey)
    await claimFolder(folder, subnet, own.hotkey)
    expect(await recordIn(folder)).toBe(RECORD)
  }
})

describe('a folder with a record', () => {
  it.each<[string, Partial<typeof subnet>, string]>([
    ['hotkey', {}, miner.hotkey],
    ['netuid', { netuid: 121 }, own.hotkey],
    ['genesis', { genesis: 'cd'.repeat(32) }, own.hotkey],
  ])('is refused for another %s', async (_, change, hotkey) => {
    const folder = await folderOf()
    await claimFolder(folder, subnet, own.hotkey)
    const claim = claimFolder(folder, { ...subnet, ...change }, hotkey)
    await expect(claim).rejects.toThrow(RangeError)
    await expect(claim).rejects.toThrow(`${folder}/owner.json names another owner than {`)
    expect(await recordIn(folder)).toBe(RECORD)
  })

  it.each(['', '{}\n', RECORD.trim(), `${RECORD}x`])(
    'is not claimed if the record is damaged: %j',
    async (text) => {
      const folder = await folderOf()
      await writeFile(join(folder, 'owner.json'), text)
      const claim = claimFolder(folder, subnet, own.hotkey)
      await expect(claim).rejects.toThrow(RangeError)
      expect(await recordIn(folder)).toBe(text)
    },
  )

  it('stops a validator of another hotkey before it writes anything', async () => {
    const folder = await folderOf()
    const chain = await chainOf()
    await claimFolder(folder, chain, miner.hotkey)
    const validator = validatorOf(chain, folder)
    await validator.follow(START)
    const [problem] = validator.problems()
    expect(problem?.task).toEqual({ kind: 'head' })
    expect(problem?.error.message).toContain('owner.json names another owner')
    expect(validator.sent()).toEqual([])
    expect(await readdir(folder)).toEqual(['owner.json'])
  })
})
