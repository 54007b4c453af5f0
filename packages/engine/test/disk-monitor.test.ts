import { expect, it, vi } from 'vitest'
import { diskMonitor } from '../src/node/disk-monitor.ts'
import type { Event } from '../src/setup.ts'

const NOW = 1_700_000_000_000
const head = (number: number): Event => ({
  type: 'head',
  head: { number, hash: '' },
  epoch: 0,
  offset: 0,
})

it('tells the age of a block and the room on disk at a head, and nothing at other events', async () => {
  const told: Event[] = []
  const time = vi.fn(async (block: number) => NOW - 1000 * block)
  const on = diskMonitor({
    chain: { time },
    folders: { own: '.' },
    now: () => NOW,
    on: (event) => told.push(event),
  })
  on({ type: 'read' })
  expect(time).not.toHaveBeenCalled()
  on(head(7))
  await expect.poll(() => told).toHaveLength(2)
  expect(told).toContainEqual({ type: 'made', ageMs: 7000 })
  const disk = told.find(({ type }) => type === 'disk') as Extract<Event, { type: 'disk' }>
  expect(disk.folder).toBe('own')
  expect(disk.free).toBeGreaterThan(0)
  expect(disk.size).toBeGreaterThanOrEqual(disk.free)
})

it('looks once at a time, and goes on after what it could not see', async () => {
  const answers: (() => void)[] = []
  const time = vi.fn(
    (_: number) =>
      new Promise<number>((_, reject) => answers.push(() => reject(new Error('no answer')))),
  )
  const told: Event[] = []
  const on = diskMonitor({
    chain: { time },
    folders: { own: '/no/such/folder' },
    now: () => NOW,
    on: (event) => told.push(event),
  })
  on(head(1))
  on(head(2))
  expect(time.mock.calls).toEqual([[1]])
  answers[0]?.()
  const callsAfter = () => {
    on(head(3))
    return time.mock.calls
  }
  await expect.poll(callsAfter).toEqual([[1], [3]])
  expect(told).toEqual([])
})
