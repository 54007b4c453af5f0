import { beforeAll, describe, expect, it } from 'vitest'
import { countLanes } from '../apps/explorer/src/app-state.ts'
import { DuelView } from '../apps/explorer/src/views/duel-view.tsx'
import { MinerView } from '../apps/explorer/src/views/miners-view.tsx'
import { ThroneView } from '../apps/explorer/src/views/throne-view.tsx'
import { ValidatorView } from '../apps/explorer/src/views/validators-view.tsx'
import { type EpochAccount, EpochAccounts } from '../apps/explorer/src/worker/reader.ts'
import { rendered } from '../apps/explorer/test/rendered.ts'
import { type EndRecord, endAfter, epochLine } from '../apps/verifier/src/lines.ts'
import type { Sample } from '../packages/blocks/src/index.ts'
import { type Chain, LocalChain } from '../packages/chain/src/index.ts'
import type { Counts } from '../packages/duel/src/index.ts'
import { MULT8, miner, type Scene, TICTACTOE } from '../packages/duel/test/subnet.ts'
import {
  epochFacts,
  epochText,
  MinerReport,
  PastChallenges,
  percent,
  statusRecord,
  statusTexts,
  subnetStatus,
  toJson,
} from '../packages/report/src/index.ts'
import { historyOf, type TestEpoch } from '../packages/report/test/history.ts'
import { LOCAL_NETWORK } from '../packages/settlement/src/index.ts'

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
/** An epoch of the duel for which m3 waits. */
const next = (honest: Rates, liar: Rates, more: Scene = {}): Scene => ({
  validators,
  miners: THREE,
  rates: (validator, env) => {
    if (env === MULT8) return [0.9, 0.05]
    return validator === 'v5' ? liar : honest
  },
  ...more,
})
const THREE = [miner('m1', 1), miner('m2', 2), miner('m3', 3)]
const CLOSE: Rates = [18 / 32, 12 / 32]
const SCENES: readonly Scene[] = [
  scene(CLOSE),
  scene(CLOSE, [1, 0]), // a win, and v5 is set aside
  scene(CLOSE), // the others are even, so the win is taken back
  scene(CLOSE, [0, 0], { silent: ['v1', 'v2', 'v3'] }), // frozen
  scene([0.9, 0.05], [0, 0], { miners: THREE }), // dethroned, and the next duel begins
  // One environment is won; v3's lane is attested by nobody, v4's is void, and v5 is set aside.
  next([0.3, 0.1], [0, 1], { unattested: ['v3'], broken: ['v4'] }),
  next([0.3, 0.1], [0, 1], { silent: ['v1', 'v2'] }), // frozen, though most attest each lane
  next([1, 0], [0, 1], { unsealed: ['v3'] }),
  next([1, 0], [0, 1]), // the other is won, and dethroned
  scene([0, 0], [0, 0], { miners: [] }), // empty
  scene([0, 0], [0, 0], { miners: [miner('m4', 4)] }), // taken without a duel
]
/** The duels: the epochs, and the hotkeys of the two. */
const DUELS = [
  { first: 1, last: 5, champion: 'm1', contender: 'm2' },
  { first: 6, last: 9, champion: 'm2', contender: 'm3' },
] as const
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
  readonly contender: string | null
  readonly ratio: number
  readonly trust: Readonly<Record<string, number>>
  readonly crowned?: string
  readonly text: string
  readonly report: ReportRecord
}

/** What is read of a record of af explain. */
interface Explained {
  readonly type: string
  readonly epoch: number
  readonly id: string
  readonly won: number
  readonly lost: number
  readonly report: ReportRecord
  readonly by: string
  readonly ending: string
  readonly sample: Pick<Sample, 'env' | 'index'>
  readonly block: string
}

interface Told {
  readonly status: readonly Status[]
  readonly explained: ReadonlyMap<string, readonly Explained[]>
  readonly verified: readonly Verified[]
  readonly page: readonly EpochAccount[]
  readonly past: PastChallenges
}

/** What af status has of a subnet after an epoch. */
interface Status {
  readonly text: string
  readonly record: {
    readonly ratio: number
    readonly last: { readonly report: ReportRecord }
    readonly rows: readonly Readonly<Record<string, string>>[]
  }
}

const epochs = historyOf(SCENES, FORFEITED)
let told: Told

beforeAll(async () => {
  told = {
    explained: new Map(['m1', 'm2', 'm3'].map((hotkey) => [hotkey, explain(hotkey)])),
    status: await statuses(),
    verified: epochs.map(({ settled }) => {
      const [text, record] = epochLine(settled)
      return { ...JSON.parse(toJson(record)), text }
    }),
    page: accounts(),
    past: pastOf(),
  }
})

