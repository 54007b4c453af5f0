/*
 * The honest miss one attestation, and a liar of 30 % has its own contender leave in that epoch's
 * last block, so that the next duel begins with itself as the only voter; or it is alone in a
 * network's first epoch. The old rules made voters of those who had attested in that one snapshot:
 * the liar's dud was crowned in one epoch, at the ceiling, and everybody's recomputation agreed.
 * Asking for two thirds of those who were active was not enough: with a third absent, liars of a
 * third were half of who voted, and a contender exactly at the ratio won .77. Protocol §8.1: all
 * active validators vote, absent ones too, and two thirds of their weight have to attest.
 */
import { describe, expect, it, test } from 'vitest'
import { decide, nextContenders } from '../../packages/duel/src/index.ts'
import { epochOf, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { begin, drawn, FIRST, playOut, votersOf, winsIn } from './deciding.ts'

const DUELS = Number(process.env.DUELS ?? 12)
const validators = votersOf(10)
const [liars, honest] = [validators.slice(0, 3), validators.slice(3)]
const alone: Scene = { validators, silent: honest, unsealed: honest }

describe('with the honest absent for one attestation', () => {
  const miners = [miner('m1'), miner('dud', 3)]
  const started = begin({ validators })
  const left = decide(started, epochOf(started, { ...alone, miners })).state

  it('no duel starts when the contender leaves, and who waits keeps its place', () => {
    expect([left.champion?.hotkey, left.duel]).toEqual(['m1', undefined])
    const { snapshot } = epochOf(left, { ...alone, miners })
    expect(nextContenders(left, snapshot).map(({ hotkey }) => hotkey)).toEqual(['dud'])
    expect(decide(left, epochOf(left, { ...alone, miners })).state.duel).toBeUndefined()
  })

  it('a duel starts once they are back, and all of them vote', () => {
    const back = decide(left, epochOf(left, { validators, miners })).state
    expect(back.duel?.contender.hotkey).toBe('dud')
    expect(Object.keys(back.duel?.weights ?? {})).toEqual(validators)
    const { state } = playOut(back, (state) => {
      const rates = (voter: string) =>
        liars.includes(voter) ? ([1, 0] as const) : ([0.3, 0.5] as const)
      return epochOf(state, { validators, miners, rates })
    })
    expect(state.champion?.hotkey).toBe('m1')
  })
})

test('in a network’s first epoch, who attests alone starts no duel', () => {
  const first = decide(FIRST, epochOf(FIRST, alone)).state
  expect([first.champion?.hotkey, first.duel]).toEqual(['m1', undefined])
  const all = decide(first, epochOf(first, { validators })).state
  expect(Object.keys(all.duel?.weights ?? {})).toEqual(validators)
})

/** Duels that begin, and are played, with a third absent: how many thrones and environments won. */
function duelsWithAThirdAbsent(p: number, liars: readonly string[]) {
  const validators = votersOf(16)
  const absent = validators.slice(11)
  const random = pcg64(30n)
  const scene: Scene = { validators, silent: absent, unsealed: absent }
  const waiting = begin({ validators, miners: [miner('m1')] })
  const won = { thrones: 0, environments: 0 }
  for (let i = 0; i < DUELS; i++) {
    const started = decide(waiting, epochOf(waiting, scene)).state
    expect(Object.keys(started.duel?.weights ?? {})).toEqual(validators)
    const { state, reports } = playOut(started, (state) => {
      const [told, seen] = [drawn(random, state, 0.6), drawn(random, state, p)]
      return epochOf(state, { ...scene, rates: (v) => (liars.includes(v) ? told() : seen()) })
    })
    if (state.champion?.hotkey === 'm2') won.thrones++
    won.environments += winsIn(reports)
  }
  return won
}

describe('with a third absent from the duel’s start to its end', () => {
  it('liars of a third crown no contender that is exactly at the ratio', () => {
    const { thrones, environments } = duelsWithAThirdAbsent(0.51, votersOf(5))
    expect(thrones).toBe(0)
    expect(environments).toBeLessThanOrEqual(Math.ceil(0.1 * DUELS))
  })

  it('a contender that wins six in ten dethrones, each time', () => {
    expect(duelsWithAThirdAbsent(0.6, []).thrones).toBe(DUELS)
  })
})
