import { setMaxListeners } from 'node:events'
import { listEpisodes, type Sample } from '@affine/blocks'
import { account } from '@affine/chain'
import type { PerSide } from '@affine/envs'
import {
  DeliveryError,
  type Exchange,
  endpointAgents,
  type HttpResponse,
  MinerError,
  type Query,
} from '@affine/miners'
import { digest, type Generator, pcg64 } from '@affine/prng'
import { completion } from '../../../packages/miners/test/servers.ts'
import { Clock } from '../../../test/simulate/clock.ts'
import { Disk, mount } from '../../../test/simulate/disk.ts'
import type { Machine } from '../../../test/simulate/machine.ts'
import { awaitStart } from '../src/games.ts'
import { type LaneTask, sampleLane } from '../src/sampling.ts'
import { CHAMPION, CONTENDER, minerOf, replying, scopeOf, taskOf } from './lanes.ts'

/**
 * The behaviour of an endpoint. It refuses with a 429, denies with a 404, floods with bytes, or is
 * large: it answers with 255 KiB.
 */
export type Conduct =
  | 'answers'
  | 'stalls'
  | 'refuses'
  | 'denies'
  | 'is down'
  | 'floods'
  | 'is large'

/** Validators that sample duels, and strangers that call the same endpoints. */
export interface Crowd {
  readonly validators: number
  /** Whether endpoints queue calls without a free server. Otherwise they refuse them. */
  readonly isQueueing: boolean
  /** The quota of each contender, by environment. */
  readonly quota: Readonly<Record<string, number>>
  readonly samplingMs: number
  /** The number of servers of the champion's endpoint, and of each contender's endpoint. */
  readonly servers: PerSide<number>
  /** The conduct of each contender's endpoint. */
  readonly contenders: readonly Conduct[]
  /** The number of strangers that call each endpoint repeatedly. */
  readonly foreign?: number
}

/** The samples of all lanes, and the number of answered calls. */
export interface CrowdRun {
  readonly samples: readonly Sample[]
  /** Answered calls of the champion, and of the contender that answered most. */
  readonly answered: PerSide<number>
  /** Time of the last sample by miner. */
  readonly endedMs: Readonly<Record<string, number>>
}

/** Returns the hotkey of a contender. */
export const contenderOf = (index: number): string =>
  index === 0 ? CONTENDER : account(new Uint8Array(32).fill(100 + index)).hotkey

/** Returns how many servers each endpoint needs for `times` times the calls of `answered`. */
export const serversFor = (times: number, answered: PerSide<number>, samplingMs: number) => {
  const needOf = (calls: number): number => Math.ceil((times * calls * MEAN_MS) / samplingMs)
  return { champion: needOf(answered.champion), contender: needOf(answered.contender) }
}

/** An answer takes 1 to 3 seconds, and a refusal 50 ms. */
export const MEAN_MS = 2000
const REFUSAL_MS = 50
/** Mean pause of a stranger between two calls. */
export const MEAN_PAUSE_MS = 1500

const streamOf = (...name: readonly (string | number)[]): Generator =>
  pcg64(BigInt(`0x${digest('crowd', ...name).slice(0, 32)}`))

interface EndpointSetup extends Pick<Crowd, 'isQueueing'> {
  readonly name: string
  readonly conduct: Conduct
  readonly servers: number
}

/** A miner's endpoint on a fake clock. */
class Endpoint {
  answered = 0
  readonly #clock: Clock
  readonly #setup: EndpointSetup
  readonly #random: Generator
  #busy = 0
  readonly #waiting: (() => void)[] = []

  constructor(clock: Clock, setup: EndpointSetup) {
    this.#clock = clock
    this.#setup = setup
    this.#random = streamOf('endpoint', setup.name)
  }

  /** One call over the network, as `exchange` makes it. */
  exchange({ body = '', replyMs, signal }: Query): Promise<HttpResponse> {
    const { conduct } = this.#setup
    const askedMs = this.#clock.now()
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new MinerError('late', 'late'))
      if (signal.aborted) return late()
      setMaxListeners(0, signal)
      signal.addEventListener('abort', late, { once: true })
      const cancel = this.#clock.at(askedMs + replyMs, late)
      const settle = (status: number, text: string): void => {
        cancel()
        signal.removeEventListener('abort', late)
        resolve({ status, headers: {}, text, ms: Math.round(this.#clock.now() - askedMs) })
      }
      if (conduct === 'stalls') return
      const soon = (task: () => void): unknown => this.#clock.after(REFUSAL_MS, task)
      if (conduct === 'denies') soon(() => settle(404, 'no such thing'))
      else if (conduct === 'is down') soon(() => reject(new DeliveryError('nothing listens')))
      else if (conduct === 'floods') soon(() => reject(new MinerError('too-large', 'too large')))
      else if (!this.serve(() => settle(200, completionFor(body, conduct))))
        soon(() => settle(429, 'all are busy'))
    })
  }