interface Reader {
  readonly add: (...sample: TestEpoch['samples'][number]) => void
  readonly finish: (settled: TestEpoch['settled']) => void
}

/** Gives each sample and the end of each epoch to a reader: of every lane, as the page is. */
function readAll(reader: Reader, read: readonly Omit<TestEpoch, 'sparse'>[] = epochs): void {
  for (const { settled, samples } of read) {
    for (const sample of samples) reader.add(...sample)
    reader.finish(settled)
  }
}

/** The commands of af read no lane that cannot count. */
const SPARSE = epochs.map(({ sparse }) => sparse)

async function statuses(): Promise<readonly Status[]> {
  const real = LocalChain.create({ netuid: 1, random: () => new Uint8Array(32) })
  const neurons = validators.map((hotkey, uid) => {
    return { uid, hotkey, stake: 1000n, permit: true, registered: 0, lastUpdate: 0 }
  })
  const chain = {
    head: () => real.head(),
    time: (block: number) => real.time(block),
    weights: (block: number) => real.weights(block),
    snapshot: async (block: number) => ({ ...(await real.snapshot(block)), neurons }),
  } as unknown as Chain
  const told = SPARSE.map(async ({ settled }) => {
    const status = await subnetStatus({ chain, network: LOCAL_NETWORK }, settled.state, settled)
    return {
      text: statusTexts(status).join('\n'),
      record: JSON.parse(toJson(statusRecord(status))),
    }
  })
  return Promise.all(told)
}

function explain(hotkey: string): readonly Explained[] {
  const records: Explained[] = []
  const line = (_: string, record: object) => void records.push(JSON.parse(toJson(record)))
  const report = new MinerReport(hotkey, { line, all: true })
  readAll(
    {
      add: (...sample) => report.stats.add(...sample),
      finish: (settled) => report.add(settled),
    },
    SPARSE,
  )
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
  readAll(
    { add: (...sample) => past.add(...sample), finish: (settled) => past.finish(settled) },
    SPARSE,
  )
  return past
}

const duelRecords = (hotkey: string, id: string) =>
  told.explained.get(hotkey)?.filter((each) => each.type === 'duel' && each.id === id) ?? []
const textOf = (value: unknown): string => String(value ?? '')

it('is a history with all that was told apart before', () => {
  const seen = epochs.map(({ settled: { report, lanes }, sparse }, epoch) => [
    report.frozen ? 'frozen' : '',
    Object.keys(report.envs).map((env) => env.replace(/@.*/, '')),
    Object.values(report.verdicts).join(),
    report.lanes.v5?.setAside.length ?? 0,
    lanes.size - sparse.settled.lanes.size,
    told.page[epoch]!.throne.join(),
  ])
  const both = ['mult8', 'tictactoe']
  expect(seen).toEqual([
    ['', [], '', 0, 0, 'crowned'],
    ['', both, '', 0, 0, ''],
    ['', both, 'win', 1, 0, ''],
    ['', ['tictactoe'], 'even', 1, 0, ''],
    ['frozen', ['mult8'], 'even', 0, 5, ''],
    ['', ['mult8'], 'win,even', 0, 0, 'dethroned'],
    ['', both, 'win', 1, 2, ''],
    ['frozen', ['tictactoe'], 'win', 1, 5, ''],
    ['', ['tictactoe'], 'win', 1, 0, ''],
    ['', ['tictactoe'], 'win,win', 1, 0, 'dethroned'],
    ['', [], '', 0, 0, 'emptied'],
    ['', [], '', 0, 0, 'crowned'],
  ])
})

describe('an epoch', () => {
  const each = epochs.map(({ settled }) => settled.epoch)

  it.each(each)('%i is the same for the page and af-verify', (epoch) => {
    const [account, verified] = [told.page[epoch]!, told.verified[epoch]!]
    const shared = {
      root: account.root,
      frozen: account.frozen,
      champion: textOf(account.champion?.hotkey),
      outcome: textOf(account.duel?.end?.winner),
      crowned: textOf(account.crowned?.hotkey),
    }
    const { report } = verified
    expect(shared).toEqual({
      root: verified.root,
      frozen: report.frozen,
      champion: textOf(verified.champion),
      outcome: textOf(report.outcome),
      crowned: textOf(verified.crowned),
    })
    expect(verified.contender).toBe(account.duel?.contender.hotkey ?? null)
    expect(verified.ratio).toBe(account.ratio)
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
    const kept = lanes.map(({ validator, accepted, setAside }) => [validator, accepted, setAside])
    const said = Object.entries(report.lanes)
    expect(said.map(([name, lane]) => [name, lane.accepted, lane.setAside])).toEqual(kept)
  })

  it.each(each)('%i leaves the same trust', (epoch) => {
    const { trust, lanes } = told.page[epoch]!
    expect(told.verified[epoch]!.trust).toEqual(trust)
    for (const lane of lanes) expect(lane.trust).toBe(trust[lane.validator])
  })

  it('is what af explain says of it', () => {
    const records = told.explained.get('m2')?.filter(({ type }) => type === 'epoch') ?? []
    expect(records.map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const { epoch, report } of records) expect(report).toEqual(told.verified[epoch]!.report)
  })
})

