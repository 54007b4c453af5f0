import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sayLeftovers } from '../src/commands/demo/clean.ts'
import { demoFolder, leftovers } from '../src/commands/demo/leftovers.ts'
import { demo } from '../src/commands/demo.ts'
import { inProcess } from './commands.ts'

let root: string
/** Of a process that has ended: none has it. */
const GONE = 2 ** 22 + 1

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'leftovers-'))
  vi.stubEnv('TMPDIR', root)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(root, { recursive: true })
})
afterAll(() => vi.restoreAllMocks())

/** A folder as a demo leaves it, with so many bytes in it. */
async function left(name: string, bytes: number): Promise<string> {
  const folder = join(root, `affine-demo-${name}`)
  await mkdir(join(folder, 'buckets'), { recursive: true })
  await writeFile(join(folder, 'made-by'), `af demo, process ${GONE}\n`)
  await writeFile(join(folder, 'buckets', 'block'), Buffer.alloc(bytes))
  return folder
}

describe('af demo --clean', () => {
  it('shows what earlier demos left, with its size, and removes it if that is agreed', async () => {
    const [one, two] = [await left('one', 2_000_000), await left('two', 500_000)]
    const shown = await inProcess(demo, '--clean')
    expect(shown.stdout).toBe(
      `${one}  2.0 MB\n${two}  0.5 MB\nNothing was removed; with --yes it is, unasked.\n`,
    )
    expect([existsSync(one), existsSync(two)]).toEqual([true, true])
    const { records } = await inProcess(demo, '--clean', '--yes', '--json')
    expect(records.at(-1)).toEqual({ type: 'removed', folders: 2 })
    expect([existsSync(one), existsSync(two)]).toEqual([false, false])
    const { stdout } = await inProcess(demo, '--clean', '--yes')
    expect(stdout).toBe('No earlier demo left anything.\n')
  })

  it('leaves alone what is not surely a demo’s that has ended, and follows no link', async () => {
    const folder = await left('linked', 10)
    const outside = join(root, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'precious'), 'precious')
    await symlink(outside, join(folder, 'buckets', 'link'))
    await symlink(outside, join(root, 'affine-demo-link'))
    const marks = { mine: undefined, other: 'something else', half: 'af demo, process \n' }
    for (const [name, mark] of Object.entries(marks)) {
      await mkdir(join(root, `affine-demo-${name}`))
      if (mark) await writeFile(join(root, `affine-demo-${name}`, 'made-by'), mark)
    }
    await mkdir(join(root, 'affine-demo-marked'))
    await symlink(join(folder, 'made-by'), join(root, 'affine-demo-marked', 'made-by'))
    const running = await demoFolder()
    await writeFile(join(outside, 'made-by'), `af demo, process ${GONE}\n`)
    expect((await leftovers()).map((each) => each.folder)).toEqual([folder])
    await inProcess(demo, '--clean', '--yes')
    expect(existsSync(folder)).toBe(false)
    for (const name of ['link', 'mine', 'other', 'half', 'marked'])
      expect(existsSync(join(root, `affine-demo-${name}`)), name).toBe(true)
    expect([existsSync(join(outside, 'precious')), existsSync(running)]).toEqual([true, true])
  })

  it('is mentioned by a demo where there is something to remove', async () => {
    const said: string[] = []
    const screen = { line: (text: string) => void said.push(text), status: () => {} }
    await sayLeftovers(screen)
    expect(said).toEqual([])
    await left('one', 1_200_000)
    await sayLeftovers(screen)
    expect(said.join()).toMatch(/earlier demos left: 1 folder, 1\.2 MB\n {4}\$ .* demo --clean$/)
  })

  it('is refused with what is for a run', async () => {
    const { error } = await inProcess(demo, '--yes')
    expect(error?.message).toBe('"--yes" expected with --clean')
  })
})
