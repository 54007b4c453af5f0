import type { Recomputed } from '@affine/settlement'
import { expect, it } from 'vitest'
import { countingFlaws } from '../src/verify.ts'

/** Epochs with so many flaws each, and then an error. */
async function* epochs(...flaws: readonly number[]): AsyncGenerator<Recomputed, void> {
  for (const count of flaws) yield { flaws: Array(count) } as unknown as Recomputed
  throw new Error('unreachable')
}

const codeOf = async (...flaws: readonly number[]): Promise<unknown> => {
  let seen = 0
  try {
    for await (const _ of countingFlaws(epochs(...flaws))) seen += 1
  } catch (error) {
    const { exitCode, message } = error as Error & { readonly exitCode?: number }
    return [seen, message, exitCode]
  }
  return seen
}

it('a run that cannot go on ends as one in which something does not hold, if that was found', async () => {
  expect(await codeOf(0, 0)).toEqual([2, 'unreachable', undefined])
  expect(await codeOf(0, 2, 0)).toEqual([3, 'unreachable', 1])
})
