import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blockPath, LIMITS } from '@affine/blocks'
import { account } from '@affine/chain'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { AF, killAll, type RunningProcess, start } from '../../../test/processes.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { buildPage } from '../../explorer/test/build-page.ts'
import { createChain, writeIn } from './commands.ts'

const CONNECTIONS = 300
const MOST_MB = 100
const BLOCK = `/5F/${blockPath('ab'.repeat(32))}`
const assets = fileURLToPath(new URL('../../explorer/dist/assets', import.meta.url))
const root = testFolder('memory')
let largest: string
let chainFile: string
const sockets: Socket[] = []

beforeAll(async () => {
  await buildPage()
  const sizes = (await readdir(assets)).map(async (name) => {
    const { length } = await readFile(join(assets, name))
    return { path: `/assets/${name}`, length }
  })
  const files = (await Promise.all(sizes)).sort((a, b) => b.length - a.length)
  largest = files[0]?.path ?? ''
  await writeIn(root, randomBytes(LIMITS.blockBytes / 2).toString('hex'), `buckets${BLOCK}`)
  chainFile = await writeIn(root, await longChain(), 'localnet/chain.json')
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
afterAll(killAll)

/** Returns the export of a chain of about 9 MB. */
async function longChain(): Promise<string> {
  const { hotkey } = account(randomBytes(32))
  const neurons = [{ hotkey, stake: 1_000_000_000_000n }]
  const chain = createChain({ neurons })
  for (let time = 1000; time < 51_000; time++) await chain.produce(time)
  return chain.export()
}

/** Returns the current or peak memory of a process in MB. */
async function memoryOf({ child }: RunningProcess, what: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
}

/** Sends a request. Resolves once a response begins, and reads no more, or at a disconnection. */
async function askAndReadNothing(port: string, request: string): Promise<void> {
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  sockets.push(socket)
  socket.on('error', () => {}).write(request)
  await Promise.race([once(socket, 'readable'), once(socket, 'close')])
}

/** Returns the maximum growth of a process in MB while all these requests wait. */
async function growth(served: RunningProcess, url: string, request: string): Promise<number> {
  const { port } = new URL(url)
  await fetch(url).then((response) => response.arrayBuffer())
  await writeFile(`/proc/${served.child.pid}/clear_refs`, '5') // resets VmHWM, the peak
  const idle = await memoryOf(served, 'VmRSS')
  await Promise.all(Array.from({ length: CONNECTIONS }, () => askAndReadNothing(port, request)))
  return (await memoryOf(served, 'VmHWM')) - idle
}

test.each([
  ['the chain', '/chain.json'],
  ['the page’s largest file', undefined],
  ['a block', BLOCK],
])(
  'af serve stays within its memory limit when 300 clients request %s and read nothing',
  async (_, path = largest) => {
    const words = ['--network', chainFile, '--port', '0']
    const served = start(AF, ['serve', join(root, 'buckets'), ...words])
    const [, url = ''] = await served.says(/ at (http:\S+);/)
    const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    expect(await growth(served, url, request)).toBeLessThan(MOST_MB)
    for (const socket of sockets.splice(0)) socket.destroy()
    const ask = () => fetch(`${url}/chain.json`)
    // The server may not have noticed yet that the clients have disconnected.
    await expect.poll(async () => (await ask()).status).toBe(200)
    const honest = await ask()
    const chain = await readFile(chainFile, 'utf8')
    expect((await honest.text()) === chain).toBe(true)
    await served.stop()
  },
)

test('af localnet stays within its memory limit when 300 clients request its log and read nothing', async () => {
  const out = join(root, 'localnet')
  const served = start(AF, ['localnet', '--port', '0', '--out', out, '--block-ms', '60000'])
  const [, url = ''] = await served.says(/ at (http:[^\s,]+\d)/)
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json'
  const request = `${head}\r\nContent-Length: 9\r\n\r\n{"log":0}`
  expect(await growth(served, url, request)).toBeLessThan(MOST_MB)
  await served.stop()
})
