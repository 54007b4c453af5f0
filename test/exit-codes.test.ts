import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statePath } from '../packages/blocks/src/index.ts'
import { LOCAL_NETWORK } from '../packages/settlement/src/index.ts'
import { EXIT_CODES, EXIT_CODES_TEXT } from '../packages/terminal/src/index.ts'
import { accountOf, FIRST_DUEL, ReadingSubnet } from './attacks/reading-subnet.ts'
import { writeSubnet } from './attacks/write-subnet.ts'
import { runVerifier } from './in-process.ts'
import { read } from './repository.ts'
import { testFolder } from './test-folder.ts'
import { closeServers, serve } from './web-server.ts'

const NOWHERE = 'http://127.0.0.1:1'
const root = testFolder('exit-codes')
const flawed = testFolder('exit-codes-flawed')
let chain: string

beforeAll(async () => {
  const subnet = new ReadingSubnet([100, 100, 100], 0, LOCAL_NETWORK)
  await subnet.play(await subnet.begin(), {})
  chain = await writeSubnet(subnet, root)
})
afterAll(closeServers)

test('docs/errors.md and the help of af-verify list the same codes', async () => {
  const rows = [...read('docs/errors.md').matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)]
  expect(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning]))).toEqual(EXIT_CODES)
  const { code, stdout } = await runVerifier(['--help'])
  expect(code).toBe(0)
  for (const line of EXIT_CODES_TEXT.split('\n')) expect(stdout).toContain(line.trim())
})

// apps/validator/test/leaving.test.ts tests that both programs exit with 130 at Ctrl-C.
describe('af-verify exits with', () => {
  const verify = (base: string, ...words: readonly string[]) =>
    runVerifier([base, '--network', chain, ...words])

  test('0 for a valid history, and 3 if copies were not compared', async () => {
    const all = await verify(root)
    expect([all.code, all.stdout.includes('No problems found.')]).toEqual([0, true])
    expect(all.stdout).toMatch(/^begins with epoch 0 and the network's first state \w{64}\n/)
    for (const copies of ['0', '1']) {
      const { code, stdout } = await verify(root, '--copies', copies)
      expect([code, stdout.includes('No problems found')]).toEqual([3, false])
      expect(stdout).toContain('Not compared: ')
    }
  })

  test('1 for a flaw, even if no sample matches --sample', async () => {
    await cp(root, flawed, { recursive: true })
    await rm(join(flawed, accountOf(1).hotkey, statePath(FIRST_DUEL)))
    const { code, stdout } = await verify(flawed)
    expect([code, stdout]).toEqual([1, expect.stringContaining('STATE_MISSING')])
    const stopped = await verify(flawed, '--sample', 'none#0')
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('no sample in')])
  })

  test('4 if a node or the buckets are unavailable', async () => {
    const ended = await verify(await serve((_, response) => response.writeHead(503).end()))
    expect([ended.code, ended.stderr]).toEqual([4, expect.stringContaining('status 503')])
    expect((await runVerifier([root, '--network', NOWHERE])).code).toBe(4)
    expect((await verify(NOWHERE)).code).toBe(4)
  })
})
