import { describe, expect, it } from 'vitest'
import { formatDuelId } from '../apps/explorer/src/address.ts'
import { ValidatorsView } from '../apps/explorer/src/views/validators-view.tsx'
import {
  type EpochAccount,
  EpochAccounts,
  type ShownDuel,
} from '../apps/explorer/src/worker/epoch-accounts.ts'
import { renderText } from '../apps/explorer/test/rendered.ts'
import type { ChallengePair } from '../packages/blocks/src/index.ts'
import { LocalChain } from '../packages/chain/src/index.ts'
import { computeTrust, type EnvReport, stateRoot } from '../packages/duel/src/index.ts'
import { MULT8, miner, type Scene } from '../packages/duel/test/subnet.ts'
import {
  addToVerification,
  type DuelFacts,
  describeEpoch,
  type EnvFacts,
  exportEpoch,
  formatEpoch,
  formatStatus,
  MinerReport,
  PastChallenges,
  readStatus,
  type Verification,
} from '../packages/report/src/index.ts'
import { historyOf, type TestEpoch } from '../packages/report/test/history.ts'
import { LOCAL_NETWORK } from '../packages/settlement/src/index.ts'
import { changedSnapshots } from '../packages/settlement/test/changed-snapshots.ts'
import { mapped } from './protocol-story.ts'

/*
 * Compares the reports of all programs on one history. Numbers in several reports must be equal.
 */

const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
type Rates = readonly [wins: number, losses: number]
/** Rates in honest lanes by contender, in the two environments. Default: nothing is decisive. */
type HonestRates = Readonly<Record<string, readonly [mult8: Rates, tictactoe: Rates]>>

/** Returns an epoch in which v5 reports the rates of `liar` in tic-tac-toe. */
const scene = (
  honest: HonestRates,
  liar: Readonly<Record<string, Rates>> = {},
  more: Scene = {},
): Scene => ({
  validators,
  rates: (validator, env, contender) => {
    const [mult8, tictactoe] = honest[contender] ?? [TIED, TIED]
    if (env === MULT8) return mult8
    return (validator === 'v5' && liar[contender]) || tictactoe
  },
  miners: THREE,
  ...more,
})
const THREE = [miner('m1', 1), miner('m2', 2), miner('m3', 3)]
const FOUR = [...THREE, miner('m4', 4)]
const TIED: Rates = [0, 0]
const FIRST: Rates = [22 / 32, 10 / 32]
const CLOSE: Rates = [15 / 32, 15 / 32]
const BETTER: Rates = [0.9, 0.05]
const OPEN: Rates = [0.3, 0.1]
const WORSE: Rates = [0.05, 0.9]
const LATER: HonestRates = { m2: [BETTER, TIED], m3: [BETTER, OPEN] }
const AHEAD: HonestRates = { m2: [BETTER, TIED], m3: [BETTER, [1, 0]] }
const WON: HonestRates = { m2: [BETTER, TIED], m3: [BETTER, BETTER] }
const two = { miners: [miner('m1', 1), miner('m2', 2)] }
/** Scenes of the epochs from 2 on. In the two epochs before, m1 becomes champion. */
const SCENES: readonly Scene[] = [
  scene({ m2: [FIRST, TIED] }, {}, two), // m2 wins mult8
  scene({ m2: [CLOSE, TIED] }, { m2: [1, 0] }, two), // tictactoe, without v5, is undecided; mult8 is won no more
  scene({ m2: [CLOSE, TIED] }), // m3 begins
  scene({ m2: [CLOSE, TIED] }, {}, { silent: ['v1', 'v2', 'v3'] }), // frozen
  scene(LATER, { m3: [0, 1] }, { unattested: ['v3'], broken: ['v4'] }), // v3's lane is not attested, v4's is void
  scene(LATER, { m3: [0, 1] }, { silent: ['v1', 'v2'] }), // frozen
  scene(AHEAD, { m3: [0, 1] }, { unsealed: ['v3'] }), // m3 wins one environment
  scene(AHEAD, { m3: [0, 1] }), // m2 and m3 win
  scene(WON),
  scene(WON),
  scene(WON, {}, { miners: FOUR }), // m3 is better and is crowned; m4 begins
  scene({ m4: [WORSE, WORSE] }, {}, { miners: FOUR }), // m4 loses
  scene({}, {}, { miners: FOUR }), // an empty queue
]
/** The epochs and hotkeys of all duels. */
const DUELS = [
  { first: 2, last: 12, champion: 'm1', contender: 'm2' },
  { first: 5, last: 12, champion: 'm1', contender: 'm3' },
  { first: 13, last: 13, champion: 'm3', contender: 'm4' },
] as const
const FORFEITED = { 'no-reply': 3, unreadable: 2, illegal: 1 }

