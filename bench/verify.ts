import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LocalChain } from '@affine/chain'
import { type EnvsConstants, PROTOCOL, type State } from '@affine/duel'
import { type OpenBucket, type PublicData, recompute } from '@affine/settlement'
import { openThreads } from '@affine/settlement/node'
import { bucketIn, makeEvidence, networkOf, type Size, shortEnvs } from './evidence.ts'

/*
 * Recomputes a million challenges of two duels, signed by 64 validators, like `af-verify`: in one
 * thread and in two, each in its own process, with one copy of every block. Then a few epochs with
 * two copies and with all 64. Then each of the main network's environments, in one thread. Then a
 * long history of short lanes, to see whether the cost of an epoch grows. Last, the cost of one
 * slow bucket.
 */

type PlayedSize = Size & { readonly envs: EnvsConstants }

/** The task of a process. */
interface Run {
  readonly folder: string
  readonly size: PlayedSize
  readonly jobs: number
  /** Number of copies of each block to compare with the copy that is read. */
  readonly copies: number
  /** The last epoch to recompute. Default: the last closed epoch of the chain. */
  readonly to?: number
}

/** The cost of a run. */
interface RunCost {
  /** Time of each epoch in milliseconds. */
  readonly ms: readonly number[]
  /** Maximum memory of the process in each epoch, in bytes. */
  readonly memory: readonly number[]
  readonly challenges: number
  readonly flaws: number
}

/** Bytes per second of all buckets except the slow one. */
const USUAL_RATE = 4_000_000
/** Cases, with the bytes per second of the slow bucket; 0 for a silent bucket. */
const SLOW_BUCKETS = [
  ['all buckets at 4 MB/s', USUAL_RATE],
  ['one of 8 at 400 kB/s', USUAL_RATE / 10],
  ['one of 8 at 65 kB/s', 65_000],
  ['one of 8 silent for 30 s a read', 0],
] as const

const input = process.argv[2]
if (input === undefined) await main()
else process.send?.(await measure(JSON.parse(input)))

async function measure({ folder, size, jobs, copies, to }: Run): Promise<RunCost> {
  const choose = copies === 0 ? null : (holders: readonly string[]) => holders.slice(0, copies)
  const reading = { ...(await dataIn(folder, size)), choose, to }
  await using threads = jobs > 1 ? openThreads(jobs) : undefined
  const [ms, memory]: [number[], number[]] = [[], []]
  let [challenges, flaws, most] = [0, 0, 0]
  const sampleMemory = (): void => {
    most = Math.max(most, process.memoryUsage().rss)
  }
  const timer = setInterval(sampleMemory, 50)
  let start = performance.now()
  for await (const { report, flaws: found } of recompute({ ...reading, ...threads })) {
    sampleMemory()
    ms.push(performance.now() - start)
    memory.push(most)
    start = performance.now()
    most = 0
    const lanes = Object.values(report.lanes).filter(({ accepted }) => accepted)
    for (const env of report.duels.flatMap(({ envs }) => Object.keys(envs)))
      challenges += lanes.length * (size.envs[env]?.quotaMost ?? 0)
    flaws += found.length
  }
  clearInterval(timer)
  return { ms, memory, challenges, flaws }
}

