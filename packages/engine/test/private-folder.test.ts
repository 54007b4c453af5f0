import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { AF, killAll, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'

const root = testFolder('private')

afterAll(killAll)

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

/** Returns the paths of a folder and its files that others can access. */
async function wideIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((each) => each.isFile())
  const paths = [folder, ...files.map(({ parentPath, name }) => join(parentPath, name))]
  const modes = await Promise.all(paths.map(modeOf))
  return paths.filter((_, i) => (modes[i] ?? 0) & 0o077)
}

it('restricts a validator’s folder and a localnet’s keys to their owner even with umask 0, but not a bucket', async () => {
  const before = process.umask(0)
  try {
    const out = join(root, 'net')
    const [net, folder] = [['--port', '0', '--out', out], join(root, 'v')]
    await mkdir(folder)
    const chain = start(AF, ['localnet', ...net, '--block-ms', '40', '--json'], { cwd: root })
    const [line] = await chain.says(/^\{"type":"serving".*\}$/m)
    expect(await wideIn(join(out, 'keys'))).toEqual([])
    const { url } = JSON.parse(line) as { url: string }
    const own = ['--key', join(out, 'keys/validator-1'), '--folder', folder]
    const words = ['validate', '--network', url, ...own, '--buckets', join(root, 'buckets')]
    const validator = start(AF, words, { cwd: root })
    await validator.says(/epoch 0 {2}/)
    expect(await wideIn(folder)).toEqual([])
    // The validator publishes its state.
    const isPublic = async () => expect(await wideIn(join(root, 'buckets'))).not.toEqual([])
    await vi.waitFor(isPublic, 30_000)
    await validator.stop()
    await chain.stop()
  } finally {
    process.umask(before)
  }
})
