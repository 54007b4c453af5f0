import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { Clock } from '../../../test/simulate/clock.ts'
import { askInTurn, BucketTimes, SYSTEM_CLOCK } from '../src/waiting.ts'

// Protocol §6.4. All times are on a fake clock.
const SECOND = 1000
const MEGABYTE = 1_000_000
const ZEROS = new Uint8Array(2 * MEGABYTE)

/** Returns the times of buckets with these weights by hotkey, and a function that reads one. */
function reading(weights: Readonly<Record<string, number>> = {}) {
  const clock = new Clock()
  const lost: string[] = []
  const times = new BucketTimes({ clock, onLost: (hotkey) => lost.push(hotkey) })
  times.weights = weights
  /** Reads an answer of `bytes` bytes, or null, after `ms` milliseconds. */
  const read = (hotkey: string, ms: number, bytes: number | null) => {
    const answer = () =>
      clock.sleep(ms).then(() => (bytes === null ? null : ZEROS.subarray(0, bytes)))
    return times.readWithin(hotkey, answer)
  }
  return { clock, times, lost, read }
}

test.each([
  ['without a file takes 250 ms', [0], 250, null, 0],
  ['without a file takes a second', [0], SECOND, null, 750],
  ['of 2 MB takes 2.25 s', [0], 2250, 2 * MEGABYTE, 0],
  ['of 2 MB takes 3 s', [0], 3 * SECOND, 2 * MEGABYTE, 750],
  ['takes 1 s, twice, concurrently', [0, 0], SECOND, 0, 500],
  ['takes 1 s, twice, half concurrently', [0, 500], SECOND, 0, 1000],
  ['takes 1 s, twice, with a pause', [0, 9000], SECOND, 0, 1500],
])(
  'drops a bucket 90 s over the allowance, if an answer %s',
  async (_, beginnings, ms, bytes, over) => {
    const { clock, read } = reading()
    const reads = beginnings.map((at) => clock.sleep(at).then(() => read('a', ms, bytes)))
    await clock.pass(Promise.all(reads))
    const silent = clock.pass(read('a', 3600 * SECOND, 0).catch(({ code }) => code))
    expect(await silent).toEqual({ value: 'dropped', ms: 90 * SECOND - over })
  },
)

type Speed = number | 'not asked'

/**
 * Resolves with the indices of buckets that are dropped, for these speeds and weights. Default of a
 * weight: 100.
 */
async function lostOf(bytesPerMs: readonly Speed[], weights: readonly number[] = []) {
  const hotkeys = bytesPerMs.map((_, i) => `${i}`)
  const weighed = Object.fromEntries(hotkeys.map((hotkey, i) => [hotkey, weights[i] ?? 100]))
  const { clock, times, lost, read } = reading(weighed)
  // Each bucket is read twice concurrently, which takes no longer than one read.
  for (let i = 0; i < 40; i += 2) {
    const reads = [...hotkeys, ...hotkeys].map(async (hotkey) => {
      const speed = bytesPerMs[Number(hotkey)]
      if (typeof speed === 'number') await read(hotkey, MEGABYTE / speed, MEGABYTE)
    })
    await clock.pass(Promise.allSettled(reads))
  }
  // Each dropped bucket is reported once.
  expect(lost.sort()).toEqual([...times.lost].sort())
  return lost.map(Number)
}

test.each([
  ['one at a tenth of the others’ speed', [100, 1e3, 1e3, 1e3], [0]],
  ['one at a megabyte a second', [1000, 1e6, 1e6, 1e6], []],
  ['all slow', [100, 100, 100, 100], []],
  ['one at just over half the others’ speed', [51, 100, 100, 100], []],
  ['one at a third of the others’ speed', [30, 100, 100, 100], [0]],
  ['two of four slow', [50, 50, 1e6, 1e6], [0, 1]],
  ['two slow, and two not queried', [50, 50, 'not asked', 'not asked'], [0, 1]],
  ['two of three slow', [50, 50, 1e6], []],
  ['two of three slow, with little weight', [50, 50, 1e6], [0, 1], [40, 40, 90]],
] as const)('judges slow buckets: %s', async (_, speeds, lost, weights: readonly number[] = []) => {
  expect(await lostOf(speeds, weights)).toEqual(lost)
})

test('ends a read in progress when a bucket is dropped, and begins no other read', async () => {
  const { clock, times, lost, read } = reading()
  await clock.pass(read('a', 60 * SECOND + 250, null))
  const began = clock.now()
  const dropped = { code: 'dropped' }
  const reads = [1, 2, 3].map(() =>
    expect(read('a', 3600 * SECOND, 0)).rejects.toMatchObject(dropped),
  )
  await clock.pass(Promise.all(reads))
  expect(clock.now() - began).toBe(30 * SECOND)
  let isAsked = false
  const asking = times.readWithin('a', async () => {
    isAsked = true
    return null
  })
  await expect(asking).rejects.toMatchObject(dropped)
  expect(isAsked).toBe(false)
  expect(lost).toEqual(['a'])
})

