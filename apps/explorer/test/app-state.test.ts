import { describe, expect, it } from 'vitest'
import {
  type AppState,
  addFindings,
  EMPTY_STATE,
  findDuels,
  latestAnalyses,
  listDuels,
  listTerms,
} from '../src/app-state.ts'
import { describeResult } from '../src/page.ts'
import type { EpochAccount, ShownDuel } from '../src/worker/epoch-accounts.ts'

const miner = (hotkey: string) => ({ hotkey, model: 'm', revision: 'r', chute: 'c' })
const [A, B, C] = ['5A', '5B', '5C'].map(miner) as [Miner, Miner, Miner]
type Miner = ReturnType<typeof miner>

/** Returns the fields of a duel that these tests read. */
const duel = (more: Partial<ShownDuel> = {}): ShownDuel => {
  const stats = { contender: { won: 10, lost: 20 } }
  const facts = { id: '1/5B', champion: A, contender: B, start: 1, analyses: [], stats }
  return { ...facts, ...more } as never
}
/** Returns the fields of an epoch that these tests read. */
const epoch = (number: number, more: Partial<EpochAccount> = {}): EpochAccount =>
  ({ epoch: number, champion: A, nextChampion: A, duels: [], nextDuels: [], ...more }) as never
const stateOf = (...epochs: readonly EpochAccount[]): AppState =>
  addFindings(EMPTY_STATE, { epochs })

describe('a state', () => {
  it('has a term for each champion, up to the next epoch', () => {
    const nobody = { champion: undefined, nextChampion: undefined }
    const state = stateOf(
      epoch(0, { ...nobody, seated: A, nextChampion: A }),
      epoch(1),
      epoch(2, { duels: [duel({ end: 'crowned' })], nextChampion: B }),
    )
    expect(listTerms(state)).toEqual([
      { hotkey: undefined, from: 0, to: 1 },
      { hotkey: '5A', from: 1, to: 3 },
      { hotkey: '5B', from: 3, to: 4 },
    ])
    expect(listTerms(EMPTY_STATE)).toEqual([])
  })

  it('has each duel after its latest epoch, oldest first', () => {
    const other = { id: '1/5C', contender: C }
    const state = stateOf(
      epoch(1, { duels: [duel(), duel(other)] }),
      epoch(2, { duels: [duel({ verdicts: { a: 'hold' }, end: 'verdicts' }), duel(other)] }),
      epoch(3, { duels: [duel(other), duel({ id: '3/5B', start: 3 })] }),
    )
    const duels = listDuels(state)
    expect(duels.map(({ duel, epochs }) => [duel.id, ...epochs.map((each) => each.epoch)])).toEqual(
      [
        ['1/5B', 1, 2],
        ['1/5C', 1, 2, 3],
        ['3/5B', 3],
      ],
    )
    expect(duels[0]?.duel.verdicts).toEqual({ a: 'hold' })
    expect(duels.map(({ last }) => last.epoch)).toEqual([2, 3, 3])
    expect([A, B, C].map(({ hotkey }) => findDuels(state, hotkey).length)).toEqual([3, 2, 1])
  })

  it('has the latest analysis of each environment of a duel', () => {
    const analysisOf = (env: string, wins: number) => ({ env, wins }) as never
    const state = stateOf(
      epoch(1, { duels: [duel({ analyses: [analysisOf('a', 1), analysisOf('b', 2)] })] }),
      epoch(2, { duels: [duel({ analyses: [analysisOf('b', 3)] })] }),
    )
    expect(listDuels(state).flatMap(latestAnalyses)).toEqual([
      { epoch: 1, env: 'a', wins: 1 },
      { epoch: 2, env: 'b', wins: 3 },
    ])
  })

  it('distinguishes a duel that continues from a duel that began again', () => {
    const textWith = (nextDuels: EpochAccount['nextDuels']) => {
      const state = stateOf(epoch(1, { duels: [duel()], nextDuels }))
      return listDuels(state).map((each) => describeResult(state, each))
    }
    expect(textWith([duel()])).toEqual([expect.stringMatching(/^5B contends: it won /)])
    expect(textWith([duel({ start: 2 })])).toEqual([
      '5B: this duel began again under other constants.',
    ])
  })

  it('adds epochs, and replaces only findings that are given', () => {
    const read = addFindings(stateOf(epoch(1)), { epochs: [epoch(2)], queue: [] })
    const followed = addFindings(read, { failure: 'no chain' })
    expect(followed.epochs.map((each) => each.epoch)).toEqual([1, 2])
    expect(followed).toMatchObject({ queue: [], failure: 'no chain' })
  })
})
