import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockPath } from '@affine/blocks'
import { directoryBucket } from '@affine/blocks/directory'
import { account, type LocalChain, serveLocal } from '@affine/chain'
import { listen } from '@affine/node/listen'
import { listSeals } from '@affine/settlement'
import { expect, it } from 'vitest'
import {
  chainOf,
  contender,
  FIRST,
  miner,
  own,
  reply,
  START,
  tempo,
  validatorOf,
} from '../../../packages/engine/test/one-validator.ts'
import { runAf, runVerifier } from '../../../test/in-process.ts'
import { testFolder } from '../../../test/test-folder.ts'

const root = testFolder('folder-owner')
const folder = join(root, 'validator-2')
const buckets = join(root, 'buckets')

/** Returns the mode of every entry of a folder by path, and the content of files. */
async function contents(): Promise<Record<string, string>> {
  const names = ['.', ...(await readdir(folder, { recursive: true }))]
  const entries = names.map(async (name) => {
    const stats = await stat(join(folder, name))
    const text = stats.isFile() ? await readFile(join(folder, name), 'latin1') : ''
    return [name, `${stats.mode} ${text}`]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Starts `af validate` with a foreign key on the folder, and resolves with its end. */
async function intrude(chain: LocalChain) {
  const key = join(root, 'key')
  await writeFile(key, '07'.repeat(32), { mode: 0o600 })
  using server = await listen(serveLocal(chain), 0)
  const places = ['--folder', folder, '--buckets', buckets]
  return await runAf(['validate', '--network', server.url, '--key', key, ...places])
}

it('rejects another hotkey between seal and publication, and loses nothing', async () => {
  const chain = await chainOf([miner, contender])
  const bucket = directoryBucket(join(buckets, own.hotkey))
  const start = () => validatorOf(chain, folder, { agent: reply, bucket, bucketUrl: own.hotkey })
  const first = start()
  await first.follow(START + 2)
  expect(first.sent()).toContain(`seal ${FIRST}`)
  const head = listSeals(await chain.snapshot(chain.height), FIRST)[own.hotkey] ?? ''
  expect(existsSync(join(folder, blockPath(head)))).toBe(true)
  expect(existsSync(join(buckets, own.hotkey, blockPath(head)))).toBe(false)
  await first.validator.stop()

  const before = await contents()
  const { code, stderr } = await intrude(chain)
  const intruder = account(Buffer.alloc(32, 7)).hotkey
  const names = Object.entries({ folder, owner: own.hotkey, genesis: chain.genesis, intruder })
  const shown = names.reduce((text, [name, each]) => text.replaceAll(each, `<${name}>`), stderr)
  await expect(shown).toMatchFileSnapshot('snapshots/folder-owner.txt')
  expect(code).toBe(2)
  expect(await contents()).toEqual(before)

  const again = start()
  await again.follow(START + tempo + 1)
  expect(again.problems()).toEqual([])
  expect(again.sent()).not.toContain(`seal ${FIRST}`)
  expect(again.sent()).toContain(`attest ${FIRST}`)
  expect(existsSync(join(buckets, own.hotkey, blockPath(head)))).toBe(true)
  const file = join(root, 'chain.json')
  await writeFile(file, chain.export())
  const verified = await runVerifier([buckets, '--network', file])
  const network = `network: ${file}, netuid 120 (--network)\n`
  expect([verified.code, verified.stderr]).toEqual([0, network])
})
