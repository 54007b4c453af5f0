import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'

/*
 * A thousand sessions at once, each with a message under way at any time, from one client: first of
 * `af env serve`, then of the echo server of openenv-core, if AFFINE_PYTHON names a Python that has
 * it. A step is a reply, of which tic-tac-toe takes at most four an episode and the echo any
 * number; resets are messages too. Rates are of ten seconds after two of warming up, memory is
 * that of the server's process at their end.
 */
const SESSIONS = 1000
const WARM_MS = 2000
const MEASURED_MS = 10_000
/** This file is bundled two folders further down than where the package is. */
const root = join(import.meta.dirname, '../../..')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (answer?.ok) return
    await sleep(100)
  }
  throw new Error(`nothing answers at ${url}`)
}

/** Plays on until `isOver`, and tells of every answer whether it was to a step. */
async function play(url: string, isOver: () => boolean, on: (step: boolean) => void) {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  let done = true
  const say = () =>
    socket.send(done ? '{"type":"reset","data":{}}' : '{"type":"step","data":{"reply":"So:\\nB2"}}')
  socket.on('message', (text) => {
    const { type, data } = JSON.parse(String(text))
    if (type !== 'observation') throw new Error(String(text))
    on(!done)
    done = data.done
    if (isOver()) socket.close()
    else say()
  })
  return { say, closed: once(socket, 'close') }
}

async function measure(name: string, program: string, words: readonly string[]): Promise<number> {
  const port = await freePort()
  const server = spawn(program, [...words, String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    await answering(`http://127.0.0.1:${port}`)
    return await rateOf(name, server, port)
  } finally {
    server.kill()
  }
}

async function rateOf(name: string, server: ChildProcess, port: number): Promise<number> {
  let [over, counts, steps, messages] = [false, false, 0, 0]
  const began = performance.now()
  const on = (step: boolean) => {
    if (!counts) return
    messages += 1
    if (step) steps += 1
  }
  const url = `ws://127.0.0.1:${port}/ws`
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, () => play(url, () => over, on)),
  )
  const opened = performance.now() - began
  for (const { say } of sessions) say()
  await sleep(WARM_MS)
  counts = true
  const from = performance.now()
  await sleep(MEASURED_MS)
  counts = false
  const seconds = (performance.now() - from) / 1000
  const memory = memoryOf(server.pid)
  over = true
  await Promise.all(sessions.map(({ closed }) => closed))
  const rate = steps / seconds
  const more = `${(messages / seconds).toFixed()} messages/s, ${memory} MB`
  console.log(
    `${name}: ${SESSIONS} sessions in ${opened.toFixed()} ms, ${rate.toFixed()} steps/s, ${more}`,
  )
  return rate
}

/** Megabytes in memory of a process. */
function memoryOf(pid = 0): string {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kilobytes) / 1000).toFixed()
}

const af = [join(root, 'bin/af.js'), 'env', 'serve', 'tictactoe-v0', '--port']
const affine = await measure('af env serve', process.execPath, af)
const python = process.env.AFFINE_PYTHON
if (python === undefined) console.log('no echo server: AFFINE_PYTHON names no Python')
else {
  const echo = await measure("openenv-core's echo", python, [join(root, 'bench/echo_server.py')])
  console.log(`af env serve has ${(affine / echo).toFixed(1)} times the steps/s`)
}
