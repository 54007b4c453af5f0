import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChallengePair } from '@affine/blocks'
import { PROTOCOL } from '@affine/duel'
import { endpointAgents, playerReply } from '@affine/miners'
import { NODE_CALLER } from '@affine/miners/node'
import { SYSTEM_CLOCK } from '@affine/settlement'
import { pairsOf } from '../../../packages/blocks/test/play-plan.ts'
import { sampleLane } from '../src/sampling.ts'
import { CHAMPION, CONTENDER, SECRET, scopeOf } from '../test/lanes.ts'

/*
 * Measures a thousand concurrent calls to a server in another process that takes half a second for
 * a reply: for lanes with journals on disk, and for clients with one prompt. A challenge is one to
 * four calls to each of two miners. Ten lanes of 250 challenges run concurrently, and each finished
 * lane is followed by another. The rate is measured from 5 % to 90 % of the replies; the CPU time
 * is that of this process.
 */
const AT_ONCE = 1000
const LANES = Array.from({ length: 10 }, (_, i) => [
  25 * (i + 1) - ((i + 1) % 2),
  ...Array<number>(5).fill(250),
])

if (process.argv[2] === 'serve') {
  const server = createServer(async (incoming, response) => {
    const { messages } = JSON.parse(Buffer.concat(await incoming.toArray()).toString())
    const content = playerReply(messages.at(-1).content, { skill: 0.7, seed: '' })
    const body = JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] })
    setTimeout(() => response.end(body), 500)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', 8192, () => process.send?.(server.address()))
} else await measure()

/** Measures and prints the replies per second of `run`, which reports every reply. */
async function rate(name: string, run: (onReply: () => void) => Promise<unknown>): Promise<number> {
  const [times, cpu]: [number[], NodeJS.CpuUsage] = [[], process.cpuUsage()]
  await run(() => times.push(performance.now()))
  const used = process.cpuUsage(cpu)
  const [from, to] = [Math.floor(times.length * 0.05), Math.floor(times.length * 0.9)]
  const perSecond = ((to - from) / (times[to]! - times[from]!)) * 1000
  const us = ((used.user + used.system) / times.length).toFixed()
  console.log(
    `${name}: ${times.length} replies, ${perSecond.toFixed()} a second, ${us} us of CPU each`,
  )
  return perSecond
}

async function measure(): Promise<void> {
  const server = fork(import.meta.filename, ['serve'])
  const [{ port }] = await once(server, 'message')
  const chute = `http://127.0.0.1:${port}/v1`
  const [root, sizes]: [string, number[]] = [await mkdtemp(join(tmpdir(), 'load-')), []]
  setInterval(() => sizes.push(process.memoryUsage.rss() / 1e6), 50).unref()
  let lost = 0
  const sampling = await rate('sampling', (onReply) => {
    const agents = endpointAgents({ ...NODE_CALLER, concurrency: AT_ONCE / 2 })
    const agent: typeof agents = (...about) => {
      const ask = agents(...about)
      return async (messages) => Promise.resolve(ask(messages)).finally(onReply)
    }
    const { templates } = PROTOCOL
    const miner = (hotkey: string) => ({
      ...{ hotkey, model: hotkey, revision: 'main', chute, templates },
    })
    const task = {
      miners: [miner(CHAMPION), miner(CONTENDER)],
      secret: SECRET,
      agent,
      deadline: new AbortController().signal,
      gamesTime: { ...SYSTEM_CLOCK, samplingMs: Infinity, endsAt: Infinity },
      now: Date.now,
      on: () => {},
    }
    const playLanes = async (lanes: readonly number[], who: number): Promise<void> => {
      for (const [i, size] of lanes.entries()) {
        const scope = scopeOf({ 'tictactoe@0.1.0': size / 2, 'mult8@0.1.0': size / 2 })
        const { samples } = await sampleLane({
          ...task,
          scope,
          journalPath: join(root, `${who}-${i}.jsonl`),
        })
        const sound = ({ champion, contender }: ChallengePair) =>
          !champion.fault && !contender.fault
        lost += size - pairsOf(samples).filter(sound).length
      }
    }
    return Promise.all(LANES.map(playLanes))
  })
  const halves = [sizes.splice(0, sizes.length / 2), sizes].map((half) =>
    Math.max(...half).toFixed(),
  )
  const [first, second] = halves
  console.log(
    `${lost} samples lost; memory at most ${first} MB in the first half, ${second} in the second`,
  )

  const [url, keepAlive] = [`${chute}/chat/completions`, new Agent({ keepAlive: true })]
  const messages = [{ role: 'user', content: 'Compute 12345678 * 87654321.\n' }]
  const body = JSON.stringify({ model: CHAMPION, messages })
  const clients: Record<string, () => Promise<unknown>> = {
    'bare node:http': async () => {
      const [response] = await once(
        request(url, { method: 'POST', agent: keepAlive }).end(body),
        'response',
      )
      return JSON.parse(Buffer.concat(await response.toArray()).toString())
    },
    'bare fetch': async () => (await fetch(url, { method: 'POST', body })).json(),
  }
  for (const [name, post] of Object.entries(clients)) {
    const asker = async (onReply: () => void): Promise<void> => {
      for (let i = 0; i < 20; i++) await post().then(onReply)
    }
    const bare = await rate(name, (onReply) =>
      Promise.all(Array.from({ length: AT_ONCE }, () => asker(onReply))),
    )
    console.log(`sampling is at ${((100 * sampling) / bare).toFixed()} % of ${name}`)
  }
  server.kill()
  await rm(root, { recursive: true })
}
