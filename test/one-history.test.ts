import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type EpochAccount, EpochAccounts } from '../apps/explorer/src/worker/epoch-account.ts'
import { History } from '../apps/validator/src/commands/export/history.ts'
import { epochOf } from '../apps/verifier/src/output-records.ts'
import type { Sample } from '../packages/blocks/src/index.ts'
import type { Counts } from '../packages/duel/src/index.ts'
import { MULT8, miner, type Scene, TICTACTOE } from '../packages/duel/test/subnet.ts'
import {
  epochRows,
  MinerReport,
  PastChallenges,
  sampleRow,
  toJson,
} from '../packages/report/src/index.ts'
import { historyOf, type TestEpoch } from '../packages/report/test/history.ts'

/*
 * One history, told by everybody that tells one: what they have in common must be the same number.
 */

const validators = ['v1', 'v2', 'v3', 'v4', 'v5']
type Rates = readonly [wins: number, losses: number]

/** An epoch in which v5 has results of its own in tic-tac-toe. */
const scene = (mult8: Rates, liar: Rates = [0, 0], more: Scene = {}): Scene => ({
  validators,
  rates: (validator, env) => {
    if (env === MULT8) return mult8
    return validator === 'v5' ? liar : [0, 0]
  },
  ...more,
})
const CLOSE: Rates = [18 / 32, 12 / 32]
const SCENES: readonly Scene[] = [
  scene(CLOSE),
  scene(CLOSE, [1, 0]), // a win, and v5 is set aside
  scene(CLOSE), // the others are even, so the win is taken back
  scene(CLOSE, [0, 0], { silent: ['v1', 'v2', 'v3'] }), // frozen
  scene([0.9, 0.05]), // dethroned
  scene([0, 0], [0, 0], { miners: [] }), // empty
  scene([0, 0], [0, 0], { miners: [miner('m3', 3)] }), // taken without a duel
]
const FORFEITED = { 'no-reply': 3, unreadable: 2, illegal: 1 }

interface Tallied {
  readonly wins: string
  readonly trials: string
}

/** What is read of a report in JSON. */
interface ReportRecord {
  readonly frozen: boolean
  readonly outcome?: string
  readonly lanes: Readonly<Record<string, { accepted: boolean; setAside: readonly string[] }>>
  readonly envs: Readonly<
    Record<
      string,
      {
        readonly win: Tallied
        readonly hold: Tallied
        readonly decisivePpm?: number
        readonly given?: string
        readonly setAside: readonly string[]
        readonly tallies: Readonly<Record<string, Counts>>
      }
    >
  >
}

/** What is read of an epoch that af-verify tells. */
interface Verified {
  readonly epoch: number
  readonly root: string
  readonly champion: string | null
  readonly crowned?: string
  readonly report: ReportRecord
}

/** What is read of a record of af explain. */
interface Explained {
  readonly type: string
  readonly epoch: number
  readonly report: ReportRecord
  readonly by: string
  readonly ending: string
  readonly sample: Pick<Sample, 'env' | 'index'>
  readonly block: string
}

interface Told {
  readonly explained: ReadonlyMap<string, readonly Explained[]>
  readonly verified: readonly Verified[]
  readonly tables: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
  readonly page: readonly EpochAccount[]
  readonly past: PastChallenges
}

const epochs = historyOf(SCENES, FORFEITED)
let told: Told

beforeAll(async () => {
  told = {
    explained: new Map(['m1', 'm2'].map((hotkey) => [hotkey, explain(hotkey)])),
    verified: epochs.map(({ settled }) => JSON.parse(toJson(epochOf(settled)))),
    tables: await exported(),
    page: accounts(),
    past: pastOf(),
  }
})

/** Gives each sample and the end of each epoch to a reader. */
function readAll(reader: {
  readonly add: (...sample: TestEpoch['samples'][number]) => void
  readonly finish: (settled: TestEpoch['settled']) => void
}): void {
  for (const { settled, samples } of epochs) {
    for (const sample of samples) reader.add(...sample)
    reader.finish(settled)
  }
}

function explain(hotkey: string): readonly Explained[] {
  const records: Explained[] = []
  const line = (_: string, record: object) => void records.push(JSON.parse(toJson(record)))
  const report = new MinerReport(hotkey, { line, all: true, af: 'af' })
  readAll({
    add: (...sample) => report.stats.add(...sample),
    finish: (settled) => report.add(settled),
  })
  return records
}

function accounts(): readonly EpochAccount[] {
  const page = new EpochAccounts()
  const found: EpochAccount[] = []
  readAll({
    add: (sample, place) => page.add(sample, { ...place, line: sample.index }),
    finish: (settled) => found.push(page.finish(settled)),
  })
  return found
}

