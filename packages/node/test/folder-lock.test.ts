import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { killAll, type RunningProcess, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { lockFolder } from '../src/folder-lock.ts'

const HOLDER = fileURLToPath(new URL('./hold-folder.ts', import.meta.url))
const root = testFolder('lock')

afterAll(killAll)

/** Starts a process that locks folders from a given time on, and keeps the locks until killed. */
const hold = (when: number, folders: readonly string[]): RunningProcess =>
  start(HOLDER, [String(when), ...folders])
const readLocks = async ({
  says,
}: RunningProcess): Promise<{ held: string[]; refused: string[] }> =>
  JSON.parse((await says(/^\{.*\}$/m))[0])

it('creates, locks and unlocks a folder', async () => {
  const folder = join(root, 'new', 'deep')
  const lock = await lockFolder(folder)
  await lock[Symbol.asyncDispose]()
  expect((await readdir(folder)).sort()).toEqual(['.gitignore', 'lock'])
  expect(await readFile(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
  await (await lockFolder(folder))[Symbol.asyncDispose]()
})

/** Arguments that start a process in another namespace of process ids. */
const APART = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child']
const hasNamespaces = spawnSync('unshare', [...APART, 'true']).status === 0

it.runIf(hasNamespaces)(
  'rejects a folder that a process of another namespace has locked',
  async () => {
    const folder = join(root, 'apart')
    const loader = ['--conditions=@affine/source', '--import', import.meta.resolve('tsx')]
    const other = spawn('unshare', [...APART, process.execPath, ...loader, HOLDER, '0', folder])
    await once(other.stdout, 'data')
    await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by another process`)
    other.kill('SIGKILL')
    await once(other, 'close')
    await (await lockFolder(folder))[Symbol.asyncDispose]()
  },
)

it('rejects a locked folder until its process is killed, and then gives the lock to at most one of several processes, as in a new folder', async () => {
  const [folder = '', ...folders] = Array.from({ length: 25 }, (_, i) => join(root, `rush-${i}`))
  const held = [folder, ...folders.slice(0, 12)]
  const first = hold(0, held)
  expect(await readLocks(first)).toEqual({ held, refused: [] })
  const message = `${folder} is in use by another process: stop it`
  for (const _ of [1, 2]) await expect(lockFolder(folder)).rejects.toThrow(message)
  await first.stop('SIGKILL')
  await (await lockFolder(folder))[Symbol.asyncDispose]()
  const when = Date.now() + 3000
  const rush = await Promise.all([1, 2, 3].map(() => readLocks(hold(when, folders))))
  for (const folder of folders)
    expect(rush.filter(({ held }) => held.includes(folder)).length).toBeLessThanOrEqual(1)
  for (const { refused } of rush)
    for (const message of refused) expect(message).toContain('in use by another process')
})
