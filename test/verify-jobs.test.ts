import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sample } from '../packages/blocks/src/index.ts'
import { LOCAL_NETWORK } from '../packages/settlement/src/index.ts'
import { writeSubnet } from './attacks/af-verify.ts'
import { OneLiar } from './attacks/one-liar.ts'
import { hotkeys } from './attacks/reading-subnet.ts'
import { runVerifier } from './in-process.ts'
import { AF_VERIFY, killAll, run } from './processes.ts'
import { testFolder } from './test-folder.ts'

const root = testFolder('jobs')
let chain: string
let stateRoot: string

beforeAll(async () => {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const long = { reply: () => 'I count.\n'.repeat(5000) } // more than one thread checks alone
  const alter = (samples: readonly Sample[]) =>
    samples.map((sample, i) => (i === 40 ? { ...sample, reward: 9 } : sample))
  await subnet.sealLie({ ...long, alter })
  const state = await subnet.state
  await subnet.sealAll(state, subnet.honest, long)
  for (const voter of subnet.voters) await subnet.attest(voter, state, hotkeys(subnet.voters))
  stateRoot = (await subnet.outcome()).root
  chain = await writeSubnet(subnet, root)
})
afterAll(killAll)

/** Makes a process report every thread that starts, on its standard error. */
const REPORTING =
  '--import=data:text/javascript,' +
  encodeURIComponent(
    'import { isMainThread } from "node:worker_threads";' +
      'if (!isMainThread) process._rawDebug("a thread starts")',
  )

const verify = async (jobs: string, folder = root, network = chain) => {
  const words = [folder, '--network', network, '--jobs', jobs]
  const { stderr, ...ended } = await run(AF_VERIFY, words, { env: { NODE_OPTIONS: REPORTING } })
  return { ...ended, threads: stderr.split('a thread starts').length - 1 }
}

test('prints the same with one and with two jobs, and starts a thread for each of two', async () => {
  const alone = await verify('1')
  expect(alone).toMatchObject({ code: 1, threads: 0 })
  expect(alone.stdout).toContain(stateRoot)
  expect(alone.stdout).toMatch(/WRONG_REWARD: block \w{64}, line \d+, \S+ \d+: expected/)
  const { threads, ...ended } = await verify('2')
  expect({ ...ended, threads: 0 }).toEqual(alone)
  expect(threads).toBe(2)
})

test('starts no thread for a history of less than 16 MiB', async () => {
  const subnet = new OneLiar(LOCAL_NETWORK)
  await subnet.play(await subnet.state, {})
  const folder = await mkdtemp(join(root, 'small-'))
  const { code, threads } = await verify('2', folder, await writeSubnet(subnet, folder))
  expect([code, threads]).toEqual([0, 0])
})

test('rejects 0 jobs', async () => {
  const { code, stderr } = await runVerifier([root, '--network', chain, '--jobs', '0'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('Expected a whole number, 1 to 256')])
})
