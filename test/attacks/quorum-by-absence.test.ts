/*
 * Honest validators miss an attestation, so that only liars attest; or a third is absent while
 * liars have a third. Protocol §8.1, §8.3: all active validators are voters, absent ones too, and
 * without two thirds of their weight an epoch is frozen, and no duel begins after it.
 */
import { describe, expect, it, test } from 'vitest'
import { firstState } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, MAIN, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import {
  after,
  contendersIn,
  playDuels,
  playOut,
  startedLate,
  votersOf,
  withLies,
} from './deciding.ts'

const DUELS = Number(process.env.DUELS ?? 12)
const validators = votersOf(10)
const [liars, honest] = [validators.slice(0, 3), validators.slice(3)]
const alone: Scene = { validators, silent: honest, unsealed: honest }

describe('with all honest validators absent', () => {
  const miners = [miner('m1'), miner('dud', 3)]
  const waiting = crownedFirst({ validators, miners: [miner('m1')] })
  const left = after(waiting, { ...alone, miners })

  it('begins no duel, and keeps all validators as voters', () => {
    expect([left.report.frozen, contendersIn(left.state)]).toEqual([true, []])
    expect(Object.keys(left.state.voters)).toEqual(validators)
    expect(contendersIn(after(left.state, { ...alone, miners }).state)).toEqual([])
  })

  it('begins a duel once the absent validators are back, with all validators as voters', () => {
    const back = after(left.state, { validators, miners }).state
    expect([contendersIn(back), Object.keys(back.voters)]).toEqual([['dud'], validators])
    const rates = withLies(
      liars,
      () => [1, 0],
      () => [0.3, 0.5],
    )
    const { state } = playOut(back, (state) => epochOf(state, { validators, miners, rates }))
    expect(state.champion?.hotkey).toBe('m1')
  })
})

test('begins no duel in a network’s first epochs if only liars attest', () => {
  const first = after(firstState(MAIN, 10), alone).state
  expect([first.champion?.hotkey, contendersIn(first)]).toEqual(['m1', []])
  expect(Object.keys(first.voters)).toEqual(validators)
  const second = after(first, alone)
  expect([second.report.frozen, contendersIn(second.state)]).toEqual([true, []])
  expect(contendersIn(after(first, { validators }).state)).toEqual(['m2'])
})

describe('with a third of the validators absent from a duel’s start to its end', () => {
  const validators = votersOf(16)
  const absent = validators.slice(11)
  /** Plays duels in which liars report the rate 0.6, and others `p`. */
  const play = (p: number, liars: readonly string[]) =>
    playDuels(DUELS, startedLate({ validators }), (state, draw) => {
      const rates = withLies(liars, draw(state, 0.6), draw(state, p))
      return epochOf(state, { validators, silent: absent, unsealed: absent, rates })
    })

  it('crowns no contender exactly at the ratio to beat if nearly another third lies for it', () => {
    const { thrones, environments } = play(0.51, votersOf(5))
    expect(thrones).toBe(0)
    expect(environments).toBeLessThanOrEqual(Math.ceil(0.1 * DUELS))
  })

  it('crowns a contender that wins six in ten decisive challenges, each time', () => {
    expect(play(0.6, []).thrones).toBe(DUELS)
  })
})
