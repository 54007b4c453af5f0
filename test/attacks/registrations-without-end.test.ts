/*
 * An attacker registers one key after another, so that others are evicted before their turn.
 * Protocol §8.1, §8.11: eight duels run concurrently, and evictions do not end them. If
 * registrations outrun duels, a miner has its duel with a probability of about duels ÷
 * registrations. The test plays an eighth of the main network.
 */
import { expect, test } from 'vitest'
import type { Candidate } from '../../packages/duel/src/index.ts'
import { crownedFirst, MAIN, miner } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { after, blockOf, contendersIn, type LaneRates } from './deciding.ts'

/** The share of the main network's places, duels and registrations that is played. */
const PART = 1 / 8
const [PLACES, EPOCHS_A_DAY, HONEST] = [256 * PART, 20, 10 * PART]
const protocol = { ...MAIN, duelsMost: MAIN.duelsMost * PART }

/** An honest miner ties half of its challenges. A hostile key ties nearly all, for a long duel. */
const rates: LaneRates = (_, _env, contender) =>
  contender.startsWith('honest') ? [0.25, 0.25] : [0.0315, 0.0285]

/**
 * Returns the share of miners with a duel, among the honest miners that registered on a full
 * subnet and were evicted later.
 */
function servedShare(hostile: number, days: number): number {
  const random = pcg64(20n)
  const aDay = HONEST + hostile
  const keys: Candidate[] = []
  const served = new Set<string>()
  let [state, due] = [crownedFirst({ protocol, miners: [miner('king')] }), 0]
  for (let epoch = 0; epoch < days * EPOCHS_A_DAY; epoch++) {
    const block = blockOf(state, state.epoch)
    for (due += aDay / EPOCHS_A_DAY; due >= 1; due--) {
      const kind = random.random() < HONEST / aDay ? 'honest' : 'hostile'
      keys.push({ ...miner(`${kind} ${keys.length}`, block), registered: block })
    }
    const miners = keys.slice(-PLACES) // each registration evicts the oldest one
    state = after(state, { protocol, miners, rates, validators: ['v1'] }).state
    for (const hotkey of contendersIn(state)) served.add(hotkey)
  }
  expect(state.champion?.hotkey).toBe('king')
  const gone = keys.slice(PLACES, -PLACES).filter(({ hotkey }) => hotkey.startsWith('honest'))
  expect(gone.length).toBeGreaterThan(15)
  return gone.filter(({ hotkey }) => served.has(hotkey)).length / gone.length
}

test.each([
  [10, 39, 0.95, 1],
  [40, 30, 0.3, 0.7],
])(
  'gives the expected share of honest miners a duel at %i hostile registrations a day',
  (hostile, days, least, most) => {
    const share = servedShare(hostile * PART, days)
    expect(share).toBeGreaterThanOrEqual(least)
    expect(share).toBeLessThanOrEqual(most)
  },
)
