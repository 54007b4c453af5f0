import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sample } from '../packages/blocks/src/index.ts'
import { LOCAL_NETWORK } from '../packages/settlement/src/index.ts'
import { createBucketOpener } from '../packages/settlement/src/node/index.ts'
import { OneLiar } from './attacks/one-liar.ts'
import { writeSubnet } from './attacks/write-subnet.ts'
import { AF_VERIFY, killAll, run, startCommand } from './processes.ts'
import { testFolder } from './test-folder.ts'

const root = testFolder('jobs')
const subnet = new OneLiar(LOCAL_NETWORK)
let chain: string

beforeAll(async () => {
  const long = { reply: () => 'I count.\n'.repeat(99) } // makes blocks long enough for threads
  const alter = (samples: readonly Sample[]) =>
    samples.map((sample, i) => (i === 40 ? { ...sample, reward: 9 } : sample))
  await subnet.sealLie({ ...long, alter })
  const state = await subnet.state
  await subnet.sealAll(state, subnet.honest, long)
  await subnet.attestAll(state)
  await subnet.end(state)
  chain = await writeSubnet(subnet, root)
}, 300_000)
afterAll(killAll)

/** An option of Node by which each thread prints a line to standard error when it starts. */
const TELLING =
  '--import=data:text/javascript,' +
  encodeURIComponent(
    'import { isMainThread } from "node:worker_threads";' +
      'if (!isMainThread) process._rawDebug("a thread starts")',
  )

/** A module of environments that prints a line to standard error, except in the main thread. */
const MODULE =
  'data:text/javascript,' +
  encodeURIComponent(`
    import { isMainThread } from 'node:worker_threads'
    export default (envs) => {
      if (!isMainThread) process._rawDebug('a module runs')
      envs.register(envs.defineEnv({ ...envs.make('mult8-v0').spec, version: '0.0.1' }))
    }`)

/** Recomputes the history with the built packages, in three threads. Prints the findings. */
const RECOMPUTE = `
  const dist = ${JSON.stringify(new URL('../packages/settlement/dist/', import.meta.url).href)}
  const modules = await import(dist + '../../envs/dist/modules.js')
  await modules.loadModule(${JSON.stringify(MODULE)})
  const { openChain, recompute } = await import(dist + 'index.js')
  const { NODE_HOST } = await import(dist + 'node/host.js')
  const { createBucketOpener, openThreads } = await import(dist + 'node/index.js')
  const [root, where] = process.argv.slice(1)
  const subnet = await openChain(where, NODE_HOST)
  const threads = openThreads(3)
  const data = { ...subnet, openBucket: createBucketOpener(root, subnet.network), ...threads }
  for await (const { state, flaws } of recompute(data)) console.log(JSON.stringify([state, flaws]))
  await threads[Symbol.asyncDispose]()
`

test('finds the same in at most three threads as in one', async () => {
  const openBucket = createBucketOpener(root, LOCAL_NETWORK)
  const epochs = await subnet.recompute({ openBucket })
  const alone = epochs.map(({ state, flaws }) => `${JSON.stringify([state, flaws])}\n`).join('')
  expect(alone).toContain('WRONG_REWARD')
  const words = ['--eval', `(async () => {${RECOMPUTE}})()`, '--', root, chain]
  const env = { ...process.env, NODE_OPTIONS: TELLING }
  const { code, stdout, stderr } = await startCommand(process.execPath, words, { env }).ended
  expect(code, stderr).toBe(0)
  expect(stdout).toBe(alone)
  const count = (text: string): number => stderr.split(text).length - 1
  const threads = count('a thread starts')
  expect(threads).toBeGreaterThan(0)
  expect(count('a module runs')).toBe(threads)
  expect(threads).toBeLessThanOrEqual(3)
})

test('starts no thread with --jobs 2 for a history of less than 16 MiB', async () => {
  const words = [root, '--network', chain, '--jobs', '2']
  const { code, stderr } = await run(AF_VERIFY, words, { env: { NODE_OPTIONS: TELLING } })
  expect([code, stderr]).toEqual([1, expect.not.stringContaining('a thread starts')])
})
