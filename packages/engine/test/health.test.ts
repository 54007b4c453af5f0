import { readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { listen } from '@affine/node/listen'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { testFolder } from '../../../test/test-folder.ts'
import { healthPages, type Late, trackHealth, watchHealth } from '../src/node/health.ts'
import { createMetrics } from '../src/node/metrics.ts'
import type { Event } from '../src/setup.ts'
import { headOf } from './one-validator.ts'

const chain = { time: async () => 0 }
const metrics = createMetrics({ hotkey: 'me', lastUpdate: 0, emit: true }, chain, Date.now)

it('reports nothing late while blocks arrive and the head job progresses, and names what is late', () => {
  let time = 1000
  const pass = (seconds: number): void => {
    time += seconds * 1000
  }
  const { on, late } = trackHealth(() => time)
  pass(9)
  expect(late(10)).toBeUndefined()
  pass(2)
  expect(late(10)).toBe('no-block')
  for (const number of [1, 2]) {
    on(headOf(number))
    pass(9)
  }
  expect(late(10)).toBe('no-progress') // of the first head
  expect(late(20)).toBeUndefined()
  for (const event of [{ type: 'read' }, { type: 'epoch' }] as unknown as Event[]) {
    on(event)
    on(headOf(3))
    pass(9)
    expect(late(10)).toBeUndefined()
  }
  on({ type: 'ended', task: { kind: 'weights', epoch: 1 } })
  pass(2)
  expect(late(10)).toBe('no-block')
  on({ type: 'ended', task: { kind: 'head' } })
  on({ type: 'read' })
  expect(late(10)).toBe('no-block')
  on(headOf(4))
  expect(late(10)).toBeUndefined()
})

describe('watchHealth', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllEnvs()
  })
  /** Starts `watchHealth` with 600 seconds. */
  function startWatching() {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const late = vi.fn((): Late | undefined => undefined)
    const end = vi.fn()
    watchHealth(600, { on: () => {}, late }, end)
    return { late, end }
  }

  it('calls `end` once with the late event', () => {
    const { late, end } = startWatching()
    vi.advanceTimersByTime(120_000)
    expect(end).not.toHaveBeenCalled()
    late.mockReturnValue('no-block')
    vi.advanceTimersByTime(120_000)
    expect(end.mock.calls).toEqual([['no-block']])
  })

  const folder = testFolder('watchdog')
  it('notifies the watchdog of systemd, if there is one, until something is late', async () => {
    const log = join(folder, 'log')
    const words = async (): Promise<string> => readFile(log, 'utf8').catch(() => '')
    const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $@" >> ${log}\n`
    await writeFile(join(folder, 'systemd-notify'), script, { mode: 0o700 })
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    vi.stubEnv('NOTIFY_SOCKET', undefined)
    const { late } = startWatching()
    vi.advanceTimersByTime(60_000)
    vi.stubEnv('NOTIFY_SOCKET', '/run/notify')
    vi.advanceTimersByTime(60_000)
    while ((await words()) === '') await new Promise(setImmediate)
    late.mockReturnValue('no-block')
    vi.advanceTimersByTime(180_000)
    expect(await words()).toBe('/run/notify WATCHDOG=1\n')
  })
})

it.each([
  ['1.1', ''],
  ['1.0', 'Connection: keep-alive\r\n'],
])(
  'creates pages of health and metrics one at a time per connection: HTTP/%s',
  async (version, more) => {
    const read = vi.fn(metrics.read)
    using server = await listen(healthPages(10, trackHealth(Date.now), { ...metrics, read }), 0)
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`GET /metrics HTTP/${version}\r\nHost: a\r\n${more}\r\n`.repeat(10_000))
    await new Promise((done) => socket.resume().once('close', done))
    expect(read).toHaveBeenCalledOnce()
    // Sequential requests are accepted.
    for (let i = 0; i < 3; i++) expect((await fetch(`${server.url}/metrics`)).status).toBe(200)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  },
)
