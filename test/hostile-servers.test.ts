import { fileURLToPath } from 'node:url'
import { httpBucket } from '@affine/blocks'
import { publicFetch } from '@affine/settlement/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NoReply, Undelivered } from '../packages/miners/src/asking.ts'
import { exchange } from '../packages/miners/src/node/exchange.ts'
import { DEEDS } from '../packages/settlement/test/hostile-server.ts'
import { killAll, start } from './processes.ts'

/** The most processor time for which a server may block a reader's event loop. */
const MOST_MS = 100
/** A read is measured so often: what else a process does adds to some of them. */
const READS = 3
const LIMIT = 1_000_000
/** Every read ends long before, but for those that have no end. */
const TIMEOUT_MS = 50_000

let url: string
beforeAll(async () => {
  const server = start(fileURLToPath(new URL('hostile-process.ts', import.meta.url)), [])
  const [port] = await server.says(/\d+(?=\n)/)
  url = `http://127.0.0.1:${port}`
})
afterAll(killAll)

/** The longest turn of the event loop until something ends, in milliseconds of processor time. */
async function longestTurn(task: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.cpuUsage()
  const turn = (): void => {
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.cpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await task()
  await new Promise(setImmediate)
  isOver = true
  return longest
}

const readers = {
  'a bucket': (place: string, timeoutMs: number): Promise<unknown> => {
    const fetch = publicFetch({ allowPrivate: true })
    return httpBucket(place, { fetch, timeoutMs }).read('x', LIMIT).catch(String)
  },
  'a miner': (place: string, replyMs: number): Promise<unknown> => {
    const { signal } = new AbortController()
    return exchange({ url: place, replyMs, signal, now: Date.now }).catch((error) => {
      if (error instanceof NoReply || error instanceof Undelivered) return String(error)
      throw error
    })
  },
}

describe.each(Object.entries(readers))('%s that answers with', (_, read) => {
  it.each(Object.entries(DEEDS))(
    '%s: no block of the event loop, and an end',
    async (name, [, , patience]) => {
      const place = `${url}/${encodeURIComponent(name)}/`
      const turns: number[] = []
      const ends: unknown[] = []
      for (let i = 0; i < READS; i++)
        turns.push(
          await longestTurn(async () => ends.push(await read(place, patience ?? TIMEOUT_MS))),
        )
      if (patience === undefined) expect(String(ends)).not.toMatch(/\blate\b|timeout/)
      expect(Math.min(...turns)).toBeLessThan(MOST_MS)
    },
  )
})
