import { make, SIDES, type Side, unbegunGame } from '@affine/envs'
import { expect, it } from 'vitest'
import { type ChallengePair, type Episode, verifyLane } from '../src/index.ts'
import { CONTENDER, gamesOf, honestSamples, laneOf, plansOf, scopeOf, toy } from './lane.ts'

const HEX = 'hex@0.1.0'
const quota = { [HEX]: 16, 'mult8@0.1.0': 4, 'pack@0.1.0': 4, 'tictactoe@0.1.0': 4 }
const scope = scopeOf(toy.hotkey, quota)
// At these skills, some games end by a connection, others by a missing reply.
const samples = await honestSamples(scope, 0.98, 0.97)
const game = gamesOf(samples)[0]!

/** Verifies the lane with the first game replaced. */
async function verdictOn(altered: ChallengePair): Promise<unknown> {
  const lane = samples.map((sample) => (sample === game ? altered : sample))
  const read = await verifyLane(laneOf(toy, scope, plansOf(lane)))
  return read.ok ? read.value : `${read.code} ${read.detail.replace(/^.*0\.1\.0 \d+: /, '')}`
}

/** Returns the first game with other fields in its episodes. */
const withSides = (sides: Partial<Record<Side, Partial<Episode>>>): ChallengePair => ({
  ...game,
  champion: { ...game.champion, ...sides.champion },
  contender: { ...game.contender, ...sides.contender },
})

it('accepts a lane of all four environments: games have no points, and a game that was never begun is a tie', async () => {
  const read = await verifyLane(laneOf(toy, scope, plansOf(samples)))
  if (!read.ok) throw new Error(read.detail)
  const tallies = read.value.tallies[CONTENDER]!
  const [wins, losses, ...points] = tallies[HEX]!
  expect([wins + losses, ...points]).toEqual([16, 0, 0])
  expect(Object.keys(tallies).sort()).toEqual(Object.keys(quota).sort())
  const faults = gamesOf(samples).map((each) => each.champion.fault ?? each.contender.fault)
  expect(new Set(faults)).toEqual(new Set([undefined, 'no-reply']))
  // The same games, except the first, which was never begun: a tie without points.
  const left = game.contender.reward === 1 ? [wins - 1, losses] : [wins, losses - 1]
  expect(await verdictOn(withSides(unbegunGame(make(HEX))))).toMatchObject({
    tallies: { [CONTENDER]: { [HEX]: [...left, 0, 0] } },
  })
})

// vectors/envs/games.json has the other transcripts that do not replay.
it.each(SIDES)(
  'rejects a game if its %s is a stranger, or has no fault or a win in an unbegun game',
  async (side) => {
    expect(await verdictOn(withSides({ [side]: { miner: toy.hotkey } }))).toMatch(
      /^WRONG_CHALLENGE expected hex@0.1.0 \d+ of 5B{47} and 5C{47}$/,
    )
    const none = withSides(unbegunGame(make(HEX)))
    const { fault: _, ...unfaulted } = none[side]
    expect(await verdictOn({ ...none, [side]: unfaulted })).toBe(
      `WRONG_FAULT ${side}: expected a fault, got none`,
    )
    expect(await verdictOn({ ...none, [side]: { ...none[side], reward: 1 } })).toBe(
      `WRONG_REWARD ${side}: expected -1, got 1`,
    )
  },
)
