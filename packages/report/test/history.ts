import type { Episode, Sample } from '@affine/blocks'
import { firstState, type Protocol, type State, settle, type Tally } from '@affine/duel'
import { challengeId, make } from '@affine/envs'
import type { CheckedLane, Recomputed, SamplePlace } from '@affine/settlement'
import { epochOf, MAIN, type Scene, TICTACTOE } from '../../duel/test/subnet.ts'

/** An epoch that was decided, and the samples of its whole lanes. */
export interface TestEpoch {
  readonly settled: Recomputed
  readonly samples: readonly (readonly [Sample, SamplePlace])[]
}

/** How often the contender forfeits in each environment of a lane, by the way. */
export type Forfeited = Readonly<Record<string, number>>

/** With environments that are even early, for a history to be short. */
const RULES: Protocol = { ...MAIN, evenEpoch: 3 }

/** The epochs of a network: the first, in which m1 takes the throne, then these scenes. */
export function historyOf(scenes: readonly Scene[], forfeited: Forfeited = {}): TestEpoch[] {
  const { miners: _, ...first } = scenes[0] ?? {}
  const epochs: TestEpoch[] = []
  let state = firstState(RULES, 0)
  for (const scene of [first, ...scenes]) {
    const epoch = testEpoch(state, scene, forfeited)
    epochs.push(epoch)
    state = epoch.settled.state
  }
  return epochs
}

function testEpoch(before: State, scene: Scene, forfeited: Forfeited): TestEpoch {
  const { snapshot: seen, ...read } = epochOf(before, scene)
  const facts = { ...read, snapshot: { ...seen, protocol: RULES } }
  const isDue = ([validator]: readonly [string, unknown]) => Object.hasOwn(before.due, validator)
  const dueLanes = Object.entries(facts.lanes).filter(isDue)
  const lanes = new Map(
    dueLanes.map(([validator, tallies]) => [
      validator,
      { ok: true, value: { tallies, blocks: [], unbegun: 0 } } as unknown as CheckedLane,
    ]),
  )
  const found = { flaws: [], warnings: [], votes: undefined, lanes }
  const { snapshot } = facts
  const settled = { epoch: before.epoch, before, snapshot, ...settle(before, facts), ...found }
  const { duel } = before
  if (duel === undefined) return { settled, samples: [] }
  const closed = Object.keys(duel.verdicts)
  const samples = dueLanes.flatMap(([validator, tallies]) =>
    Object.entries(tallies)
      .filter(([env]) => !closed.includes(env))
      .flatMap(([env, tally]) => samplesOf({ before, validator, env, tally }, forfeited)),
  )
  return { settled, samples }
}

interface LaneOf {
  readonly before: State
  readonly validator: string
  readonly env: string
  readonly tally: Tally
}

function samplesOf({ before, validator, env, tally }: LaneOf, forfeited: Forfeited) {
  const { epoch, duel } = before
  const ways = Object.entries(forfeited)
    .filter(([way]) => way !== 'illegal' || env === TICTACTOE)
    .flatMap(([way, count]) => Array<string>(count).fill(way))
  const hash = '0'.repeat(64)
  const parts = { genesis: hash, specHash: hash, beacon: hash, secret: hash, duel: duel?.id ?? '' }
  return Array.from({ length: tally.played }, (_, index): [Sample, SamplePlace] => {
    const id = challengeId({ ...parts, netuid: 1, env, validator, epoch, index })
    const way = ways[(index - tally.wins + tally.played) % tally.played]
    const verdict = verdictAt(index, tally)
    const reward = { champion: Number(verdict === 'loss'), contender: Number(verdict === 'win') }
    const silent = { messages: [], ms: 1 }
    const champion = { miner: duel?.champion.hotkey ?? '', reward: reward.champion, ...silent }
    const played =
      way === undefined ? { reward: reward.contender, ...silent } : forfeit(env, id, way)
    const contender: Episode = { miner: duel?.contender.hotkey ?? '', ...played }
    const sample = { env, duel: parts.duel, index, challengeId: id, champion, contender, verdict }
    return [sample, { validator, block: `${validator} ${epoch}` }]
  })
}

function verdictAt(index: number, { wins, losses }: Tally): Sample['verdict'] {
  if (index < wins) return 'win'
  return index < wins + losses ? 'loss' : 'tie'
}

/** An episode that replays, and ends with a forfeit. */
function forfeit(env: string, id: string, way: string): Omit<Episode, 'miner'> {
  const game = make(env)
  const [board] = game.reset({ options: { challengeId: id } })
  const reward = game.spec.lowestReward
  const prompt = { role: 'user', content: game.render() } as const
  if (way === 'no-reply') return { messages: [prompt], reward, fault: 'no-reply', ms: 1 }
  const taken = (board as readonly number[]).findIndex((mark) => mark !== 0)
  const content = way === 'illegal' ? game.spec.format(taken) : 'well'
  return { messages: [prompt, { role: 'assistant', content }], reward, ms: 1 }
}
