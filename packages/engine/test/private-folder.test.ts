import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { keepPrivate } from '../src/node/folder.ts'

const root = testFolder('private')

afterAll(killAll)

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

/** The files of a folder that others could read, or itself. */
async function wideIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((each) => each.isFile())
  const paths = [folder, ...files.map(({ parentPath, name }) => join(parentPath, name))]
  const modes = await Promise.all(paths.map(modeOf))
  return paths.filter((_, i) => (modes[i] ?? 0) & 0o077)
}

/** A validator's folder as an older version left it. */
async function wideFolder(name: string): Promise<string> {
  const folder = join(root, name)
  await mkdir(join(folder, 'secrets'), { recursive: true })
  await writeFile(join(folder, 'secrets/7'), 'ab'.repeat(32))
  await chmod(folder, 0o755)
  await chmod(join(folder, 'secrets'), 0o755)
  await chmod(join(folder, 'secrets/7'), 0o644)
  return folder
}

describe('a folder with secrets', () => {
  it('that others can read is narrowed, and that is said once', async () => {
    const folder = await wideFolder('old')
    const places = [folder, join(folder, 'secrets'), join(folder, 'secrets/7')]
    expect(await keepPrivate(folder)).toEqual(
      places.map((place) => `${place} could be read by others on this machine: no longer`),
    )
    expect(await Promise.all(places.map(modeOf))).toEqual([0o700, 0o700, 0o600])
    expect(await keepPrivate(folder)).toEqual([])
  })

  it('leaves what a link in it leads to as it is', async () => {
    const folder = await wideFolder('linked')
    const elsewhere = join(root, 'elsewhere')
    await writeFile(elsewhere, '')
    await chmod(elsewhere, 0o644)
    await symlink(elsewhere, join(folder, 'secrets/8'))
    await keepPrivate(folder)
    expect(await modeOf(elsewhere)).toBe(0o644)
  })

  it('is made for its owner alone by a validator and a localnet under any umask; a bucket is not', async () => {
    const before = process.umask(0)
    try {
      const out = join(root, 'net')
      const [net, folder] = [['--port', '0', '--out', out], await wideFolder('v')]
      const chain = start(AF, ['localnet', ...net, '--block-ms', '40', '--json'], { cwd: root })
      const [line] = await chain.says(/^\{"type":"serving".*\}$/m)
      expect(await wideIn(join(out, 'keys'))).toEqual([])
      const { url } = JSON.parse(line) as { url: string }
      const own = ['--key', join(out, 'keys/validator-1'), '--folder', folder]
      const words = ['validate', '--network', url, ...own, '--buckets', join(root, 'buckets')]
      const validator = start(AF, words, { cwd: root })
      await validator.says(/secrets could be read by others on this machine: no longer/)
      await validator.says(/epoch 0 {2}/)
      expect(await wideIn(folder)).toEqual([])
      // Its state is published beside all else.
      const isPublic = async () => expect(await wideIn(join(root, 'buckets'))).not.toEqual([])
      await vi.waitFor(isPublic, 30_000)
      await validator.stop()
      await chain.stop()
    } finally {
      process.umask(before)
    }
  })
})
