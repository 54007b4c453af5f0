import type { Episode, Sample } from '@affine/blocks'
import {
  attestedLanes,
  decide,
  firstState,
  type Protocol,
  type State,
  type Tallies,
  type Tally,
} from '@affine/duel'
import { challengeId, make } from '@affine/envs'
import type { CheckedLane, Recomputed, SamplePlace } from '@affine/settlement'
import { epochOf, MAIN, type Scene, TICTACTOE } from '../../duel/test/subnet.ts'

/** What a reader has of an epoch: its account, and the samples of the whole lanes that it read. */
interface ReadEpoch {
  readonly settled: Recomputed
  readonly samples: readonly (readonly [Sample, SamplePlace])[]
}

/** An epoch for a reader of every lane that was sealed, and for one of those that can count. */
export interface TestEpoch extends ReadEpoch {
  readonly sparse: ReadEpoch
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
  const due = Object.keys(facts.seals).filter((validator) => Object.hasOwn(before.due, validator))
  const samplesBy = new Map(
    due.map((validator) => {
      const tallies = Object.entries(facts.lanes[validator] ?? {})
      const open = tallies.filter(([env]) => !Object.hasOwn(before.duel?.verdicts ?? {}, env))
      const lanes = open.map(([env, tally]) => ({ before, validator, env, tally }))
      return [validator, lanes.flatMap((lane) => samplesOf(lane, forfeited))]
    }),
  )
  const readBy = (read: readonly string[]): ReadEpoch => {
    const whole = Object.entries(facts.lanes).filter(([validator]) => read.includes(validator))
    const lanes = new Map(read.map((validator) => [validator, laneOf(facts.lanes[validator])]))
    const found = { flaws: [], warnings: [], votes: undefined, lanes }
    const decided = decide(before, { ...facts, lanes: Object.fromEntries(whole) })
    const { snapshot } = facts
    const settled = { epoch: before.epoch, before, snapshot, ...decided, ...found }
    return { settled, samples: read.flatMap((validator) => samplesBy.get(validator) ?? []) }
  }
  const needed = attestedLanes(before, facts.snapshot)
  return { ...readBy(due), sparse: readBy(due.filter((each) => needed.includes(each))) }
}

/** A lane as it was read: whole, with a game that was never begun, or void. */
const laneOf = (tallies: Tallies | undefined): CheckedLane =>
  tallies === undefined
    ? { ok: false, code: 'BAD_PROOF', detail: '' }
    : ({ ok: true, value: { tallies, blocks: [], unbegun: 1 } } as unknown as CheckedLane)

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