function pastOf(): PastChallenges {
  const past = new PastChallenges(1e6)
  readAll({ add: (...sample) => past.add(...sample), finish: (settled) => past.finish(settled) })
  return past
}

async function exported(): Promise<Told['tables']> {
  const folder = await mkdtemp(join(tmpdir(), 'one-history-'))
  const history = new History(folder)
  for (const { settled, samples } of epochs) {
    for (const [sample, place] of samples)
      history.add(sampleRow({ ...place, epoch: settled.epoch, sample }))
    for (const row of epochRows(settled)) history.add(row)
  }
  history.finish()
  const tables = Object.entries(history.rows).map(async ([name]) => {
    const text = await readFile(join(folder, `${name}.csv`), 'utf8')
    const [head = '', ...lines] = text.trimEnd().split('\r\n')
    const columns = head.split(',')
    const rows = lines.map((row) => {
      const cells = row.split(',')
      return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
    })
    return [name, rows] as const
  })
  const all = Object.fromEntries(await Promise.all(tables))
  await rm(folder, { recursive: true })
  return all
}

const rowsOf = (table: string, epoch: number) =>
  told.tables[table]?.filter((row) => row.epoch === String(epoch)) ?? []
const duelRecords = (hotkey: string) =>
  told.explained.get(hotkey)?.filter(({ type }) => type === 'duel') ?? []
const textOf = (value: unknown): string => String(value ?? '')

it('is a history with all that was told apart before', () => {
  const reports = epochs.map(({ settled }) => settled.report)
  expect(reports.map(({ frozen }) => frozen)).toEqual([
    ...Array(4).fill(false),
    true,
    false,
    false,
    false,
  ])
  expect(reports.map(({ verdicts }) => verdicts[MULT8] ?? '')).toEqual([
    '',
    '',
    'win',
    '',
    '',
    'win',
    '',
    '',
  ])
  expect(reports.map(({ lanes }) => lanes.v5?.setAside.length ?? 0).slice(0, 3)).toEqual([0, 0, 1])
  const throne = told.page.map(({ throne }) => throne)
  expect(throne.slice(0, 1)).toEqual([['crowned']])
  expect(throne.slice(5)).toEqual([['dethroned'], ['emptied'], ['crowned']])
})

describe('an epoch', () => {
  const each = epochs.map(({ settled }) => settled.epoch)

  it.each(each)('%i is the same for the page, af-verify and the export', (epoch) => {
    const [account, verified] = [told.page[epoch]!, told.verified[epoch]!]
    const [row] = rowsOf('epochs', epoch)
    const crowned = account.throne.includes('crowned') ? account.heir?.hotkey : undefined
    const shared = {
      root: account.root,
      frozen: account.frozen,
      champion: textOf(account.champion?.hotkey),
      outcome: textOf(account.duel?.end?.winner),
      crowned: textOf(crowned),
    }
    const { report } = verified
    expect(shared).toEqual({
      root: verified.root,
      frozen: report.frozen,
      champion: textOf(verified.champion),
      outcome: textOf(report.outcome),
      crowned: textOf(verified.crowned),
    })
    expect({ ...shared, frozen: String(shared.frozen) }).toEqual({
      root: row?.next_root,
      frozen: row?.frozen,
      champion: row?.champion,
      outcome: row?.outcome,
      crowned: row?.crowned,
    })
    expect([row?.ratio_ppm, row?.next_ratio_ppm]).toEqual([
      String(account.ratio),
      String(account.nextRatio),
    ])
  })

  it.each(each)('%i has the same looks and lanes for all of them', (epoch) => {
    const { envs, lanes } = told.page[epoch]!
    const { report } = told.verified[epoch]!
    const looks = envs.map(({ env, win, hold, decisivePpm, given }) => {
      const counts = [win.wins, win.trials, hold.wins, hold.trials].map(String)
      return [env, ...counts, textOf(decisivePpm), textOf(given)]
    })
    const reported = Object.entries(report.envs).map(([env, { win, hold, ...seen }]) => {
      const counts = [win.wins, win.trials, hold.wins, hold.trials]
      return [env, ...counts, textOf(seen.decisivePpm), textOf(seen.given)]
    })
    expect(reported).toEqual(looks)
    const inMillionths = (cell = ''): string => String(Math.round(Number(cell) * 1e6))
    const rows = rowsOf('environments', epoch).map((row) => {
      const counts = [row.win_won, row.win_trials, row.hold_won, row.hold_trials]
      return [row.env, ...counts.map(inMillionths), row.decisive_ppm, row.verdict]
    })
    expect(rows).toEqual(looks)
    const kept = lanes.map(({ validator, accepted, setAside }) => [validator, accepted, setAside])
    const said = Object.entries(report.lanes)
    expect(said.map(([name, lane]) => [name, lane.accepted, lane.setAside])).toEqual(kept)
    const laneRows = rowsOf('lanes', epoch).map((row) => [
      row.validator,
      row.env,
      row.accepted,
      row.set_aside,
    ])
    const wanted = lanes.flatMap(({ validator, accepted, setAside }) =>
      envs.map(({ env }) => [validator, env, String(accepted), String(setAside.includes(env))]),
    )
    expect(laneRows).toEqual(wanted)
  })

  it.each(each)('%i leaves the same trust', (epoch) => {
    const { trust, lanes } = told.page[epoch]!
    const rows = rowsOf('trust', epoch).map((row) => [row.validator, Number(row.trust_ppm)])
    expect(Object.fromEntries(rows)).toEqual(trust)
    for (const lane of lanes) expect(lane.trust).toBe(trust[lane.validator])
  })

  it('is what af explain says of it', () => {
    const records = told.explained.get('m2')?.filter(({ type }) => type === 'epoch') ?? []
    expect(records.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5])
    for (const { epoch, report } of records) expect(report).toEqual(told.verified[epoch]!.report)
  })
})

