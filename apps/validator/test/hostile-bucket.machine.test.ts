import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  DEEDS,
  type Deed,
  hostileServer,
} from '../../../packages/settlement/test/hostile-server.ts'
import { AF, AF_VERIFY, killAll, run, type Started } from '../../../test/processes.ts'
import { type Running, runningSubnet, type Seat } from './running-subnet.ts'

/** An epoch in which the third validator's bucket is as it should be, and some in which it is not. */
const [HONEST, LAST] = [1, 6]
const DEADLINE_MS = 600_000

let subnet: Running
let server: Server
let seats: readonly Seat[]
let honest: readonly Started[]
/** What the third's bucket does in place of an answer; null while it answers. */
let turn: number | null = null
/** What it has done so far. */
const done = new Set<string>()

/** What it answers to one request: a file of its, or the next of all hostile things. */
function deedOf(path: string): Deed {
  const names = Object.keys(DEEDS)
  const name = turn === null ? undefined : names[turn++ % names.length]
  if (name === undefined) return (socket) => void answer(socket, path)
  done.add(name)
  return DEEDS[name]?.[0] ?? expect.fail(`no deed ${name}`)
}

async function answer(socket: Parameters<Deed>[0], path: string): Promise<void> {
  const bytes = await readFile(join(seats[2]?.bucket ?? '', path)).catch(() => null)
  if (bytes === null) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`)
  if (bytes !== null) socket.write(bytes)
}

beforeAll(async () => {
  server = hostileServer(deedOf)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const seed = 'a hostile bucket'
  subnet = await runningSubnet({ seed, stakes: [4n, 4n, 3n], steady: 2, miners: 10, blockMs: 20 })
  seats = subnet.seats
  honest = seats.slice(0, 2).map((seat) => seat.validate())
  seats[2]?.validate({}, ['--bucket-url', url])
}, DEADLINE_MS)
afterAll(async () => {
  await killAll()
  server?.close()
  await subnet?.[Symbol.asyncDispose]()
})

it(
  'a bucket ends no validator, and no reader',
  async () => {
    const deaths = honest.map(({ ended }) =>
      ended.then(({ code, stderr }) => expect.fail(`a validator ended with ${code}: ${stderr}`)),
    )
    await Promise.race([everythingIsDone(), ...deaths])
    for (const { attested } of seats.slice(0, 2))
      for (let epoch = HONEST; epoch <= LAST; epoch += 1) expect(attested).toContain(epoch)
    const { file } = await subnet.end()
    const read = ['--network', file, '--buckets', subnet.buckets]
    const [status, explain, verify] = await Promise.all([
      run(AF, ['status', ...read]),
      run(AF, ['explain', ...read, '--hotkey', '3']),
      run(AF_VERIFY, [subnet.buckets, '--network', file]),
    ])
    for (const { code, stdout, stderr } of [status, explain, verify]) {
      expect([0, 1]).toContain(code)
      expect(`${stdout}${stderr}`).not.toMatch(/Assertion|node:internal|\n {4}at /)
    }
  },
  DEADLINE_MS,
)

async function everythingIsDone(): Promise<void> {
  await subnet.reaches(HONEST + 1)
  turn = 0
  await subnet.reaches(LAST + 1)
  while (server.listening && done.size < Object.keys(DEEDS).length) await sleep(50)
}
