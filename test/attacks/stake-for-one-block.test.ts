/*
 * Stake is borrowed for the one block that is read. Protocol §8.1: a voter weighs by the lesser of
 * its stake at the duel's start and its stake now, and the former is the lesser of that block's and
 * of what it attested with before. Without the latter, stake that came for one block was a voter of
 * the whole duel, or a veto of it.
 */
import { describe, expect, it } from 'vitest'
import { decide, type Report } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { begin, drawn, playOut, votersOf } from './deciding.ts'

const validators = votersOf(5)
const [borrower = ''] = validators
const without = { [borrower]: 1000n }
/** Sixty per cent of all, and beyond all measure. */
const [borrowed, boundless] = [{ [borrower]: 6000n }, { [borrower]: 10n ** 18n }]

const aside = (lanes: Report['lanes'] = {}) =>
  Object.keys(lanes).filter((voter) => lanes[voter]?.setAside.length)

/** A duel that begins with these stakes, and goes on with those. */
function duelOf(atStart: Scene['stakes'], later: Scene, p: number) {
  const random = pcg64(5n)
  const started = begin({ validators, ...(atStart && { stakes: atStart }) })
  return playOut(started, (state) => {
    const honest = drawn(random, state, p)
    const rates = (voter: string) => (voter === borrower ? ([1, 0] as const) : honest())
    return epochOf(state, { validators, rates, ...later })
  })
}

describe.each([
  ['borrowed for the block at which a duel starts', borrowed, {}],
  ['borrowed for every block after it at which an epoch is decided', without, boundless],
])('stake %s', (_, atStart, later) => {
  const stakes = { ...without, ...later }

  it('freezes no epoch of who then stays away: the better contender dethrones', () => {
    const { state, reports } = duelOf(atStart, { stakes, silent: [borrower] }, 0.6)
    expect(reports.filter(({ frozen }) => frozen)).toEqual([])
    expect(state.champion?.hotkey).toBe('m2')
  })

  it('crowns nobody for whom it tells wins alone: it is set aside, and the champion holds', () => {
    const { state, reports } = duelOf(atStart, { stakes }, 0.45)
    expect(reports.at(-1)?.outcome).toBe('champion')
    expect(state.champion?.hotkey).toBe('m1')
    expect(aside(reports.at(-1)?.lanes)).toEqual([borrower])
  })
})

describe('stake borrowed for the block at which a later duel starts', () => {
  const waiting = begin({ validators, miners: [miner('m1')] })
  const start = (scene: Scene) =>
    decide(waiting, epochOf(waiting, { validators, stakes: boundless, ...scene })).state

  it('is not voted with: a voter has the lesser of that and of what it last attested with', () => {
    expect(start({}).duel?.weights).toEqual(
      Object.fromEntries(validators.map((voter) => [voter, 1_000_000])),
    )
  })

  it('is missed by nobody: the others are a quorum without it', () => {
    expect(start({ silent: [borrower] }).duel?.contender.hotkey).toBe('m2')
  })

  it('makes no quorum while too few others attest', () => {
    expect(start({ silent: validators.slice(3) }).duel).toBeUndefined()
  })
})