describe.each(['m1', 'm2'])('the duel for %s', (hotkey) => {
  const side = hotkey === 'm1' ? 'champion' : 'contender'
  const LAST = 5

  it('has the same end and the same wins needed on the page and in af explain', () => {
    const [record, ...more] = duelRecords(hotkey)
    expect(more).toEqual([])
    const { duel } = told.page[LAST]!
    const { wins, counted, needed, verdicts, end, id, ratio, start } = duel!
    expect(record).toMatchObject({ wins, counted, needed, verdicts, id, ratio, start })
    expect([record?.by, record?.ending]).toEqual([end?.by, end?.winner === side ? 'won' : 'lost'])
  })

  it('has the same challenges on the page, in af explain, and for who practises', () => {
    const { losses, ...counts } = told.page[LAST]!.stats[side]
    const [record] = duelRecords(hotkey)
    expect(record).toMatchObject(counts)
    expect(counts.challenges).toBeGreaterThan(0)
    const lost = told.explained.get(hotkey)?.filter(({ type }) => type === 'lost') ?? []
    expect(lost).toHaveLength(counts.lost)
    const place = ({ env, index, block }: { env: string; index: number; block: string }) =>
      `${block} ${env} ${index}`
    const places = new Set(lost.map(({ sample, block }) => place({ ...sample, block })))
    for (const each of losses) expect(places).toContain(place(each))
    expect(told.past.of(miner(hotkey, hotkey === 'm1' ? 1 : 2))).toHaveLength(counts.challenges)
  })

  it('has as many as the tallies that decided, and as the export has of these lanes', () => {
    const { envs, challenges, won } = told.page[LAST]!.stats[side]
    let [sum, wins] = [0, 0]
    for (const env of [MULT8, TICTACTOE]) {
      const looks = told.verified.slice(1, LAST + 1).filter(({ report }) => report.envs[env])
      const { tallies, setAside } = looks.at(-1)!.report.envs[env]!
      const counted = Object.entries(tallies).filter(([name]) => !setAside.includes(name))
      const played = counted.reduce((so, [, tally]) => so + tally.played, 0)
      const kind = side === 'contender' ? 'wins' : 'losses'
      wins += counted.reduce((so, [, tally]) => so + tally[kind], 0)
      sum += played
      expect(envs[env]?.challenges).toBe(played)
      const rows = told.tables.lanes?.filter((row) => {
        const isFrozen = rowsOf('epochs', Number(row.epoch))[0]?.frozen === 'true'
        return row.env === env && row.accepted === 'true' && !isFrozen && Number(row.epoch) <= LAST
      })
      const last = Math.max(...looks.map(({ epoch }) => epoch))
      const aside = told.tables.lanes?.filter(
        (row) => Number(row.epoch) === last && row.env === env && row.set_aside === 'true',
      )
      expect(aside?.map(({ validator }) => validator)).toEqual(setAside)
      const own = rows?.filter(({ validator = '' }) => !setAside.includes(validator)) ?? []
      expect(own.reduce((so, row) => so + Number(row.played), 0)).toBe(played)
    }
    expect([challenges, won]).toEqual([sum, wins])
  })
})

it('a seat that was empty is taken for everybody', () => {
  expect(told.explained.get('m1')?.[0]).toMatchObject({ type: 'crowned', epoch: 0 })
  const taken = told.verified.filter(({ crowned }) => crowned).map(({ epoch }) => epoch)
  expect(taken).toEqual([0, 7])
})
