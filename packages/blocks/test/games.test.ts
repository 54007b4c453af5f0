import { make, SIDES, type Side, unbegunGame } from '@affine/envs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type ChallengePair, type Episode, type Sample, verifyLane } from '../src/index.ts'
import { CONTENDER, gamesOf, honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const HEX = 'hex@0.1.0'
const quota = { [HEX]: 40, 'mult8@0.1.0': 4, 'pack@0.1.0': 4, 'tictactoe@0.1.0': 4 }
const scope = scopeOf(toy.hotkey, quota)
const OTHER = { champion: 'contender', contender: 'champion' } as const
let samples: Sample[]

beforeAll(async () => {
  // At these skills, some games end by a connection, others by a missing or unreadable reply.
  samples = await honestSamples(scope, 0.98, 0.97)
})

/** Verifies the lane with one game replaced. */
async function verdictOn(old: ChallengePair, altered: ChallengePair): Promise<unknown> {
  const lane = samples.map((sample) => (sample === old ? altered : sample))
  const read = await verifyLane(laneOf(toy, scope, plansOf(lane)))
  return read.ok ? read.value : `${read.code} ${read.detail.replace(/^.*0\.1\.0 \d+: /, '')}`
}

/** Returns the first game whose ending satisfies `isWanted`, with that ending. */
function findGame(isWanted: (ended: Ended) => boolean): Ended {
  const games = gamesOf(samples).map(endedOf)
  const found = games.find(isWanted)
  if (found === undefined) throw new Error('no game ended so')
  return found
}

interface Ended {
  readonly game: ChallengePair
  /** The side of the last reply or fault. */
  readonly mover: Side
  readonly isWon: boolean
}

function endedOf(game: ChallengePair): Ended {
  const { champion, contender } = game
  const prompts = [champion, contender].map(({ messages }) => Math.ceil(messages.length / 2))
  const boards = [champion, contender].map(({ messages }) => messages[0]?.content.match(/[XO] /g))
  const first = (boards[1]?.length ?? 999) < (boards[0]?.length ?? 999) ? 'contender' : 'champion'
  const isEven = prompts[0] === prompts[1]
  const mover = isEven ? OTHER[first] : first
  return { game, mover, isWon: game[mover].reward === 1 }
}

/** Returns the game with other episodes. */
const withSides = (
  game: ChallengePair,
  sides: Partial<Record<Side, Partial<Episode>>>,
): ChallengePair => ({
  ...game,
  champion: { ...game.champion, ...sides.champion },
  contender: { ...game.contender, ...sides.contender },
})

function unbegun(game: ChallengePair): ChallengePair {
  const { champion, contender } = unbegunGame(make(HEX))
  return withSides(game, { champion, contender })
}

describe('a lane of all four environments', () => {
  it('is valid, and games have no points', async () => {
    const read = await verifyLane(laneOf(toy, scope, plansOf(samples)))
    if (!read.ok) throw new Error(read.detail)
    const tallies = read.value.tallies[CONTENDER]!
    const [wins, losses, ...points] = tallies[HEX]!
    expect([wins + losses, read.value.unbegun, ...points]).toEqual([40, 0, 0, 0])
    expect(Object.keys(tallies).sort()).toEqual(Object.keys(quota).sort())
    const ends = gamesOf(samples).map(endedOf)
    const faults = ends.map(({ game, mover }) => game[mover].fault)
    expect(new Set(faults)).toEqual(new Set([undefined, 'no-reply']))
    expect(new Set(ends.map(({ isWon }) => isWon))).toEqual(new Set([true, false]))
  })

  it('counts games that were never begun as ties without points', async () => {
    const { game } = findGame(({ isWon }) => isWon)
    const read = await verifyLane(laneOf(toy, scope, plansOf(samples)))
    const [wins = 0, losses = 0] = (read.ok && read.value.tallies[CONTENDER]?.[HEX]) || []
    const left = game.contender.reward === 1 ? [wins - 1, losses] : [wins, losses - 1]
    const tallies = { [CONTENDER]: { [HEX]: [...left, 0, 0] } }
    expect(await verdictOn(game, unbegun(game))).toMatchObject({ unbegun: 1, tallies })
  })
})

// vectors/envs/games.json has the other transcripts that do not replay.
describe('an altered game', () => {
  it.each(SIDES)(
    'is rejected if its %s is a stranger, or has no fault or a win in an unbegun game',
    async (side) => {
      const { game } = findGame(({ isWon }) => isWon)
      const stranger = withSides(game, { [side]: { miner: toy.hotkey } })
      expect(await verdictOn(game, stranger)).toMatch(
        /^WRONG_CHALLENGE expected hex@0.1.0 \d+ of 5B{47} and 5C{47}$/,
      )
      const none = unbegun(game)
      const { fault: _, ...unfaulted } = none[side]
      expect(await verdictOn(game, { ...none, [side]: unfaulted })).toBe(
        `WRONG_FAULT ${side}: expected a fault, got none`,
      )
      const won = withSides(none, { [side]: { reward: 1 } })
      expect(await verdictOn(game, won)).toBe(`WRONG_REWARD ${side}: expected -1, got 1`)
    },
  )
})
