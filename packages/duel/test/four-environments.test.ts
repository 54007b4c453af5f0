import { type Generator, pcg64 } from '@affine/prng'
import { describe, expect, it } from 'vitest'
import {
  type Candidate,
  type Counts,
  decide,
  firstState,
  type Lanes,
  type LaneTally,
  PROTOCOL,
  type State,
} from '../src/index.ts'
import { type MeasuredPair, measuredCover, measuredHex, measuredPack } from './measured.ts'
import { epochOf, laneOf, miner } from './subnet.ts'

// The rates of programs against each other are those in docs/environments.md.
const VALIDATORS = ['v1', 'v2', 'v3', 'v4']
/** The miners' programs, the weakest first. All are perfect at mult8 and tictactoe. */
const HEX = ['random', 'tree 200', 'golden', 'alpha-beta 4']
const PACK = ['greedy', '100 tries', 'local 1000', 'local 10000']
const MINERS = ['m1', 'm2', 'm3', 'm4']
const COPY = 'm4 again'

/** Returns a miner's strength: the index of its programs. A copy is as strong as its original. */
const placeOf = (hotkey: string): number => MINERS.indexOf(hotkey.slice(0, 2))

/** Returns a contender's chances. The measurements have the stronger program first. */
function chancesOf(env: string, contender: number, champion: number): MeasuredPair {
  const programs = { 'hex@0.1.0': HEX, 'pack@0.1.0': PACK }[env]
  if (programs === undefined) return { p: 0, tied: 1 }
  if (contender === champion) return { p: 0.5, tied: env === 'hex@0.1.0' ? 0 : 0.3 }
  const measured = env === 'hex@0.1.0' ? measuredHex : measuredPack
  const [strong, weak] = [Math.max(contender, champion), Math.min(contender, champion)]
  const { p, tied } = measured(programs[strong] ?? '', programs[weak] ?? '')
  return { p: contender > champion ? p : 1 - p, tied }
}

/** Returns the counts of a lane in an environment. */
function seenIn(played: number, { p, tied }: MeasuredPair, random: Generator) {
  let [wins, losses] = [0, 0]
  for (let i = 0; i < played; i++) {
    if (random.random() < tied) continue
    if (random.random() < p) wins += 1
    else losses += 1
  }
  return { wins, losses, played }
}

/**
 * Returns the tally with points: a game has a winner, a box is covered in part, and all miners
 * solve mult8 and tictactoe.
 */
function withPoints(env: string, counts: Counts, places: readonly [number, number]): LaneTally {
  const { wins, losses, played } = counts
  const shares = { 'hex@0.1.0': [wins / played, losses / played] }[env] ?? [1, 1]
  const covered = places.map((place) => measuredCover(PACK[place] ?? ''))
  const [contender = 0, champion = 0] = env === 'pack@0.1.0' ? covered : shares
  const pointsOf = (share: number): number => Math.round(share * played * 1_000_000)
  return [wins, losses, pointsOf(contender), pointsOf(champion)]
}

function lanesIn(state: State, random: Generator): Lanes {
  const champion = placeOf(state.champion?.hotkey ?? '')
  const lane = () =>
    laneOf(state, (played, env, contender) => {
      const places = [placeOf(contender), champion] as const
      return withPoints(env, seenIn(played, chancesOf(env, ...places), random), places)
    })
  return Object.fromEntries(VALIDATORS.map((validator) => [validator, lane()]))
}

/** Returns the champions in order, until every miner has had a turn and no duel is left. */
function thronesOf(
  hotkeys: readonly string[],
  seed: number,
  protocol = PROTOCOL,
): readonly string[] {
  const random = pcg64(seed)
  const miners = hotkeys.map((hotkey, i): Candidate => miner(hotkey, i + 1))
  const thrones: string[] = []
  let state = firstState(protocol, 0)
  const isOver = () =>
    Object.keys(state.lastPlayed).length === miners.length && state.duels.length === 0
  while (!isOver()) {
    const facts = epochOf(state, { miners, protocol })
    state = decide(state, { ...facts, lanes: lanesIn(state, random) }).state
    const throne = state.champion?.hotkey ?? ''
    if (thrones.at(-1) !== throne) thrones.push(throne)
  }
  return thrones
}

const SEEDS = Array.from({ length: 8 }, (_, seed) => seed)

describe('of two miners that are perfect at mult8 and tictactoe', () => {
  it('the better player of hex and pack is crowned', () => {
    for (const seed of SEEDS) expect(thronesOf(['m3', 'm4'], seed)).toEqual(['m3', 'm4'])
  })

  it('the weaker player of hex and pack is not crowned, and a copy rarely', () => {
    for (const seed of SEEDS) expect(thronesOf(['m4', 'm3'], seed)).toEqual(['m4'])
    const fallen = SEEDS.filter((seed) => thronesOf(['m4', COPY], seed).length > 1)
    expect(fallen.length).toBeLessThanOrEqual(1)
  })
})

const orders = MINERS.map((_, i) => [...MINERS.slice(i), ...MINERS.slice(0, i)])

it('in a network of four environments the best miner is the first champion or becomes the second', () => {
  for (const [seed, order] of orders.entries()) {
    const best = [...order].sort().at(-1)
    expect(thronesOf(order, seed)).toEqual(order[0] === best ? [best] : [order[0], best])
  }
})
