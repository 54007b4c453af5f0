import { beforeAll, describe, expect, it } from 'vitest'
import { duelId } from '../apps/explorer/src/address.ts'
import { countLanes } from '../apps/explorer/src/app-state.ts'
import { ContenderView } from '../apps/explorer/src/views/contender-view.tsx'
import { MinerView } from '../apps/explorer/src/views/miners-view.tsx'
import { RaceView } from '../apps/explorer/src/views/race-view.tsx'
import { ValidatorView } from '../apps/explorer/src/views/validators-view.tsx'
import {
  type EpochAccount,
  EpochAccounts,
  type ShownDuel,
} from '../apps/explorer/src/worker/epoch-accounts.ts'
import { rendered } from '../apps/explorer/test/rendered.ts'
import { type EndRecord, endAfter, epochLine } from '../apps/verifier/src/lines.ts'
import type { ChallengePair } from '../packages/blocks/src/index.ts'
import { type Chain, LocalChain } from '../packages/chain/src/index.ts'
import type { Counts, Miner } from '../packages/duel/src/index.ts'
import { MULT8, miner, type Scene, TICTACTOE } from '../packages/duel/test/subnet.ts'
import {
  type DuelFacts,
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
/** By contender: what honest lanes see in the two environments; nothing is decisive without. */
type Seen = Readonly<Record<string, readonly [mult8: Rates, tictactoe: Rates]>>

/** An epoch in which v5 has results of its own in tic-tac-toe, in these duels. */
const scene = (
  seen: Seen,
  liar: Readonly<Record<string, Rates>> = {},
  more: Scene = {},
): Scene => ({
  validators,
  rates: (validator, env, contender) => {
    const [mult8, tictactoe] = seen[contender] ?? [TIED, TIED]
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
const WON: Seen = { m2: [BETTER, TIED], m3: [BETTER, BETTER] }
const two = { miners: [miner('m1', 1), miner('m2', 2)] }
/** From epoch 2 on: in the two before, m1 takes the throne. */
const SCENES: readonly Scene[] = [
  scene({ m2: [FIRST, TIED] }, {}, two), // a win
  scene({ m2: [CLOSE, TIED] }, { m2: [1, 0] }, two), // v5 is set aside; even, the win is taken back
  scene({ m2: [CLOSE, TIED] }), // m3 begins
  scene({ m2: [CLOSE, TIED] }, {}, { silent: ['v1', 'v2', 'v3'] }), // frozen
  // v3's lane is attested by nobody, v4's is void.
  scene(
    { m2: [BETTER, TIED], m3: [BETTER, OPEN] },
    { m3: [0, 1] },
    {
      unattested: ['v3'],
      broken: ['v4'],
    },
  ),
  scene({ m2: [BETTER, TIED], m3: [BETTER, OPEN] }, { m3: [0, 1] }, { silent: ['v1', 'v2'] }), // frozen
  scene({ m2: [BETTER, TIED], m3: [BETTER, [1, 0]] }, { m3: [0, 1] }, { unsealed: ['v3'] }), // m3 wins one
  scene({ m2: [BETTER, TIED], m3: [BETTER, [1, 0]] }, { m3: [0, 1] }), // both win
  scene(WON),
  scene(WON),
  scene(WON, {}, { miners: FOUR }), // m3 is better, and dethrones; m4 begins
  scene(
    {
      m4: [
        [0.05, 0.9],
        [0.05, 0.9],
      ],
    },
    {},
    { miners: FOUR },
  ), // and fails
  scene({}, {}, { miners: FOUR }), // nobody waits
]
/** The duels: the epochs, and the hotkeys of the two. */
const DUELS = [
  { first: 2, last: 12, champion: 'm1', contender: 'm2' },
  { first: 5, last: 12, champion: 'm1', contender: 'm3' },
  { first: 13, last: 13, champion: 'm3', contender: 'm4' },
] as const
const FORFEITED = { 'no-reply': 3, unreadable: 2, illegal: 1 }

interface Tallied {
  readonly wins: string
  readonly trials: string
}

/** What is read of a report in JSON. */
interface ReportRecord {
  readonly frozen: boolean
  readonly crowned?: string
  readonly lanes: Readonly<Record<string, { accepted: boolean }>>
  readonly duels: readonly {
    readonly contender: Miner
    readonly start: number
    readonly standing: string
    readonly verdicts: Readonly<Record<string, string>>
    readonly envs: Readonly<Record<string, LookRecord>>
  }[]
}

interface LookRecord {
  readonly win: Tallied
  readonly hold: Tallied
  readonly median?: { readonly trials: number; readonly played: number }
  readonly given?: string
  readonly setAside: readonly string[]
  readonly tallies: Readonly<Record<string, Counts>>
}

/** What is read of an epoch that af-verify tells. */
interface Verified {
  readonly epoch: number
  readonly root: string
  readonly champion: string | null
  readonly contenders: readonly string[]
  readonly ratio: number
  readonly trust: Readonly<Record<string, number>>
  readonly seated?: string
  readonly text: string
  readonly report: ReportRecord
}

/** What is read of a record of af explain. */
interface Explained extends Pick<DuelFacts, 'contender' | 'start'> {
  readonly type: string
  readonly epoch: number
  readonly won: number
  readonly lost: number
  readonly duel: DuelFacts
  readonly by: string
  readonly ending: string
  readonly pair: Pick<ChallengePair, 'env' | 'index' | 'contender'>
  readonly block: string
}

interface Told {
  readonly status: readonly Status[]
  readonly explained: ReadonlyMap<string, readonly Explained[]>
  readonly verified: readonly Verified[]
  readonly page: readonly EpochAccount[]
  readonly losses: EpochAccounts['lossesOf']
  readonly past: PastChallenges
}

/** What af status has of a subnet after an epoch. */
interface Status {
  readonly text: string
  readonly record: {
    readonly ratio: number
    readonly last: { readonly report: ReportRecord }
    readonly duels: readonly DuelFacts[]
    readonly rows: readonly Readonly<Record<string, string>>[]
  }
}

const epochs = historyOf(SCENES, FORFEITED)
let told: Told

beforeAll(async () => {
  told = {
    explained: new Map(['m1', 'm2', 'm3', 'm4'].map((hotkey) => [hotkey, explain(hotkey)])),
    status: await statuses(),
    verified: epochs.map(({ settled }) => {
      const [text, record] = epochLine(settled)
      return { ...JSON.parse(toJson(record)), text }
    }),
    ...accounts(),
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

function accounts(): Pick<Told, 'page' | 'losses'> {
  const accounts = new EpochAccounts()
  const page: EpochAccount[] = []
  readAll({
    add: (sample, place) => accounts.add(sample, { ...place, line: sample.index }),
    finish: (settled) => page.push(accounts.finish(settled)),
  })
  return { page, losses: (duel) => accounts.lossesOf(duel) }
}

function pastOf(): PastChallenges {
  const past = new PastChallenges(1e6)
  readAll(
    { add: (...sample) => past.add(...sample), finish: (settled) => past.finish(settled) },
    SPARSE,
  )
  return past
}

/** The duel of a contender, as the page has it after an epoch. */
function shownIn(epoch: number, contender: string): ShownDuel {
  const duel = told.page[epoch]?.duels.find((each) => each.contender.hotkey === contender)
  if (duel === undefined) throw new Error(`no duel of ${contender} in epoch ${epoch}`)
  return duel
}

const duelRecords = (hotkey: string, id: string) =>
  told.explained.get(hotkey)?.filter((each) => each.type === 'duel' && duelId(each) === id) ?? []
const textOf = (value: unknown): string => String(value ?? '')
const jsonOf = (value: object): unknown => JSON.parse(toJson(value))

it('is a history with all that was told apart before', () => {
  const short = (env: string) => env.replace(/@.*/, '')
  const seen = epochs.map(({ settled: { report, lanes }, sparse }, epoch) => [
    report.frozen ? 'frozen' : '',
    report.duels.map(({ contender, envs, verdicts }) => {
      const aside = Object.values(envs).some(({ setAside }) => setAside.includes('v5'))
      const looks = Object.keys(envs).map(short)
      return [contender.hotkey, looks, Object.values(verdicts).join(), aside]
    }),
    lanes.size - sparse.settled.lanes.size,
    told.page[epoch]!.seated ? 'seated' : textOf(report.crowned),
    told.page[epoch]!.duels.map(({ end }) => textOf(end)).join(),
  ])
  const both = ['mult8', 'tictactoe']
  const even = ['m2', ['mult8'], 'even', false]
  expect(seen).toEqual([
    ['frozen', [], 0, 'seated', ''],
    ['', [], 0, '', ''],
    ['', [['m2', both, 'win', false]], 0, '', ''],
    ['', [['m2', ['tictactoe'], 'even', true]], 0, '', ''],
    ['', [even], 0, '', ''],
    ['frozen', [even, ['m3', both, '', false]], 5, '', ','],
    ['', [even, ['m3', both, '', false]], 1, '', ','],
    ['frozen', [even, ['m3', both, '', false]], 5, '', ','],
    ['', [even, ['m3', both, 'win', false]], 0, '', ','],
    [
      '',
      [
        ['m2', ['mult8'], 'win,even', false],
        ['m3', ['tictactoe'], 'win,win', true],
      ],
      0,
      '',
      ',',
    ],
    [
      '',
      [
        ['m2', [], 'win,even', false],
        ['m3', both, 'win,win', true],
      ],
      0,
      '',
      ',',
    ],
    [
      '',
      [
        ['m2', [], 'win,even', false],
        ['m3', both, 'win,win', true],
      ],
      0,
      '',
      ',',
    ],
    [
      '',
      [
        ['m2', [], 'win,even', false],
        ['m3', both, 'win,win', true],
      ],
      0,
      'm3',
      'passed,crowned',
    ],
    ['', [['m4', both, 'hold,hold', false]], 0, '', 'verdicts'],
    ['', [], 0, '', ''],
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
      contenders: account.duels.map(({ contender }) => contender.hotkey),
      standings: account.duels.map(({ standing }) => standing),
      crowned: account.duels.filter(({ end }) => end === 'crowned').map((duel) => duel.contender),
      seated: textOf(account.seated?.hotkey),
    }
    const { report } = verified
    expect(shared).toEqual({
      root: verified.root,
      frozen: report.frozen,
      champion: textOf(verified.champion),
      contenders: verified.contenders,
      standings: report.duels.map(({ standing }) => standing),
      crowned: report.duels
        .map(({ contender }) => contender)
        .filter(({ hotkey }) => hotkey === report.crowned),
      seated: textOf(verified.seated),
    })
    expect(verified.ratio).toBe(account.ratio)
  })

  it.each(each)('%i has the same looks and lanes for all of them', (epoch) => {
    const { duels, lanes } = told.page[epoch]!
    const { report } = told.verified[epoch]!
    const shown = duels.map(({ looks }) =>
      looks.map(({ env, win, hold, decisivePpm, given }) => {
        const counts = [win.wins, win.trials, hold.wins, hold.trials].map(String)
        return [env, ...counts, textOf(decisivePpm), textOf(given)]
      }),
    )
    const reported = report.duels.map(({ envs }) =>
      Object.entries(envs).map(([env, { win, hold, ...seen }]) => {
        const counts = [win.wins, win.trials, hold.wins, hold.trials]
        const { trials, played } = seen.median ?? { trials: 0, played: 0 }
        const decisivePpm = seen.median && Math.floor((1e6 * trials) / played)
        return [env, ...counts, textOf(decisivePpm), textOf(seen.given)]
      }),
    )
    expect(reported).toEqual(shown)
    const kept = lanes.map(({ validator, accepted }) => [validator, accepted])
    expect(Object.entries(report.lanes).map(([name, lane]) => [name, lane.accepted])).toEqual(kept)
    for (const { validator, setAside } of lanes) {
      const aside = report.duels.flatMap(({ contender, envs }) =>
        Object.entries(envs)
          .filter(([, look]) => look.setAside.includes(validator))
          .map(([env]) => `${env} ${contender.hotkey}`),
      )
      const told = setAside.flatMap(({ env, contenders }) =>
        contenders.map((contender) => `${env} ${contender}`),
      )
      expect(told.sort()).toEqual(aside.sort())
    }
  })

  it.each(each)('%i leaves the same trust', (epoch) => {
    const { trust, lanes } = told.page[epoch]!
    expect(told.verified[epoch]!.trust).toEqual(trust)
    for (const lane of lanes) expect(lane.trust).toBe(trust[lane.validator])
  })

  it('is what af explain says of it', () => {
    const records = told.explained.get('m2')?.filter(({ type }) => type === 'epoch') ?? []
    expect(records.map(({ epoch }) => epoch)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    for (const { epoch, duel } of records) {
      const { id: _, stats: __, ...shown } = shownIn(epoch, 'm2')
      expect(duel).toEqual(jsonOf(shown))
    }
  })
})

describe.each(DUELS)('the duel of $champion and $contender', ({ first, last, ...sides }) => {
  const SIDES = ['champion', 'contender'] as const
  const ended = () => shownIn(last, sides.contender)
  const recordsOf = (side: (typeof SIDES)[number]) => duelRecords(sides[side], ended().id)

  it.each(SIDES)('has the same end and wins needed on the page and in af explain: %s', (side) => {
    const [record, ...more] = recordsOf(side)
    expect(more).toEqual([])
    const { wins, counted, needed, verdicts, end, start } = ended()
    expect(record).toMatchObject({ wins, counted, needed, verdicts, start })
    const isWon = (end === 'crowned') === (side === 'contender')
    expect([record?.by, record?.ending]).toEqual([end, isWon ? 'won' : 'lost'])
  })

  it.each(SIDES)('has the same challenges on the page, in af explain, and past: %s', (side) => {
    const counts = ended().stats[side]
    const losses = told.losses(ended().id)[side]
    const [record] = recordsOf(side)
    expect(record).toMatchObject(counts)
    expect(counts.challenges).toBeGreaterThan(0)
    const lost = (told.explained.get(sides[side]) ?? []).filter(
      ({ type, epoch, pair }) =>
        type === 'lost' &&
        pair.contender.miner === sides.contender &&
        epoch >= first &&
        epoch <= last,
    )
    expect(lost).toHaveLength(counts.lost)
    const place = ({ env, index, block }: { env: string; index: number; block: string }) =>
      `${block} ${env} ${index}`
    const places = new Set(lost.map(({ pair, block }) => place({ ...pair, block })))
    for (const each of losses) expect(places).toContain(place(each))
    const all = DUELS.flatMap((each) => {
      const seat = SIDES.find((name) => each[name] === sides[side])
      return seat ? [shownIn(each.last, each.contender).stats[seat].challenges] : []
    })
    const past = told.past.of(FOUR.find(({ hotkey }) => hotkey === sides[side])!)
    // Of one challenge the champion has one reward, whatever contends.
    const isTwice = sides[side] === 'm1'
    const sum = all.reduce((sum, each) => sum + each)
    if (!isTwice) expect(past).toHaveLength(sum)
    expect(past.length).toBeGreaterThanOrEqual(Math.max(...all))
    expect(past.length).toBeLessThanOrEqual(sum)
  })

  it.each(SIDES)('has as many as the tallies have of these lanes: %s', (side) => {
    const { envs, challenges, won } = ended().stats[side]
    let [sum, wins] = [0, 0]
    for (const env of [MULT8, TICTACTOE]) {
      const looks = told.verified
        .slice(first, last + 1)
        .flatMap(({ report }) => report.duels)
        .filter(({ contender }) => contender.hotkey === sides.contender)
        .flatMap(({ envs }) => envs[env] ?? [])
      const { tallies, setAside } = looks.at(-1)!
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
    const { id } = ended()
    const shown = rendered(ContenderView, told.page, { id })
    const sentence = `it won ${percent((1e6 * won) / (won + lost))} of the ${won + lost} challenges that`
    expect(shown).toContain(sentence)
    if (first < last) {
      const part = rendered(ContenderView, told.page.slice(first + 1), { id })
      expect(part).toContain(` (epochs ${first + 1} to ${last} alone).`)
    }
    expect(shown).toContain(`It won ${won}, lost ${lost} and tied`)
    expect(rendered(MinerView, told.page, { hotkey: sides.contender })).toContain(sentence)
  })

  it('is drawn with the verdicts that it has, epoch by epoch', () => {
    for (let epoch = first; epoch <= last; epoch++) {
      const { id, verdicts: given } = shownIn(epoch, sides.contender)
      const shown = rendered(ContenderView, told.page.slice(0, epoch + 1), { id })
      const drawn = [...shown.matchAll(/(mult8|tictactoe): .* (?:%|decisive)\. (\w+)$/gm)].map(
        ([, ...row]) => row,
      )
      const verdicts = [MULT8, TICTACTOE].map((env) => [
        env.replace(/@.*/, ''),
        given[env] ?? 'open',
      ])
      expect(drawn).toEqual(verdicts)
    }
    const { end, wins, counted, needed } = ended()
    if (end !== 'crowned') return
    const read = told.page.slice(0, last + 1)
    const won = `won ${wins} of ${counted} environments, and needed ${needed}`
    expect(rendered(RaceView, read, {})).toContain(won)
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
    const contenders = Math.max(1, record.duels.length)
    expect(text.split('\n').slice(3 + contenders)).toEqual(withoutLanes)
  })

  it.each(each)('%i every lane is the same on its validator’s page, and everywhere', (epoch) => {
    const { lanes } = told.page[epoch]!
    const rows = told.status[epoch]!.record.rows.filter(({ lane }) => lane !== undefined)
    expect(rows.map(({ hotkey }) => hotkey)).toEqual(lanes.map(({ validator }) => validator))
    for (const { hotkey = '', lane, trust } of rows) {
      const { text } = told.verified[epoch]!
      expect(text).toContain(`${shortOf(hotkey)} ${lane} (trust ${trust})`)
      const { fault, setAside } = lanes.find(({ validator }) => validator === hotkey)!
      const why = fault === undefined ? '' : `: ${fault}`
      const shown = rendered(ValidatorView, told.page, { hotkey })
      const aside = setAside.map(({ env, contenders }) => `${env}: ${contenders.length} of .*`)
      const whole = aside.length > 0 ? '✔.*' : lane
      const row = `(?<!\\d)${epoch}\n${whole}${why}\n${aside.join('')}\n${trust}\n`
      expect(shown).toMatch(new RegExp(row))
    }
  })

  it.each(each)(
    '%i the next one has the ratio, the champion and the duels that all foretell',
    (epoch) => {
      const { nextRatio, heir, nextDuels } = told.page[epoch]!
      const { text, record } = told.status[epoch]!
      const end = endAfter(undefined, epochs[epoch]!.settled)
      expect([record.ratio, end.ratio]).toEqual([nextRatio, nextRatio])
      expect(record.duels).toEqual(jsonOf(nextDuels))
      expect(text).toContain(`ratio to beat ${percent(nextRatio)}\n`)
      expect(text).toContain(`champion  ${heir?.hotkey ?? 'nobody'};`)
      const turns = nextDuels.map(({ contender, epochIndex, duelEpochs }) => {
        return [contender.hotkey, `epoch ${epochIndex} of at most ${duelEpochs}`]
      })
      const shown = rendered(RaceView, told.page.slice(0, epoch + 1), {})
      expect(shown).toContain(percent(nextRatio))
      if (turns.length === 0) expect(text).toContain('contender nobody\n')
      if (turns.length === 0) expect(shown).toContain('No miner contends')
      for (const [i, [contender, turn]] of turns.entries()) {
        expect(text).toContain(`contender ${contender}, ${turn}`)
        const isWaiting = nextDuels[i]!.epochIndex > nextDuels[i]!.duelEpochs
        const what = isWaiting ? 'has won, and waits for the others' : `contends, ${turn}`
        expect(shown).toContain(`${contender} ${what}`)
      }
      const then = told.page[epoch + 1]
      if (then === undefined) return
      const { champion, ratio, duels } = then
      expect([champion, ratio]).toEqual([heir, nextRatio])
      const known = (each: ShownDuel | EpochAccount['nextDuels'][number]) => [
        duelId(each),
        each.epochIndex,
      ]
      expect(duels.map(known)).toEqual(nextDuels.map(known))
    },
  )

  it('the last, validators have as many lanes accepted and set aside for all', () => {
    const end = epochs.reduce<EndRecord | undefined>(
      (before, { settled }) => endAfter(before, settled),
      undefined,
    )
    const counts = countLanes({ epochs: told.page })
    // Those that were set aside come first: v4 once, which had not seen what the others had.
    expect(counts.map(({ hotkey }) => hotkey)).toEqual(['v5', 'v4', 'v1', 'v2', 'v3'])
    for (const { hotkey, due, accepted, sealed, aside } of counts) {
      expect(end?.disagreed[hotkey] ?? 0).toBe(aside)
      const shown = rendered(ValidatorView, told.page, { hotkey })
      expect(shown).toContain(
        `${sealed} of ${due} were published in time, and enough others found ${accepted} of ${due}`,
      )
      if (aside > 0) expect(shown).toContain(`in ${aside} of ${due} epochs it was too far from`)
    }
    expect(end?.disagreed).toEqual({ v4: 1, v5: expect.any(Number) })
  })
})

it('a seat that was empty is taken for everybody', () => {
  expect(told.explained.get('m1')?.[0]).toMatchObject({ type: 'seated', epoch: 0 })
  const taken = told.verified.filter(({ seated }) => seated).map(({ epoch }) => epoch)
  expect(taken).toEqual([0])
})