async function dataIn(folder: string, size: Size): Promise<PublicData> {
  const chain = LocalChain.import(await readFile(join(folder, 'chain.json'), 'utf8'))
  return { chain, network: networkOf(size), openBucket: bucketIn(folder) }
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'affine-bench-'))
  try {
    await ofMillion(join(folder, 'million'))
    for (const env of Object.keys(PROTOCOL.envs)) await ofEnvironment(join(folder, env), env)
    await compareLongHistory(join(folder, 'long'))
    await ofSlow(join(folder, 'slow'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function ofMillion(folder: string): Promise<void> {
  const size = { validators: 64, epochs: 16, envs: shortEnvs(512) }
  await reportDuration('16 epochs of 64 lanes of 1,024 challenges', () =>
    makeEvidence(folder, size),
  )
  const rates: number[] = []
  for (const jobs of [1, 2]) {
    const taken = await inProcess({ folder, size, jobs, copies: 0 })
    const rate = rateOf(taken)
    rates.push(rate)
    const half = taken.memory.length >> 1
    const [first, second] = [taken.memory.slice(0, half), taken.memory.slice(half)]
    const peaks = [first, second].map((part) => `${megabytes(Math.max(...part))} MB`)
    console.log(
      `${jobs} jobs  ${taken.challenges} challenges, ${rate} challenges/s, ` +
        `at most ${peaks.join(' and ')} in the halves`,
    )
  }
  const [one = 1, two = 0] = rates
  console.log(`2 jobs are ${(two / one).toFixed(2)} x as fast as 1`)
  for (const copies of [1, 63]) {
    const taken = await inProcess({ folder, size, jobs: 2, copies, to: 2 })
    console.log(`2 jobs, and ${copies} more copies compared  ${rateOf(taken)} challenges/s`)
  }
}

async function ofEnvironment(folder: string, env: string): Promise<void> {
  const constants = PROTOCOL.envs[env]
  if (constants === undefined) throw new Error(`no constants of ${env}`)
  const envs = { [env]: { ...constants, quotaFirst: constants.quotaMost } }
  const size = { validators: 16, epochs: 16, envs }
  await reportDuration(`16 epochs of 16 lanes of ${env}`, () => makeEvidence(folder, size))
  const taken = await inProcess({ folder, size, jobs: 1, copies: 0 })
  console.log(`${env}  ${taken.challenges} challenges, ${rateOf(taken)} challenges/s`)
}

/** Measures early and late epochs, alternately, because the speed of a machine varies. */
async function compareLongHistory(folder: string): Promise<void> {
  const size = { validators: 16, epochs: 900, envs: shortEnvs(4) }
  await reportDuration('1,100 epochs of 16 lanes of 8 challenges', () => makeEvidence(folder, size))
  const data = { ...(await dataIn(folder, size)), choose: null }
  const states: State[] = []
  for await (const { state } of recompute(data)) if (state.duels.length > 0) states.push(state)
  const timeOf = async (from: State): Promise<number> => {
    const start = performance.now()
    for await (const _ of recompute({ ...data, from, to: from.epoch }));
    return performance.now() - start
  }
  const [first, last] = [states.slice(10, 100), states.slice(-100, -10)]
  const [early, late]: [number[], number[]] = [[], []]
  for (const [i, state] of first.entries()) {
    early.push(await timeOf(state))
    late.push(await timeOf(last[i] ?? state))
  }
  const [soon, then] = [early, late].map((list) => medianOf(list).toFixed(2))
  const [a, b, c, d] = [first[0], first.at(-1), last[0], last.at(-1)].map((state) => state?.epoch)
  console.log(`an epoch takes ${soon} ms from ${a} to ${b}, ${then} ms from ${c} to ${d}`)
}

/** Measures runs with a slow bucket, concurrently, because they mostly wait. */
async function ofSlow(folder: string): Promise<void> {
  const size = { validators: 8, epochs: 6, envs: shortEnvs(512) }
  await reportDuration('6 epochs of 8 lanes of 1,024 challenges', () => makeEvidence(folder, size))
  const taken = SLOW_BUCKETS.map(async ([what, rate]) => {
    const start = performance.now()
    const data = await dataIn(folder, size)
    const openBucket = slowedBy(data.openBucket, rate)
    for await (const _ of recompute({ ...data, openBucket, lanesAtOnce: 8 }));
    return `${what}  ${Math.round((performance.now() - start) / 1000)} s`
  })
  for (const text of await Promise.all(taken)) console.log(text)
}

/**
 * Returns buckets that answer reads one at a time: the first opened bucket at `slow` bytes per
 * second, all others at the usual rate. With 0, each read fails after 30 s.
 */
function slowedBy(open: OpenBucket, slow: number): OpenBucket {
  const lines = new Map<string, Promise<void>>()
  return (hotkey, url) => {
    const source = open(hotkey, url)
    if (source === null) return null
    if (!lines.has(hotkey)) lines.set(hotkey, Promise.resolve())
    const rate = hotkey === [...lines.keys()][0] ? slow : USUAL_RATE
    const read: typeof source.read = async (...args) => {
      if (rate === 0) await setTimeout(30_000)
      if (rate === 0) throw new Error('no answer')
      const bytes = await source.read(...args)
      const sent = lines.get(hotkey)?.then(() => setTimeout((1000 * (bytes?.length ?? 0)) / rate))
      lines.set(hotkey, sent ?? Promise.resolve())
      await sent
      return bytes
    }
    return { ...source, read }
  }
}

async function reportDuration(what: string, make: () => Promise<void>): Promise<void> {
  const start = performance.now()
  await make()
  console.log(`made ${what}: ${Math.round((performance.now() - start) / 1000)} s`)
}

/** Runs a task in its own process, so that no run finds the caches of another. */
async function inProcess(run: Run): Promise<RunCost> {
  const child = fork(process.argv[1] ?? '', [JSON.stringify(run)])
  const [taken] = await once(child, 'message')
  if (taken.flaws > 0) throw new Error(`the evidence has ${taken.flaws} flaws`)
  return taken
}

function rateOf({ challenges, ms }: RunCost): number {
  return Math.round((1000 * challenges) / ms.reduce((sum, each) => sum + each, 0))
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000)
}

function medianOf(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0
}
