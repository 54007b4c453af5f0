import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { account, encodeCommitment, LocalChain } from '@affine/chain'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { AF, killAll, run, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { goingOn } from './commands.ts'

const SEED = new Uint8Array(32).fill(7)
const { hotkey } = account(SEED)
const root = testFolder('own-slot')

beforeAll(async () => {
  await writeFile(join(root, 'key'), Buffer.from(SEED).toString('hex'), { mode: 0o600 })
})
afterAll(killAll)

it("af validate does not take a slot that holds a miner's model, unless told so", async () => {
  const neurons = [{ hotkey, stake: 1_500_000_000_000n }]
  const random = (): Uint8Array => randomBytes(32)
  const chain = LocalChain.create({ netuid: 7, random, time: Date.now(), neurons })
  await using served = await goingOn(chain)
  const model = { kind: 'miner', model: `me/${hotkey}`, revision: 'main', chute: 'c' } as const
  const { number } = await chain.commit(account(SEED), encodeCommitment(model))
  const words = ['validate', '--network', served.url, '--key', 'key']
  const places = ['--folder', 'folder', '--buckets', 'buckets']

  const refused = await run(AF, [...words, ...places], { cwd: root })
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toBe(
    `af: the slot has a miner's model (block ${number}, miner: {"model":"me/${hotkey}",` +
      '"revision":"main","chute":"c"}): validate with another hotkey, or with --overwrite\n',
  )
  const told = start(AF, [...words, ...places, '--overwrite'], { cwd: root })
  await told.says(/validating as/)
  expect((await told.stop()).code).toBe(130)
})
