import type { DuelFacts, MinerStats } from '@affine/report'
import { describe, expect, it } from 'vitest'
import { type AppState, addNews, duelsIn, EMPTY_STATE, reignsIn } from '../src/app-state.ts'
import type { BucketHealth } from '../src/worker/buckets.ts'
import type { EpochAccount } from '../src/worker/reader.ts'

const miner = (hotkey: string) => ({ hotkey, model: 'm', revision: 'r', chute: 'c' })
const [A, B] = ['5A', '5B'].map(miner) as [Miner, Miner]
type Miner = ReturnType<typeof miner>

const stats: MinerStats<never> = {
  challenges: 64,
  won: 10,
  lost: 20,
  unbegun: 0,
  forfeits: {},
  answered: 64,
  envs: {},
  losses: [],
}
const duel = (verdicts: DuelFacts['verdicts'], start = 1, end?: DuelFacts['end']): DuelFacts => ({
  id: `duel from ${start}`,
  champion: A,
  contender: B,
  start,
  ratio: 510_000,
  verdicts,
  epochIndex: 1,
  duelEpochs: 8,
  envs: ['a', 'b'],
  wins: 0,
  counted: 2,
  needed: 2,
  end,
})
const epoch = (number: number, more: Partial<EpochAccount> = {}): EpochAccount => ({
  epoch: number,
  champion: A,
  ratio: 510_000,
  duel: undefined,
  frozen: false,
  lanes: [],
  envs: [],
  throne: [],
  crowned: undefined,
  heir: A,
  nextDuel: undefined,
  nextRatio: 510_000,
  lacking: undefined,
  others: undefined,
  root: '',
  flaws: [],
  warnings: [],
  votes: undefined,
  trust: {},
  stats: { champion: stats, contender: stats },
  ...more,
})
const stateOf = (...epochs: readonly EpochAccount[]): AppState =>
  addNews(
    EMPTY_STATE,
    epochs.map((account) => ({ type: 'epoch', account, health: [] })),
  )

describe('a state', () => {
  it('has a reign for each who held the throne, up to the epoch that comes', () => {
    const nobody = { champion: undefined, heir: undefined }
    const state = stateOf(
      epoch(0, { ...nobody, throne: ['crowned'], heir: A }),
      epoch(1),
      epoch(2, { duel: duel({ a: 'win', b: 'win' }), heir: B }),
    )
    expect(reignsIn(state)).toEqual([
      { hotkey: undefined, from: 0, to: 1 },
      { hotkey: '5A', from: 1, to: 3 },
      { hotkey: '5B', from: 3, to: 4 },
    ])
    expect(reignsIn(EMPTY_STATE)).toEqual([])
  })

  it('has a duel for each that ran, with its verdicts as they stand, and its end', () => {
    const state = stateOf(
      epoch(1, { duel: duel({}) }),
      epoch(2, { duel: duel({ a: 'hold' }, 1, { winner: 'champion', by: 'length' }) }),
      epoch(3, { duel: duel({}, 3) }),
    )
    const [first, second, ...more] = duelsIn(state)
    expect(first?.epochs.map((each) => each.epoch)).toEqual([1, 2])
    expect(first?.duel.verdicts).toEqual({ a: 'hold' })
    expect(first?.end?.epoch).toBe(2)
    expect(second?.end).toBe(undefined)
    expect(more).toEqual([])
  })

  it('keeps why reading ended, and leaves out what it does not know', () => {
    const failed = addNews(EMPTY_STATE, [{ type: 'failed', message: 'no chain', health: [] }])
    expect(failed.failure).toBe('no chain')
    expect(addNews(failed, [])).toBe(failed)
    expect(addNews(failed, [{ type: 'refusal', id: 1, message: '' }])).toEqual(failed)
  })

  it('has of each bucket what was heard last, in the order in which they were met', () => {
    const bucket = (hotkey: string, files: number): BucketHealth => {
      return { hotkey, announced: 'a', place: 'p', files, bytes: 0, missing: 0, silent: undefined }
    }
    const hear = (state: AppState, ...health: readonly BucketHealth[]) =>
      addNews(state, [{ type: 'epoch', account: epoch(1), health }])
    const state = hear(hear(EMPTY_STATE, bucket('5A', 1), bucket('5B', 1)), bucket('5A', 2))
    expect(state.health).toEqual([bucket('5A', 2), bucket('5B', 1)])
  })
})