describe.each(DUELS)('the duel of $champion and $contender', ({ first, last, ...sides }) => {
  const SIDES = ['champion', 'contender'] as const
  const recordsOf = (side: (typeof SIDES)[number]) =>
    duelRecords(sides[side], told.page[last]!.duel!.id)

  it.each(SIDES)('has the same end and wins needed on the page and in af explain: %s', (side) => {
    const [record, ...more] = recordsOf(side)
    expect(more).toEqual([])
    const { duel } = told.page[last]!
    const { wins, counted, needed, verdicts, end, id, ratio, start } = duel!
    expect(record).toMatchObject({ wins, counted, needed, verdicts, id, ratio, start })
    expect([record?.by, record?.ending]).toEqual([end?.by, end?.winner === side ? 'won' : 'lost'])
  })

  it.each(SIDES)('has the same challenges on the page, in af explain, and past: %s', (side) => {
    const { losses, ...counts } = told.page[last]!.stats[side]
    const [record] = recordsOf(side)
    expect(record).toMatchObject(counts)
    expect(counts.challenges).toBeGreaterThan(0)
    const lost = (told.explained.get(sides[side]) ?? []).filter(
      ({ type, epoch }) => type === 'lost' && epoch >= first && epoch <= last,
    )
    expect(lost).toHaveLength(counts.lost)
    const place = ({ env, index, block }: { env: string; index: number; block: string }) =>
      `${block} ${env} ${index}`
    const places = new Set(lost.map(({ sample, block }) => place({ ...sample, block })))
    for (const each of losses) expect(places).toContain(place(each))
    const all = DUELS.flatMap((each) => {
      const seat = SIDES.find((name) => each[name] === sides[side])
      return seat ? [told.page[each.last]!.stats[seat].challenges] : []
    })
    const past = told.past.of(THREE.find(({ hotkey }) => hotkey === sides[side])!)
    expect(past).toHaveLength(all.reduce((sum, each) => sum + each))
  })

  it.each(SIDES)('has as many as the tallies have of these lanes: %s', (side) => {
    const { envs, challenges, won } = told.page[last]!.stats[side]
    let [sum, wins] = [0, 0]
    for (const env of [MULT8, TICTACTOE]) {
      const looks = told.verified.slice(first, last + 1).filter(({ report }) => report.envs[env])
      const { tallies, setAside } = looks.at(-1)!.report.envs[env]!
      const counted = Object.entries(tallies).filter(([name]) => !setAside.includes(name))
      const played = counted.reduce((so, [, tally]) => so + tally.played, 0)
      const kind = side === 'contender' ? 'wins' : 'losses'
      wins += counted.reduce((so, [, tally]) => so + tally[kind], 0)
      sum += played
      expect(envs[env]?.challenges).toBe(played)
    }
    expect([challenges, won]).toEqual([sum, wins])
  })

  it('has one result on its own page, on its miners’ pages, and in af explain', () => {
    const { won, lost } = recordsOf('contender')[0]!
    const { id } = told.page[last]!.duel!
    const shown = rendered(DuelView, told.page, { id })
    expect(shown).toContain(percent((1e6 * won) / (won + lost)))
    expect(shown).toContain(`${won} of the ${won + lost} challenges that only one of the two`)
    const part = rendered(DuelView, told.page.slice(first + 1), { id })
    expect(part).toContain(` of the two solved in epochs ${first + 1} to ${last};`)
    const words = `It won ${won}, lost ${lost} and tied`
    expect(rendered(MinerView, told.page, { hotkey: sides.contender })).toContain(words)
  })

  it('is drawn with the verdicts that it has, epoch by epoch, and as sure as it is drawn', () => {
    for (let epoch = first; epoch <= last; epoch++) {
      const { duel } = told.page[epoch]!
      const shown = rendered(DuelView, told.page.slice(0, epoch + 1), { id: duel!.id })
      const drawn = [...shown.matchAll(/^(\w+): .* (?:%|decisive)\. (\w+)$/gm)].map(
        ([, ...row]) => row,
      )
      const verdicts = [MULT8, TICTACTOE].map((env) => [
        env.replace(/@.*/, ''),
        duel!.verdicts[env] ?? 'open',
      ])
      expect(drawn).toEqual(verdicts)
    }
    const read = told.page.slice(0, last + 1)
    const shown = rendered(DuelView, read, { id: read[last]!.duel!.id })
    const least = [...shown.matchAll(/: ([0-9.]+) % to [0-9.]+ %\. win$/gm)].map(([, lower]) =>
      Number(lower),
    )
    expect(rendered(ThroneView, read, {})).toContain(`${Math.min(...least)} % or more`)
  })
})

