import type { Json } from '@affine/prng'
import { expect, it } from 'vitest'
import { playOn } from '../src/notes.ts'

it('rejects with the first failure, once what is being kept is kept', async () => {
  const kept: Json[] = []
  let finish = (): void => {}
  const writing = new Promise<void>((resolve) => {
    finish = resolve
  })
  const append = async (entry: Json): Promise<void> => {
    await writing
    kept.push(entry)
  }
  const plays = [() => Promise.reject(new Error('broken')), () => Promise.resolve(1)]
  const { signal } = new AbortController()
  const journal = { entries: [], append }
  const playing = playOn({ journal, ahead: 2, signal, next: () => plays.shift(), add: () => {} })
  let hasEnded = false
  const ended = playing.catch((error: Error) => {
    hasEnded = true
    return error.message
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(hasEnded).toBe(false)
  finish()
  expect([await ended, kept]).toEqual(['broken', [1]])
})
