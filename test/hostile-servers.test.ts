import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { httpBucket } from '@affine/blocks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeliveryError, MinerError } from '../packages/miners/src/asking.ts'
import { exchange } from '../packages/miners/src/node/exchange.ts'
import { AGENT_OPTIONS, fetchBy } from '../packages/node/src/http.ts'
import { DEEDS, FILE } from '../packages/settlement/test/hostile-server.ts'
import { killAll, type RunningProcess, start } from './processes.ts'

/** Maximum processor time in milliseconds for which a server may block a reader's event loop. */
const MOST_MS = 100
/** Measured reads per case. The fastest counts, since other work of the process slows some down. */
const READS = Number(process.env.READS ?? 2)
/** Concurrent readers of a bucket, which read after the measurement. */
const AT_ONCE = 2
const LIMIT = 1_000_000
/** Timeout of a read. Only reads without an end reach it. */
const TIMEOUT_MS = 50_000

let hostile: RunningProcess
const server = { http: '', https: '', cert: '' }
beforeAll(async () => {
  hostile = start(fileURLToPath(new URL('hostile-process.ts', import.meta.url)), [])
  Object.assign(server, JSON.parse((await hostile.says(/^\{.*\}(?=\n)/))[0]))
})
afterAll(killAll)

/**
 * Resolves with the longest turn of the event loop during `task`, in milliseconds of processor
 * time. Measures every millisecond, since measuring every turn would use all of a processor.
 */
async function longestTurn(task: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.cpuUsage()
  const turn = (): void => {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
    if (!isOver) setTimeout(turn, 1)
  }
  setTimeout(turn, 1)
  await task()
  await sleep(2)
  isOver = true
  return longest
}

type Read = (place: string, timeoutMs: number) => Promise<string>
const bucket = (scheme: 'http' | 'https'): Read => {
  return async (place, timeoutMs) => {
    const fetch = fetchBy({
      'http:': new HttpAgent(AGENT_OPTIONS),
      'https:': new HttpsAgent({ ...AGENT_OPTIONS, ca: server.cert }),
    })
    const { read } = httpBucket(`${server[scheme]}/${place}`, { fetch, timeoutMs })
    return read('x', LIMIT).then(
      (bytes) => (bytes && FILE.equals(bytes) ? 'the file' : 'another file'),
      ({ message }: Error) => message,
    )
  }
}
const miner: Read = (place, replyMs) => {
  const { signal } = new AbortController()
  return exchange({ url: `${server.http}/${place}`, replyMs, signal, now: Date.now }).then(
    String,
    (error) => {
      if (error instanceof MinerError || error instanceof DeliveryError) return String(error)
      throw error
    },
  )
}

describe.each<[reader: string, read: Read, isBucket: boolean]>([
  ['a bucket over http', bucket('http'), true],
  ['a bucket over https', bucket('https'), true],
  ['a miner', miner, false],
])('%s that answers with', (_, read, isBucket) => {
  it.each(Object.entries(DEEDS))(
    '%s: does not block the event loop, and every read ends',
    async (name, [, want, patience]) => {
      const ends: string[] = []
      const one = async (): Promise<number> =>
        ends.push(await read(`${encodeURIComponent(name)}/`, patience ?? TIMEOUT_MS))
      const turns: number[] = []
      const reads = patience === undefined ? READS : 1
      for (let i = 0; i < reads; i++) turns.push(await longestTurn(one))
      expect(Math.min(...turns)).toBeLessThan(MOST_MS)
      if (isBucket) await Promise.all(Array.from({ length: AT_ONCE }, one))
      if (patience === undefined) expect(String(ends)).not.toMatch(/\blate\b|in time/)
      const isMeant = (end: string) => (want instanceof RegExp ? want.test(end) : end === want)
      if (isBucket) expect(ends.filter((end) => !isMeant(end))).toEqual([])
    },
  )
})

it('leaves no connection open', async () => {
  // Idle connections stay open for a few seconds.
  await hostile.says(/^open: 0$/m, hostile.stdout().length)
})
