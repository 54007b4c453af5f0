import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { killAll, type Started, start } from '../../../test/processes.ts'
import { holdFolder } from '../src/service/folder-lock.ts'

const HOLDER = fileURLToPath(new URL('./hold-folder.ts', import.meta.url))
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lock-'))
})
afterAll(async () => {
  await killAll()
  await rm(root, { recursive: true })
})

/** Starts a process that takes folders at a moment, and keeps them. */
const hold = (when: number, folders: readonly string[]): Started =>
  start(HOLDER, [String(when), ...folders])
const said = async ({ says }: Started): Promise<{ held: string[]; refused: string[] }> =>
  JSON.parse((await says(/^\{.*\}$/m))[0])

it('a folder is made, held, and given back', async () => {
  const folder = join(root, 'new', 'deep')
  const lock = await holdFolder(folder)
  expect(await readdir(folder)).not.toEqual([])
  await lock[Symbol.asyncDispose]()
  expect(await readdir(folder)).toEqual([])
  await (await holdFolder(folder))[Symbol.asyncDispose]()
})

it('who comes second is refused, and told who holds it; once it is gone, even by a kill, it is free', async () => {
  const folder = join(root, 'held')
  const first = hold(0, [folder])
  expect(await said(first)).toEqual({ held: [folder], refused: [] })
  const message = `${folder} is in use by process ${first.child.pid}: stop it, or name another --folder`
  await expect(holdFolder(folder)).rejects.toThrow(message)
  await expect(holdFolder(folder)).rejects.toThrow(message)
  await first.stop('SIGKILL')
  expect(await readdir(folder)).not.toEqual([])
  const lock = await holdFolder(folder)
  await lock[Symbol.asyncDispose]()
  expect(await readdir(folder)).toEqual([])
})

it.runIf(existsSync('/proc/self/stat'))(
  'a lock whose process id another program has got since is taken over',
  async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const folder = join(root, 'reused')
    await mkdir(folder)
    for (const name of [`lock.${other.pid}.1`, `lock.${process.pid}.1`])
      await writeFile(join(folder, name), '')
    await (await holdFolder(folder))[Symbol.asyncDispose]()
    expect(await readdir(folder)).toEqual([])
    other.kill('SIGKILL')
  },
)

it('a lock whose process lives and does not say when it was started is respected', async () => {
  const folder = join(root, 'unknown')
  await mkdir(folder)
  await writeFile(join(folder, `lock.${process.ppid}.`), '')
  await expect(holdFolder(folder)).rejects.toThrow(`is in use by process ${process.ppid}`)
})

it('of several that come at once, after a kill or to a new folder, never two hold it', async () => {
  const folders = Array.from({ length: 60 }, (_, i) => join(root, `rush-${i}`))
  const killed = hold(0, folders.slice(0, 30))
  await said(killed)
  await killed.stop('SIGKILL')
  const when = Date.now() + 3000
  const rush = await Promise.all([1, 2, 3, 4].map(() => said(hold(when, folders))))
  for (const folder of folders)
    expect(rush.filter(({ held }) => held.includes(folder)).length).toBeLessThanOrEqual(1)
  for (const { refused } of rush)
    for (const message of refused) expect(message).toContain('is in use by process')
})
