/*
 * Stake is borrowed for the one block that is read. Protocol §8.1: a voter's weight follows from
 * the lesser of its stakes in this and in the previous snapshot.
 */
import { expect, it, test } from 'vitest'
import type { Report } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { after, contendersIn, drawRates, playOut, votersOf, withLies } from './deciding.ts'

const validators = votersOf(5)
const [borrower = ''] = validators
const boundless = { [borrower]: 10n ** 18n }
const EQUAL = Object.fromEntries(validators.map((voter) => [voter, 1_000_000]))

const aside = ({ duels }: Report) => [
  ...new Set(duels.flatMap(({ envs }) => Object.values(envs).flatMap((env) => env.setAside))),
]

/** Plays a duel with borrowed stake in every other epoch. */
function duelOf(p: number, silent: readonly string[]) {
  const random = pcg64(5n)
  return playOut(startedDuels({ validators }), (state) => {
    const rates = withLies([borrower], () => [1, 0], drawRates(random, state, p))
    const stakes = state.epoch % 2 === 0 ? boundless : {}
    return epochOf(state, { validators, rates, stakes, silent })
  })
}

it('freezes no epoch when the borrower does not attest, and crowns a better contender', () => {
  const { state, epochs } = duelOf(0.6, [borrower])
  expect(epochs.filter(({ report }) => report.frozen)).toEqual([])
  expect(state.champion?.hotkey).toBe('m2')
})

it('sets aside the lane of a borrower that reports only wins, and the champion holds', () => {
  const { state, epochs } = duelOf(0.45, [])
  expect(state.champion?.hotkey).toBe('m1')
  const last = epochs.at(-1)
  expect(last && aside(last.report)).toEqual([borrower])
})

test('gives stake borrowed for one block no vote, in that epoch or later', () => {
  const waiting = crownedFirst({ validators })
  const borrowed = after(waiting, { validators, stakes: boundless }).state
  expect([waiting.voters, borrowed.voters]).toEqual([EQUAL, EQUAL])
  const returned = after(borrowed, { validators, rates: [0.5, 0.4] }).state
  for (const weight of Object.values(returned.voters)) expect(weight).toBe(1_000_000)
  const held = after(borrowed, { validators, rates: [0.5, 0.4], stakes: boundless }).state
  expect([held.voters[borrower], held.voters.v01]).toEqual([1_000_000, undefined])
})

test('neither requires borrowed stake for a quorum nor counts it towards a quorum', () => {
  const waiting = crownedFirst({ validators })
  const start = (scene: Scene) =>
    contendersIn(after(waiting, { validators, stakes: boundless, ...scene }).state)
  expect(start({ silent: [borrower] })).toEqual(['m2'])
  expect(start({ silent: validators.slice(3) })).toEqual([])
})
