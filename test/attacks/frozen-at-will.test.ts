/*
 * With an honest validator absent, liars with less than a third of the weight decide whether two
 * thirds attest, and attest only in epochs that help them. Protocol §8.3: the fourth frozen epoch
 * of an open duel ends it, and the champion stays. Dynamic programming finds the best plan.
 */
import { describe, expect, it, test } from 'vitest'
import { oneLaneZ } from '../../packages/duel/bench/duels.ts'
import { mostFrozenWins } from '../../packages/duel/bench/one-lane.ts'
import { ALONE, PROMISED } from '../../packages/duel/bench/promises.ts'
import { SINGLE } from '../../packages/duel/bench/quotas.ts'
import { PROTOCOL } from '../../packages/duel/src/index.ts'
import { frozenIn, miner, type Scene, startedDuels } from '../../packages/duel/test/subnet.ts'
import { after, contendersIn, votersOf } from './deciding.ts'

const EPOCHS = PROTOCOL.duelEpochs

test('keeps false wins by freezing at will below the promise, since the fourth frozen epoch ends a duel', () => {
  const lane = { ratioPpm: PROTOCOL.ratioFloorPpm, quotas: SINGLE, z: oneLaneZ(PROTOCOL) }
  const wins = mostFrozenWins(lane)
  expect(mostFrozenWins(lane, EPOCHS)).toBeGreaterThan(PROMISED.falseWins)
  expect(wins).toBeLessThan(PROMISED.falseWins)
  expect(mostFrozenWins(lane, 0)).toBeLessThan(wins / 2)
  const alone = { ...lane, z: oneLaneZ(ALONE) }
  expect(mostFrozenWins(alone)).toBeLessThan(PROMISED.falseWinsAlone)
})

describe('with three of ten validators of equal stake absent', () => {
  const validators = votersOf(10)
  const [liars, absent] = [validators.slice(0, 3), validators.slice(7)]
  const base: Scene = { validators, unsealed: absent }
  const begun = startedDuels({ validators, miners: [miner('m1', 1), miner('m2', 2)] })
  const miners = [miner('m3', 3), miner('m4', 4)]
  // With so many ties no verdict is given, so that only frozen epochs end a duel early.
  const TIED = [0.04, 0.04] as const
  const CALM: Scene = { ...base, silent: absent, rates: TIED }
  const FREEZING: Scene = { ...base, silent: [...absent, ...liars], rates: TIED }

  it.each([[[1, 2, 3, 4]], [[1, 3, 4, 6]], [[2, 4, 6, EPOCHS]]])(
    'a duel ends in its fourth frozen epoch: %j',
    (frozen) => {
      let state = begun
      for (let epoch = 1; epoch <= Math.max(...frozen); epoch++) {
        const [duel] = state.duels
        expect([duel?.start, frozenIn(duel)]).toEqual([
          begun.epoch,
          frozen.filter((each) => each < epoch).length,
        ])
        const isFrozen = frozen.includes(epoch)
        const { state: next, report } = after(state, isFrozen ? FREEZING : CALM)
        expect([report.frozen, report.duels[0]?.standing === 'lost']).toEqual([
          isFrozen,
          epoch === frozen.at(-1),
        ])
        state = next
      }
      expect([state.champion?.hotkey, state.duels]).toEqual(['m1', []])
      expect(Object.keys(state.lastPlayed)).toContain('m2') // its turn is over
    },
  )

  it('each open duel ends by its own count of frozen epochs, no won duel ends, and none begins', () => {
    const rates: Scene['rates'] = (_, _env, contender) => (contender === 'm2' ? [1, 0] : TIED)
    // m3 and m4 begin an epoch later than m2, which has one frozen epoch and then wins.
    const frozen = after(begun, { ...FREEZING, miners })
    expect(contendersIn(frozen.state)).toEqual(['m2'])
    let state = after(frozen.state, { ...CALM, miners }).state
    expect(contendersIn(state)).toEqual(['m2', 'm3', 'm4'])
    state = after(state, { ...CALM, rates }).state
    for (let epoch = 1; epoch <= 4; epoch++) {
      const { state: next, report } = after(state, FREEZING)
      const open = epoch < 4 ? 'open' : 'lost'
      expect(report.duels.map(({ standing }) => standing)).toEqual(['won', open, open])
      expect([report.crowned, next.champion?.hotkey]).toEqual([undefined, 'm1'])
      state = next
    }
    expect(contendersIn(state)).toEqual(['m2'])
    expect(after(state, FREEZING).state.champion?.hotkey).toBe('m1')
    expect(after(state, CALM).report.crowned).toBe('m2')
  })
})
