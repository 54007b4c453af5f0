import { expect, it, vi } from 'vitest'
import { askInTurn, SYSTEM_CLOCK } from '../src/waiting.ts'

// Protocol §6.4. An item's value, and the milliseconds after which it answers.
type Item = readonly [name: string, answer: string | null, ms: number]

async function runInTurn(...items: readonly Item[]) {
  vi.useFakeTimers()
  try {
    const began = Date.now()
    const order: string[] = []
    const late: string[] = []
    const found = askInTurn(items, {
      ask: async ([name, answer, ms]) => {
        order.push(`${name} ${Date.now() - began}`)
        if (ms > 0) await new Promise((done) => setTimeout(done, ms))
        return answer
      },
      onLate: ([name]) => late.push(name),
      clock: SYSTEM_CLOCK,
    })
    await vi.runAllTimersAsync()
    return { found: await found, order, late }
  } finally {
    vi.useRealTimers()
  }
}

it('queries the next item if an item has no value, until an item has a value', async () => {
  expect(await runInTurn(['a', null, 0], ['b', 'b', 0], ['c', 'c', 0])).toEqual({
    found: 'b',
    order: ['a 0', 'b 0'],
    late: [],
  })
})

it('queries the next item if an item has not answered within two seconds', async () => {
  const fast: Item = ['c', 'c', 100]
  expect(await runInTurn(['a', 'a', 29_000], ['b', 'b', 29_000], fast)).toEqual({
    found: 'c',
    order: ['a 0', 'b 2000', 'c 4000'],
    late: ['a', 'b'],
  })
  expect((await runInTurn(['a', 'a', 1999], fast)).order).toEqual(['a 0'])
  // A late answer without a value starts no query: another item was queried already.
  const order = ['a 0', 'b 2000', 'c 4000']
  expect((await runInTurn(['a', null, 3000], ['b', 'b', 29_000], fast)).order).toEqual(order)
})

it('resolves with a late answer if no other item has a value', async () => {
  expect((await runInTurn(['a', 'a', 29_000], ['b', null, 0])).found).toBe('a')
  expect((await runInTurn(['a', null, 29_000], ['b', null, 40_000])).found).toBeNull()
})

it('rejects with the first error', async () => {
  const ask = () => Promise.reject(new Error('no'))
  await expect(askInTurn(['a', 'b'], { ask })).rejects.toThrow('no')
})

it('waits for at most 32 late answers over all callers, in addition to the last query of each caller', async () => {
  /** Returns the maximum number of answers in progress for `count` calls. */
  const mostOf = async (count: number): Promise<number> => {
    let waiting = 0
    let most = 0
    const ask = async (): Promise<null> => {
      waiting += 1
      most = Math.max(most, waiting)
      await new Promise((done) => setTimeout(done, 29_000))
      waiting -= 1
      return null
    }
    const asking = Array.from({ length: count }, () =>
      askInTurn(Array(20).fill('item'), { ask, clock: SYSTEM_CLOCK }),
    )
    await vi.runAllTimersAsync()
    expect(await Promise.all(asking)).toEqual(Array(count).fill(null))
    return most
  }
  vi.useFakeTimers()
  try {
    expect(await mostOf(5)).toBe(5 + 32)
    expect(await mostOf(10)).toBe(10 + 32)
  } finally {
    vi.useRealTimers()
  }
})
