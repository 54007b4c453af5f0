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
}, 300_000)
afterAll(killAll)

/** Tells on its standard error of every thread that is started. */
const TELLING =
  '--import=data:text/javascript,' +
  encodeURIComponent(
    'import { isMainThread } from "node:worker_threads";' +
      'if (!isMainThread) process._rawDebug("a thread starts")',
  )

const verify = async (jobs: string, folder = root, network = chain) => {
  const words = [folder, '--network', network, '--jobs', jobs]
  const { stderr, ...ended } = await run(AF_VERIFY, words, { env: { NODE_OPTIONS: TELLING } })
  return { ...ended, threads: stderr.split('a thread starts').length - 1 }
}

test('says the same however many blocks it checks at a time, in as many threads', async () => {
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

test('refuses a number of jobs that is none', async () => {
  const { code, stderr } = await runVerifier([root, '--network', chain, '--jobs', '0'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('Expected a whole number, 1 to 256')])
})

test('exits with 3, and not as where all holds, if not all copies were compared', async () => {
  const subnet = new OneLiar(LOCAL_NETWORK)
  const state = await subnet.state
  await subnet.play(state, {})
  const folder = await mkdtemp(join(root, 'copies-'))
  const network = ['--network', await writeSubnet(subnet, folder)]
  const all = await runVerifier([folder, ...network])
  expect([all.code, all.stdout.includes('No problems found.')]).toEqual([0, true])
  expect(all.stdout).toMatch(/^begins with epoch 0 and the network's first state \w{64}\n/)
  for (const copies of ['0', '1']) {
    const words = [folder, ...network, '--copies', copies]
    const { code, stdout } = await runVerifier(words)
    expect(code).toBe(3)
    expect(stdout).not.toContain('No problems found')
    expect(stdout).toContain('Not compared: ')
  }
}, 600_000)
