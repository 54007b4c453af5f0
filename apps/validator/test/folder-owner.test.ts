import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { account, serveLocal } from '@affine/chain'
import { claimFolder } from '@affine/engine/node'
import { listen } from '@affine/node/listen'
import { expect, it } from 'vitest'
import { runAf } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { createChain, writeIn } from './commands.ts'

const root = testFolder('folder-owner')
const folder = join(root, 'validator-2')

/** Returns the mode of every entry of the folder by path, and the content of files. */
async function contents(): Promise<Record<string, string>> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))]
  const entries = names.map(async (name) => {
    const stats = await stat(join(folder, name))
    const text = stats.isFile() ? await readFile(join(folder, name), 'latin1') : ''
    return [name, `${stats.mode} ${text}`]
  })
  return Object.fromEntries(await Promise.all(entries))
}

it('af validate rejects the folder of another hotkey, and changes nothing in it', async () => {
  const [owner, intruder] = [6, 7].map((byte) => account(Buffer.alloc(32, byte)).hotkey)
  const chain = createChain({ netuid: 120 })
  await claimFolder(folder, chain, owner ?? '')
  await writeIn(folder, 'a sample', 'journal/2.jsonl')
  const before = await contents()
  const key = await writeIn(root, '07'.repeat(32))
  using server = await listen(serveLocal(chain), 0)
  const places = ['--folder', folder, '--buckets', join(root, 'buckets')]
  const words = ['validate', '--network', server.url, '--key', key, ...places]
  const { code, stderr } = await runAf(words)
  const names = Object.entries({ folder, owner, genesis: chain.genesis, intruder })
  const shown = names.reduce(
    (text, [name, each = '']) => text.replaceAll(each, `<${name}>`),
    stderr,
  )
  await expect(shown).toMatchFileSnapshot('snapshots/folder-owner.txt')
  expect(code).toBe(2)
  expect(await contents()).toEqual(before)
})
