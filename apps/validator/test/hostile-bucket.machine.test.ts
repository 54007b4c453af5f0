import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  DEEDS,
  type Deed,
  hostileServer,
} from '../../../packages/settlement/test/hostile-server.ts'
import { AF, AF_VERIFY, killAll, type RunningProcess, run } from '../../../test/processes.ts'
import { type RunningSubnet, type Seat, startSubnet } from './running-subnet.ts'

/** The last epoch with a correct bucket of the third validator, and the last with a hostile one. */
const [HONEST, LAST] = [2, 4]
const DEADLINE_MS = 600_000

let subnet: RunningSubnet
let server: Server
let seats: readonly Seat[]
let honest: readonly RunningProcess[]
/** Number of hostile responses of the third validator's bucket so far; null while it is correct. */
let turn: number | null = null
/** Step in the list of hostile responses, whose neighbours are similar. */
const STRIDE = 7

/**
 * Returns the response to one request: a file, or the next hostile response. This test does not
 * use all hostile responses; hostile-servers.test.ts reads each of them many times.
 */
function behaviourAt(path: string): Deed {
  const deeds = Object.values(DEEDS)
  const [deed] = (turn !== null && deeds[(turn++ * STRIDE) % deeds.length]) || []
  return deed ?? ((socket) => void answer(socket, path))
}

async function answer(socket: Parameters<Deed>[0], path: string): Promise<void> {
  const bytes = await readFile(join(seats[2]?.bucket ?? '', path)).catch(() => null)
  if (bytes === null) socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\n\r\n`)
  if (bytes !== null) socket.write(bytes)
}

beforeAll(async () => {
  server = hostileServer(behaviourAt)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const voters = { stakes: [4n, 4n, 3n], steady: 2, unreadable: 1 }
  subnet = await startSubnet({ seed: 'a hostile bucket', ...voters, miners: 10, blockMs: 20 })
  seats = subnet.seats
  honest = seats.slice(0, 2).map((seat) => seat.validate())
  seats[2]?.validate({}, ['--bucket-url', url])
}, DEADLINE_MS)
afterAll(async () => {
  await killAll()
  server?.close()
  await subnet?.[Symbol.asyncDispose]()
})

it('a hostile bucket stops no validator and no reader', { timeout: DEADLINE_MS }, async () => {
  const deaths = honest.map(({ ended }) =>
    ended.then(({ code, stderr }) => expect.fail(`a validator ended with ${code}: ${stderr}`)),
  )
  await Promise.race([waitForEpochs(), ...deaths])
  for (const { attested } of seats.slice(0, 2))
    for (let epoch = HONEST; epoch <= LAST; epoch += 1) expect(attested).toContain(epoch)
  expect(turn).toBeGreaterThan(0)
  const { file } = await subnet.end()
  const read = ['--network', file, '--buckets', subnet.buckets]
  const readers = await Promise.all([
    run(AF, ['status', ...read]),
    run(AF, ['explain', ...read, '--hotkey', '3']),
    run(AF_VERIFY, [subnet.buckets, '--network', file]),
  ])
  for (const { code, stdout, stderr } of readers) {
    expect([0, 1, 4]).toContain(code)
    expect(`${stdout}${stderr}`).not.toMatch(/Assertion|node:internal|\n {4}at /)
  }
})

async function waitForEpochs(): Promise<void> {
  await subnet.reaches(HONEST + 1)
  turn = 0
  await subnet.reaches(LAST + 1)
}