test('leaves no timer and no listener after a read', async () => {
  const clock = new Clock()
  let waiting = 0
  const after: Clock['after'] = (ms, wake) => {
    waiting += 1
    const stop = clock.after(ms, wake)
    return () => {
      waiting -= 1
      stop()
    }
  }
  const times = new BucketTimes({ clock: { now: clock.now, after } })
  const { signal } = new AbortController()
  const answer = new Uint8Array(1)
  const reading = times.readWithin('a', () => clock.sleep(SECOND).then(() => answer), signal)
  await clock.pass(clock.sleep(1))
  expect([waiting, getEventListeners(signal, 'abort').length]).toEqual([1, 1])
  expect((await clock.pass(reading)).value).toBe(answer)
  expect([waiting, getEventListeners(signal, 'abort').length]).toEqual([0, 0])
})

describe('queries in turn', () => {
  type Item = readonly [name: string, answer: string | null, ms: number]
  const FAST: Item = ['c', 'c', 100]

  /** Resolves with the value found, the items with the times of their queries, and the late items. */
  async function runInTurn(...items: readonly Item[]) {
    const clock = new Clock()
    const order: string[] = []
    const late: string[] = []
    const asking = askInTurn(items, {
      ask: ([name, answer, ms]) => {
        order.push(`${name} ${clock.now()}`)
        return clock.sleep(ms).then(() => answer)
      },
      onLate: ([name]) => late.push(name),
      clock,
    })
    const { value: found } = await clock.pass(asking)
    // Late answers count until they arrive, also in other tests.
    await clock.run(100_000)
    return { found, order: order.join(), late: late.join() }
  }

  test('query the next item if an item has no value, until an item has a value', async () => {
    const want = { found: 'b', order: 'a 0,b 0', late: '' }
    expect(await runInTurn(['a', null, 0], ['b', 'b', 0], FAST)).toEqual(want)
  })

  test('query the next item if an item has not answered within two seconds', async () => {
    const want = { found: 'c', order: 'a 0,b 2000,c 4000', late: 'a,b' }
    expect(await runInTurn(['a', 'a', 29_000], ['b', 'b', 29_000], FAST)).toEqual(want)
    expect((await runInTurn(['a', 'a', 1999], FAST)).order).toBe('a 0')
    // A late answer without a value starts no query: another item was queried already.
    expect((await runInTurn(['a', null, 3000], ['b', 'b', 29_000], FAST)).order).toBe(want.order)
  })

  test('resolve with a late answer if no other item has a value, and with null without items', async () => {
    expect((await runInTurn(['a', 'a', 29_000], ['b', null, 0])).found).toBe('a')
    expect((await runInTurn(['a', null, 29_000], ['b', null, 40_000])).found).toBeNull()
    expect((await runInTurn()).found).toBeNull()
  })

  test('reject with the first error', async () => {
    const ask = () => Promise.reject(new Error('no'))
    await expect(askInTurn(['a', 'b'], { ask })).rejects.toThrow('no')
  })

  test.each([5, 10])(
    'wait for at most 32 late answers, and for one more answer for each of %i callers',
    async (count) => {
      const clock = new Clock()
      let [waiting, most] = [0, 0]
      const ask = async (): Promise<null> => {
        waiting += 1
        most = Math.max(most, waiting)
        await clock.sleep(29_000)
        waiting -= 1
        return null
      }
      const items = Array(20).fill('item')
      const asking = Array.from({ length: count }, () => askInTurn(items, { ask, clock }))
      expect((await clock.pass(Promise.all(asking))).value).toEqual(Array(count).fill(null))
      expect(most).toBe(count + 32)
    },
  )
})

// Vitest isolates files that use fake timers, so late answers of other files do not count here.
test('the system’s clock wakes in time, unless the call was cancelled', () => {
  vi.useFakeTimers()
  const [began, wake, cancelled] = [SYSTEM_CLOCK.now(), vi.fn(), vi.fn()]
  SYSTEM_CLOCK.after(5, wake)
  SYSTEM_CLOCK.after(5, cancelled)()
  vi.advanceTimersByTime(5)
  expect(SYSTEM_CLOCK.now() - began).toBe(5)
  expect(wake).toHaveBeenCalledOnce()
  expect(cancelled).not.toHaveBeenCalled()
  vi.useRealTimers()
})