/** The fields read from a log entry of af explain. */
interface ExplainEntry extends Pick<DuelFacts, 'contender' | 'start'> {
  readonly type: string
  readonly epoch: number
  readonly duel: DuelFacts
  readonly by: string
  readonly ending: string
  readonly pair: Pick<ChallengePair, 'env' | 'index' | 'contender'>
  readonly block: string
}

const epochs = historyOf(SCENES, FORFEITED)
/** The epochs as the commands of af read them: without the lanes that cannot count. */
const SPARSE = epochs.map(({ sparse }) => sparse)

interface Reader {
  readonly add: (...sample: TestEpoch['samples'][number]) => void
  readonly finish: (settled: TestEpoch['settled']) => void
}

/** Passes each sample and the end of each epoch to a reader. */
function readAll(read: readonly Omit<TestEpoch, 'sparse'>[], { add, finish }: Reader): void {
  for (const { settled, samples } of read) {
    for (const sample of samples) add(...sample)
    finish(settled)
  }
}

const neurons = validators.map((hotkey, uid) => {
  return { uid, hotkey, stake: 1000n, permit: true, registered: 0, lastUpdate: 0 }
})
const empty = LocalChain.create({ netuid: 1, random: () => new Uint8Array(32) })
const subnet = { chain: changedSnapshots(empty, () => ({ neurons })), network: LOCAL_NETWORK }
const statuses = await Promise.all(
  SPARSE.map(({ settled }) => readStatus(subnet, settled.state, settled)),
)

/** The log of af explain by hotkey. */
const explained = new Map(['m1', 'm2', 'm3', 'm4'].map((hotkey) => [hotkey, explain(hotkey)]))

function explain(hotkey: string): readonly ExplainEntry[] {
  const records: ExplainEntry[] = []
  const line = (_: unknown, record: object) => void records.push(record as ExplainEntry)
  const report = new MinerReport({ hotkey, line, verbose: true, nameOf: String })
  readAll(SPARSE, {
    add: (...sample) => report.stats.add(...sample),
    finish: (settled) => report.add(settled),
  })
  return records
}

/** The page after each epoch. It reads the samples of all lanes. */
const pages: EpochAccount[] = []
const accounts = new EpochAccounts()
readAll(epochs, {
  add: (sample, place) => accounts.stats.add(sample, place),
  finish: (settled) => pages.push(accounts.finish(settled)),
})

const past = new PastChallenges(1e6)
readAll(SPARSE, {
  add: (...sample) => past.add(...sample),
  finish: (settled) => past.finish(settled),
})

/** Returns a contender's duel on the page after an epoch. */
function shownIn(epoch: number, contender: string): ShownDuel {
  const duel = pages[epoch]?.duels.find((each) => each.contender.hotkey === contender)
  if (duel === undefined) throw new Error(`no duel: ${contender}, ${epoch}`)
  return duel
}

const shortEnv = (env: string) => env.replace(/@.*/, '')

