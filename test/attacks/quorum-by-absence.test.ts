/*
 * The honest miss one attestation, so that the next duel begins with a liar of 30 % as the only
 * voter; or it is alone in a network's first epoch. The old rules made voters of those who had
 * attested in that one snapshot: the liar's dud was crowned in one epoch, at the ceiling, and
 * everybody's recomputation agreed. Asking for two thirds of those who were active was not enough:
 * with a third absent, liars of a third were half of who voted, and a contender exactly at the ratio
 * won .77. Protocol §8.1, §8.3: all active validators vote, absent ones too, and without two thirds
 * of their weight an epoch is frozen, and no duel begins after it.
 */
import { describe, expect, it, test } from 'vitest'
import { firstState } from '../../packages/duel/src/index.ts'
import { crownedFirst, epochOf, MAIN, miner, type Scene } from '../../packages/duel/test/subnet.ts'
import { pcg64 } from '../../packages/prng/src/index.ts'
import { after, drawn, listed, lying, playOut, startedLate, votersOf, winsIn } from './deciding.ts'

const DUELS = Number(process.env.DUELS ?? 12)
const validators = votersOf(10)
const [liars, honest] = [validators.slice(0, 3), validators.slice(3)]
const alone: Scene = { validators, silent: honest, unsealed: honest }

describe('with the honest absent for one attestation', () => {
  const miners = [miner('m1'), miner('dud', 3)]
  const waiting = crownedFirst({ validators, miners: [miner('m1')] })
  const left = after(waiting, { ...alone, miners })

  it('no duel begins, and all of them are voters', () => {
    expect([left.report.frozen, listed(left.state)]).toEqual([true, []])
    expect(Object.keys(left.state.voters)).toEqual(validators)
    expect(listed(after(left.state, { ...alone, miners }).state)).toEqual([])
  })

  it('a duel begins once they are back, and all of them vote', () => {
    const back = after(left.state, { validators, miners }).state
    expect([listed(back), Object.keys(back.voters)]).toEqual([['dud'], validators])
    const rates = lying(
      liars,
      () => [1, 0],
      () => [0.3, 0.5],
    )
    const { state } = playOut(back, (state) => epochOf(state, { validators, miners, rates }))
    expect(state.champion?.hotkey).toBe('m1')
  })
})

test('in a network’s first epochs, who attests alone starts no duel', () => {
  const first = after(firstState(MAIN, 10), alone).state
  expect([first.champion?.hotkey, listed(first)]).toEqual(['m1', []])
  expect(Object.keys(first.voters)).toEqual(validators)
  const second = after(first, alone)
  expect([second.report.frozen, listed(second.state)]).toEqual([true, []])
  expect(listed(after(first, { validators }).state)).toEqual(['m2'])
})

/** Duels that begin, and are played, with a third absent: how many thrones and environments won. */
function duelsWithAThirdAbsent(p: number, liars: readonly string[]) {
  const validators = votersOf(16)
  const absent = validators.slice(11)
  const random = pcg64(30n)
  const scene: Scene = { validators, silent: absent, unsealed: absent }
  const started = startedLate({ validators })
  const won = { thrones: 0, environments: 0 }
  for (let i = 0; i < DUELS; i++) {
    const { state, epochs } = playOut(started, (state) => {
      const rates = lying(liars, drawn(random, state, 0.6), drawn(random, state, p))
      return epochOf(state, { ...scene, rates })
    })
    if (state.champion?.hotkey === 'm2') won.thrones++
    won.environments += winsIn(epochs)
  }
  return won
}

describe('with a third absent from a duel’s start to its end', () => {
  it('liars of a third crown no contender that is exactly at the ratio', () => {
    const { thrones, environments } = duelsWithAThirdAbsent(0.51, votersOf(5))
    expect(thrones).toBe(0)
    expect(environments).toBeLessThanOrEqual(Math.ceil(0.1 * DUELS))
  })

  it('a contender that wins six in ten dethrones, each time', () => {
    expect(duelsWithAThirdAbsent(0.6, []).thrones).toBe(DUELS)
  })
})