describe('after an epoch', () => {
  const each = epochs.map(({ settled }) => settled.epoch)
  const shortOf = (hotkey: string) => `${hotkey}…${hotkey}`

  it.each(each)('%i af explain and af status tell it as af-verify does', (epoch) => {
    const { settled, sparse } = epochs[epoch]!
    expect(epochText(epochFacts(sparse.settled))).toBe(told.verified[epoch]!.text)
    expect(epochText(epochFacts(settled))).toBe(told.verified[epoch]!.text)
    const { text, record } = told.status[epoch]!
    expect(record.last.report).toEqual(told.verified[epoch]!.report)
    const lines = told.verified[epoch]!.text.split('\n')
    // The table of validators has them.
    const withoutLanes = lines.filter((line) => !line.startsWith('  lanes: '))
    expect(text.split('\n').slice(4)).toEqual(withoutLanes)
  })

  it.each(each)('%i every lane is the same on its validator’s page, and everywhere', (epoch) => {
    const { lanes } = told.page[epoch]!
    const rows = told.status[epoch]!.record.rows.filter(({ lane }) => lane !== undefined)
    expect(rows.map(({ hotkey }) => hotkey)).toEqual(lanes.map(({ validator }) => validator))
    for (const { hotkey = '', lane, trust } of rows) {
      const { text } = told.verified[epoch]!
      expect(text).toContain(`${shortOf(hotkey)} ${lane} (trust ${trust})`)
      const { fault } = lanes.find(({ validator }) => validator === hotkey)!
      const why = fault === undefined ? '' : `: ${fault}`
      const shown = rendered(ValidatorView, told.page, { hotkey })
      expect(shown).toContain(`epoch ${epoch}\n${lane}${why}\n${trust}\n`)
    }
  })

  it.each(each)(
    '%i the next one has the ratio, the champion and the duel that all foretell',
    (epoch) => {
      const { nextRatio, heir, nextDuel } = told.page[epoch]!
      const { text, record } = told.status[epoch]!
      const end = endAfter(undefined, epochs[epoch]!.settled)
      expect([record.ratio, end.ratio]).toEqual([nextRatio, nextRatio])
      expect(text).toContain(`ratio to beat ${percent(nextRatio)}\n`)
      expect(text).toContain(`champion  ${heir?.hotkey ?? 'nobody'};`)
      const turn = nextDuel && `epoch ${nextDuel.epochIndex} of at most ${nextDuel.duelEpochs}`
      expect(text).toContain(
        `contender ${nextDuel ? `${nextDuel.contender.hotkey}, ${turn}` : 'nobody'}`,
      )
      const shown = rendered(ThroneView, told.page.slice(0, epoch + 1), {})
      expect(shown).toContain(
        nextDuel
          ? `contends, in ${turn}, and has to beat ${percent(nextRatio)}`
          : 'No miner contends',
      )
      const then = told.page[epoch + 1]
      if (then === undefined) return
      const { champion, ratio, duel } = then
      expect([champion, ratio, duel?.id]).toEqual([heir, nextRatio, nextDuel?.id])
      expect(duel?.epochIndex).toBe(nextDuel?.epochIndex)
    },
  )

  it('the last, validators have as many lanes accepted and set aside for all', () => {
    const end = epochs.reduce<EndRecord | undefined>(
      (before, { settled }) => endAfter(before, settled),
      undefined,
    )
    const counts = countLanes({ epochs: told.page })
    // The one that was set aside comes first.
    expect(counts.map(({ hotkey }) => hotkey)).toEqual(['v5', 'v1', 'v2', 'v3', 'v4'])
    for (const { hotkey, due, accepted, sealed, aside } of counts) {
      expect(end?.disagreed[hotkey] ?? 0).toBe(aside)
      const shown = rendered(ValidatorView, told.page, { hotkey })
      expect(shown).toContain(`${accepted} of ${due}\n${sealed} were sealed in time`)
      expect(shown).toContain(`${aside} of ${due}\n`)
    }
    expect(end?.disagreed).toEqual({ v5: expect.any(Number) })
  })
})

it('a seat that was empty is taken for everybody', () => {
  expect(told.explained.get('m1')?.[0]).toMatchObject({ type: 'crowned', epoch: 0 })
  const taken = told.verified.filter(({ crowned }) => crowned).map(({ epoch }) => epoch)
  expect(taken).toEqual([0, 11])
})