it('has a history with all kinds of outcomes', async () => {
  const seen = epochs.map(({ settled: { report, lanes }, sparse }, epoch) => {
    const { duels, seated } = pages[epoch]!
    const unread = lanes.size - sparse.settled.lanes.size
    const duelling = report.duels.map(({ contender, envs, verdicts }, i) => {
      const names = Object.keys(envs).map(shortEnv).join(' ')
      const isAside = Object.values(envs).some(({ setAside }) => setAside.includes('v5'))
      const ends = [...Object.values(verdicts), isAside ? 'v5 aside' : '', duels[i]?.end ?? '']
      return `${contender.hotkey} at [${names}] ${ends.filter(Boolean).join(' ')}`.trimEnd()
    })
    const notes = [unread > 0 && `${unread} unread`, report.frozen && 'frozen', seated && 'seated']
    return [...duelling, ...notes].filter(Boolean).join(', ')
  })
  await expect(`${seen.join('\n')}\n`).toMatchFileSnapshot('snapshots/history.txt')
})

/** The numbers of all epochs. */
const each = epochs.map(({ settled }) => settled.epoch)

describe('an epoch', () => {
  it.each(each)('%i is reported by the page and by af-verify as it was decided', (epoch) => {
    const { settled } = epochs[epoch]!
    const { before, state, report } = settled
    const trust = mapped(state.trust, (record) => computeTrust(record))
    const shared = { epoch, root: stateRoot(state), ratio: before.ratio, trust }
    const seated = epoch === 0 ? 'm1' : undefined
    const champion = before.champion?.hotkey ?? null
    const contenders = before.duels.map(({ contender }) => contender.hotkey)
    const duels = report.duels.map(({ tallies: _, ...duel }) => duel)
    const exported = { ...report, duels }
    const record = { type: 'epoch', ...shared, champion, contenders, seated, report: exported }
    expect(exportEpoch(settled)).toMatchObject(record)
    const page = pages[epoch]!
    expect(page).toMatchObject({ ...shared, champion: before.champion, frozen: report.frozen })
    expect(page.seated?.hotkey).toBe(seated)
    expect(page.duels).toMatchObject(
      report.duels.map(({ contender, standing }) => ({ contender, standing })),
    )
    for (const lane of page.lanes) expect(lane.trust).toBe(shared.trust[lane.validator])
  })

  it.each(each)('%i has the interim analyses and lanes of its decision on the page', (epoch) => {
    const { duels, lanes } = pages[epoch]!
    const { report } = epochs[epoch]!.settled
    const countsOf = ({ win, hold }: Pick<EnvReport, 'win' | 'hold'> | EnvFacts) =>
      [win.wins, win.trials, hold.wins, hold.trials].map(String)
    const shown = duels.map(({ analyses }) =>
      analyses.map((each) => [each.env, countsOf(each), each.decisivePpm, each.given]),
    )
    const reported = report.duels.map(({ envs }) =>
      Object.entries(envs).map(([env, envReport]) => {
        const { trials, played } = envReport.median ?? { trials: 0, played: 0 }
        const decisivePpm = envReport.median && Math.floor((1e6 * trials) / played)
        return [env, countsOf(envReport), decisivePpm, envReport.given]
      }),
    )
    expect(reported).toEqual(shown)
    const acceptance = lanes.map(({ validator, accepted }) => [validator, accepted])
    expect(Object.entries(report.lanes).map(([name, lane]) => [name, lane.accepted])).toEqual(
      acceptance,
    )
    for (const { validator, setAside } of lanes) {
      const aside = report.duels.flatMap(({ contender, envs }) =>
        Object.entries(envs)
          .filter(([, envReport]) => envReport.setAside.includes(validator))
          .map(([env]) => `${env} ${contender.hotkey}`),
      )
      const listed = setAside.flatMap(({ env, contenders }) =>
        contenders.map((contender) => `${env} ${contender}`),
      )
      expect(listed.sort()).toEqual(aside.sort())
    }
  })
})

