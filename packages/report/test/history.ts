import type { ChallengeVerdict, Episode, Sample } from '@affine/blocks'
import {
  computeQuotas,
  countedAttestations,
  decide,
  type Facts,
  findAttesters,
  firstState,
  type LaneTallies,
  type LaneTally,
  type Protocol,
  type State,
} from '@affine/duel'
import { challengeId, make } from '@affine/envs'
import type { CheckedLane, RecomputedEpoch, SamplePlace } from '@affine/settlement'
import { epochOf, MAIN, type Scene, TICTACTOE } from '../../duel/test/subnet.ts'

/** One epoch as a reader sees it: its result, and the samples of the lanes that it reads. */
interface ReadEpoch {
  readonly settled: RecomputedEpoch
  readonly samples: readonly (readonly [Sample, SamplePlace])[]
}

/** An epoch for a reader of every sealed lane; `sparse` for a reader of only attested lanes. */
export interface TestEpoch extends ReadEpoch {
  readonly sparse: ReadEpoch
}

/** Number of the contender's forfeits of each kind in each environment of a lane. */
export type Forfeited = Readonly<Record<string, number>>

/** Rules under which environments become undecided early, so that histories are short. */
const RULES: Protocol = { ...MAIN, evenEpoch: 3 }

/** Decides the epochs of a network: two in which m1 takes the throne, then one for each scene. */
export function historyOf(scenes: readonly Scene[], forfeited: Forfeited = {}): TestEpoch[] {
  const { miners: _, ...first } = scenes[0] ?? {}
  const epochs: TestEpoch[] = []
  let state = firstState(RULES, 0)
  for (const scene of [first, { ...first, silent: [] }, ...scenes]) {
    const epoch = testEpoch(state, { ...scene, protocol: RULES }, forfeited)
    epochs.push(epoch)
    state = epoch.settled.state
  }
  return epochs
}

function testEpoch(before: State, scene: Scene, forfeited: Forfeited): TestEpoch {
  const { snapshot, ...facts } = epochOf(before, scene)
  const due = Object.keys(facts.seals).filter((validator) => Object.hasOwn(before.due, validator))
  const samplesBy = new Map(
    due.map((validator) => {
      const lanes = Object.entries(computeQuotas(before)).flatMap(([contender, quotas]) =>
        Object.entries(quotas).flatMap(([env, played]) => {
          const tally = facts.lanes[validator]?.[contender]?.[env]
          return tally ? [{ before, validator, contender, env, played, tally }] : []
        }),
      )
      return [validator, lanes.flatMap((lane) => samplesOf(lane, forfeited))]
    }),
  )
  const readBy = (read: readonly string[]): ReadEpoch => {
    const whole = Object.entries(facts.lanes).filter(([validator]) => read.includes(validator))
    const lanes = new Map(read.map((validator) => [validator, laneOf(facts.lanes[validator])]))
    const seen = { ...facts, snapshot, lanes: Object.fromEntries(whole) }
    const settled = settledBy(before, seen, lanes)
    return { settled, samples: read.flatMap((validator) => samplesBy.get(validator) ?? []) }
  }
  const seen = findAttesters(before, countedAttestations(before, snapshot))
  return { ...readBy(due), sparse: readBy(due.filter((each) => seen[each]?.attested)) }
}

/** Returns a valid lane, or a void lane without tallies. */
const laneOf = (tallies: LaneTallies | undefined): CheckedLane =>
  tallies === undefined
    ? { ok: false, code: 'BAD_PROOF', detail: '' }
    : { ok: true, value: { tallies, blocks: [] } }

type LaneOf = Readonly<Record<'validator' | 'contender' | 'env', string>> & {
  readonly before: State
  readonly played: number
  readonly tally: LaneTally
}

/**
 * Returns the samples of one contender and the champion. With several contenders, the champion's
 * samples repeat.
 */
function samplesOf(lane: LaneOf, forfeited: Forfeited) {
  const { before, validator, contender, env, played, tally } = lane
  const { epoch } = before
  const ways = Object.entries(forfeited)
    .filter(([way]) => way !== 'illegal' || env === TICTACTOE)
    .flatMap(([way, count]) => Array<string>(count).fill(way))
  const hash = '0'.repeat(64)
  const parts = { genesis: hash, specHash: hash, beacon: hash, secret: hash }
  const place = { validator, block: `${validator} ${epoch}`, line: 0 }
  return Array.from({ length: played }, (_, index): [Sample, SamplePlace][] => {
    const id = challengeId({ ...parts, netuid: 1, env, validator, epoch, index })
    const way = ways[(index - tally[0] + played) % played]
    const verdict = verdictAt(index, tally)
    const silent = { messages: [], ms: 1 }
    const answered =
      way === undefined ? { reward: Number(verdict === 'win'), ...silent } : forfeit(env, id, way)
    const second: Episode = { miner: contender, ...answered }
    const reward = second.reward - { win: 1, tie: 0, loss: -1 }[verdict]
    const first: Episode = { miner: before.champion?.hotkey ?? '', reward, ...silent }
    const challenge = { env, index, challengeId: id }
    return [first, second].map((episode) => [{ ...challenge, ...episode }, place])
  }).flat()
}

function verdictAt(index: number, [wins, losses]: LaneTally): ChallengeVerdict {
  if (index < wins) return 'win'
  return index < wins + losses ? 'loss' : 'tie'
}

/** Returns a valid episode that ends with a forfeit. */
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

/** Returns a decided epoch without findings. Default for `lanes`: no lanes. */
export function settledBy(
  before: State,
  facts: Facts,
  lanes: RecomputedEpoch['lanes'] = new Map(),
): RecomputedEpoch {
  const { snapshot } = facts
  const found = { flaws: [], warnings: [], votes: undefined, lanes }
  return { epoch: before.epoch, before, snapshot, ...decide(before, facts), ...found }
}