  /** Reports whether the endpoint accepts a call. If so, `done` is called when the call ends. */
  serve(done: () => void): boolean {
    const { servers, isQueueing, conduct } = this.#setup
    if (conduct === 'refuses') return false
    if (this.#busy < servers) this.#begin(done)
    else if (isQueueing) this.#waiting.push(() => this.#begin(done))
    else return false
    return true
  }

  #begin(done: () => void): void {
    this.#busy += 1
    const end = (): void => {
      this.#busy -= 1
      this.answered += 1
      done()
      this.#waiting.shift()?.()
    }
    this.#clock.at(this.#clock.now() + MEAN_MS * (0.5 + this.#random.random()), end)
  }
}

/** Returns the reply of a perfect player. */
function completionFor(body: string, conduct: Conduct): string {
  const { content } = Object(replying(JSON.parse(body).messages))
  return completion(conduct === 'is large' ? `${'x'.repeat(255 * 1024)}\n${content}` : content)
}

/** Samples the lanes of all validators on one fake clock. The same crowd has the same result. */
export async function sampleAll(crowd: Crowd): Promise<CrowdRun> {
  const { validators, samplingMs, contenders, foreign = 0, isQueueing, servers } = crowd
  const clock = new Clock()
  using _ = fakeWorld(clock)
  const open = (name: string, conduct: Conduct, servers: number): Endpoint =>
    new Endpoint(clock, { name, conduct, servers, isQueueing })
  const champion = open('champion', 'answers', servers.champion)
  const others = contenders.map((conduct, i) => open(`contender ${i}`, conduct, servers.contender))
  const endpoints = new Map([[CHAMPION, champion]])
  for (const [index, endpoint] of others.entries()) endpoints.set(contenderOf(index), endpoint)
  const exchange: Exchange = (query) =>
    endpoints.get(JSON.parse(query.body ?? '').model)!.exchange(query)
  const phase = new AbortController()
  setMaxListeners(0, phase.signal)
  clock.at(samplingMs, () => phase.abort())
  for (const endpoint of endpoints.values()) callFromOutside(endpoint, clock, foreign)
  const endedMs: Record<string, number> = {}
  const on: LaneTask['on'] = (event) => {
    if (event.type !== 'sample') return
    for (const { miner } of listEpisodes(event.sample)) endedMs[miner] = clock.now()
  }
  const lanes = Array.from({ length: validators }, async (_, index) => {
    const task = laneFor(index, crowd, { clock, exchange, deadline: phase.signal, on })
    await awaitStart(task.secret, task.gamesTime, task.deadline)
    return sampleLane(task)
  })
  let isOver = false
  const sampled = Promise.all(lanes).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise(setImmediate)
    await clock.run(clock.next ?? samplingMs)
  }
  return {
    endedMs,
    samples: (await sampled).flatMap(({ samples }) => samples),
    answered: {
      champion: champion.answered,
      contender: Math.max(...others.map(({ answered }) => answered)),
    },
  }
}

interface World extends Pick<LaneTask, 'on' | 'deadline'> {
  readonly clock: Clock
  readonly exchange: Exchange
}

/** Returns the lane of a validator. */
function laneFor(
  index: number,
  { quota, samplingMs, contenders }: Crowd,
  { clock, exchange, ...world }: World,
): LaneTask {
  const { now } = clock
  const hotkeys = contenders.map((_, i) => contenderOf(i))
  const quotas = Object.fromEntries(hotkeys.map((hotkey) => [hotkey, quota]))
  const place = { chute: 'http://127.0.0.1/v1' }
  return taskOf({
    ...world,
    scope: { ...scopeOf({}, quotas), validator: `validator ${index}` },
    miners: [CHAMPION, ...hotkeys].map((model) => minerOf(model, { model, ...place })),
    secret: digest('crowd secret', index),
    journalPath: `${NOWHERE}/journal/${index}.jsonl`,
    agent: endpointAgents({ exchange, now, concurrency: 32 }),
    gamesTime: { ...clock, samplingMs, endsAt: samplingMs },
  })
}

/** Calls an endpoint as `foreign` strangers, each after a pause of .5 to 1.5 times the mean. */
function callFromOutside(endpoint: Endpoint, clock: Clock, foreign: number): void {
  const random = streamOf('foreign')
  const pause = (): void =>
    void clock.at(clock.now() + MEAN_PAUSE_MS * (0.5 + random.random()), call)
  const call = (): void => {
    if (!endpoint.serve(pause)) pause()
  }
  for (let i = 0; i < foreign; i++) pause()
}

/** The root of the disk in memory that has the journals. */
const NOWHERE = '/simulated/crowd'

/** Replaces timers, random numbers and journals until it is disposed of. */
function fakeWorld(clock: Clock): Disposable {
  const { setTimeout, clearTimeout } = globalThis
  const { random } = Math
  const chance = streamOf('chance')
  Math.random = () => chance.random()
  const start = (wake: () => void, ms = 0) => clock.after(ms, wake)
  const stop = (timer: unknown) => (timer as () => void)?.()
  Object.assign(globalThis, { setTimeout: start, clearTimeout: stop })
  const perform: Machine['perform'] = async ({ act }) => act()
  const disk = mount(new Disk(NOWHERE, { jitter: () => 0, perform }, []))
  return {
    [Symbol.dispose]() {
      Object.assign(globalThis, { setTimeout, clearTimeout })
      Math.random = random
      disk[Symbol.dispose]()
    },
  }
}