it('af explain reports the first champion, and each epoch of a duel in order, like the page', () => {
  expect(explained.get('m1')?.[0]).toMatchObject({ type: 'seated', epoch: 0 })
  const own = (explained.get('m2') ?? []).filter(({ type }) => type === 'epoch')
  expect(own.map(({ epoch }) => epoch)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  for (const { epoch, duel } of own) {
    const { id: _, stats: __, ...shown } = shownIn(epoch, 'm2')
    expect(duel).toEqual(shown)
  }
})

const SIDES = ['champion', 'contender'] as const

describe.each(DUELS)('the duel of $champion and $contender', ({ first, last, ...sides }) => {
  it.each(SIDES)(
    'has the same end and challenges on the page and in af explain, and as many past challenges: %s',
    (side) => {
      const { id, end, stats } = shownIn(last, sides.contender)
      const entries = explained.get(sides[side]) ?? []
      const [record, ...more] = entries.filter(
        (each) => each.type === 'duel' && formatDuelId(each) === id,
      )
      expect(more).toEqual([])
      const isWon = (end === 'crowned') === (side === 'contender')
      expect([record?.by, record?.ending]).toEqual([end, isWon ? 'won' : 'lost'])
      const counts = stats[side]
      expect(record).toMatchObject(counts)
      expect(counts.challenges).toBeGreaterThan(0)
      const lost = entries
        .filter(({ type, epoch }) => type === 'lost' && epoch >= first && epoch <= last)
        .filter(({ pair }) => pair.contender.miner === sides.contender)
      expect(lost).toHaveLength(counts.lost)
      const places = lost.map(({ pair, block }) => `${block} ${pair.env} ${pair.index}`)
      for (const { block, env, index } of accounts.findDetails(id)[side])
        expect(places).toContain(`${block} ${env} ${index}`)
      const all = DUELS.flatMap((each) => {
        const seat = SIDES.find((name) => each[name] === sides[side])
        return seat ? [shownIn(each.last, each.contender).stats[seat].challenges] : []
      })
      const { length } = past.of(FOUR.find(({ hotkey }) => hotkey === sides[side])!)
      // The champion has one reward per challenge, regardless of the number of contenders.
      const sum = all.reduce((sum, each) => sum + each)
      if (sides[side] !== 'm1') expect(length).toBe(sum)
      expect(length).toBeGreaterThanOrEqual(Math.max(...all))
      expect(length).toBeLessThanOrEqual(sum)
    },
  )
})

describe('the reports', () => {
  it.each(each)('of af explain and af status describe epoch %i as af-verify does', (epoch) => {
    const { settled, sparse } = epochs[epoch]!
    const text = formatEpoch(describeEpoch(settled))
    expect(formatEpoch(describeEpoch(sparse.settled))).toBe(text)
    expect(sparse.settled.report).toEqual(settled.report)
    const status = statuses[epoch]!
    // The status reports lanes only in its table of validators.
    const withoutLanes = text.split('\n').filter((line) => !line.startsWith('  lanes: '))
    const contenders = Math.max(1, status.state.duels.length)
    const lines = formatStatus(status).join('\n').split('\n')
    expect(lines.slice(3 + contenders)).toEqual(withoutLanes)
  })

  it('of af-verify and the page count the same set-aside lanes by validator', () => {
    const end = epochs.reduce<Verification | undefined>(
      (before, { settled }) => addToVerification(before, settled, 'HOLDS'),
      undefined,
    )
    const shown = renderText(ValidatorsView, pages, {})
    const row = /(v\d)\n–\n\d+ of (\d+)\n(\d+) of \2\nnone\n/g
    const outliers = [...shown.matchAll(row)].map(([, hotkey, , count]) => [hotkey, Number(count)])
    // Validators with set-aside lanes come first. One lane of v4 lacks results that others have.
    expect(outliers.map(([hotkey]) => hotkey)).toEqual(['v5', 'v4', 'v1', 'v2', 'v3'])
    expect({ v1: 0, v2: 0, v3: 0, ...end?.suspect }).toEqual(Object.fromEntries(outliers))
    expect(end?.suspect).toEqual({ v4: 1, v5: expect.any(Number) })
    expect(end?.ratio).toBe(pages.at(-1)?.nextRatio)
  })
})
