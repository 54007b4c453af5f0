import { beforeAll, describe, expect, it } from 'vitest'
import { formatDuelId } from '../apps/explorer/src/address.ts'
import { countLanes } from '../apps/explorer/src/app-state.ts'
import { ContenderView } from '../apps/explorer/src/views/contender-view.tsx'
import { MinerView } from '../apps/explorer/src/views/miners-view.tsx'
import { RaceView } from '../apps/explorer/src/views/race-view.tsx'
import { ValidatorsView } from '../apps/explorer/src/views/validators-view.tsx'
import {
  type EpochAccount,
  EpochAccounts,
  type ShownDuel,
} from '../apps/explorer/src/worker/epoch-accounts.ts'
import { rendered } from '../apps/explorer/test/rendered.ts'
import type { ChallengePair } from '../packages/blocks/src/index.ts'
import { type Chain, LocalChain } from '../packages/chain/src/index.ts'
import { type EnvReport, stateRoot, trustOf } from '../packages/duel/src/index.ts'
import { MULT8, miner, type Scene, TICTACTOE } from '../packages/duel/test/subnet.ts'
import {
  type DuelFacts,
  type DuelTurn,
  type EnvFacts,
  epochFacts,
  epochRecord,
  epochText,
  formatLane,
  MinerReport,
  PastChallenges,
  percent,
  statusTexts,
  subnetStatus,
  type Verification,
  verificationAfter,
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
const WORSE: Rates = [0.05, 0.9]
const LATER: Seen = { m2: [BETTER, TIED], m3: [BETTER, OPEN] }
const AHEAD: Seen = { m2: [BETTER, TIED], m3: [BETTER, [1, 0]] }
const WON: Seen = { m2: [BETTER, TIED], m3: [BETTER, BETTER] }
const two = { miners: [miner('m1', 1), miner('m2', 2)] }
/** From epoch 2 on: in the two before, m1 takes the throne. */
const SCENES: readonly Scene[] = [
  scene({ m2: [FIRST, TIED] }, {}, two), // a win
  scene({ m2: [CLOSE, TIED] }, { m2: [1, 0] }, two), // v5 is set aside; even, the win is taken back
  scene({ m2: [CLOSE, TIED] }), // m3 begins
  scene({ m2: [CLOSE, TIED] }, {}, { silent: ['v1', 'v2', 'v3'] }), // frozen
  scene(LATER, { m3: [0, 1] }, { unattested: ['v3'], broken: ['v4'] }), // v3's nobody attests, v4's is void
  scene(LATER, { m3: [0, 1] }, { silent: ['v1', 'v2'] }), // frozen
  scene(AHEAD, { m3: [0, 1] }, { unsealed: ['v3'] }), // m3 wins one
  scene(AHEAD, { m3: [0, 1] }), // both win
  scene(WON),
  scene(WON),
  scene(WON, {}, { miners: FOUR }), // m3 is better, and dethrones; m4 begins
  scene({ m4: [WORSE, WORSE] }, {}, { miners: FOUR }), // and fails
  scene({}, {}, { miners: FOUR }), // nobody waits
]
/** The duels: the epochs, and the hotkeys of the two. */
const DUELS = [
  { first: 2, last: 12, champion: 'm1', contender: 'm2' },
  { first: 5, last: 12, champion: 'm1', contender: 'm3' },
  { first: 13, last: 13, champion: 'm3', contender: 'm4' },
] as const
const FORFEITED = { 'no-reply': 3, unreadable: 2, illegal: 1 }

/** What is read of a record of af explain. */
interface Explained extends Pick<DuelFacts, 'contender' | 'start'> {
  readonly type: string
  readonly epoch: number
  readonly duel: DuelFacts
  readonly by: string
  readonly ending: string
  readonly pair: Pick<ChallengePair, 'env' | 'index' | 'contender'>
  readonly block: string
}

interface Told {
  readonly status: readonly Awaited<ReturnType<typeof subnetStatus>>[]
  readonly explained: ReadonlyMap<string, readonly Explained[]>
  readonly page: readonly EpochAccount[]
  readonly losses: EpochAccounts['findLosses']
  readonly past: PastChallenges
}

const epochs = historyOf(SCENES, FORFEITED)
/** The commands of af read no lane that cannot count. */
const SPARSE = epochs.map(({ sparse }) => sparse)
let told: Told

beforeAll(async () => {
  told = {
    explained: new Map(['m1', 'm2', 'm3', 'm4'].map((hotkey) => [hotkey, explain(hotkey)])),
    status: await statuses(),
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

async function statuses(): Promise<Told['status']> {
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
  return Promise.all(
    SPARSE.map(({ settled }) =>
      subnetStatus({ chain, network: LOCAL_NETWORK }, settled.state, settled),
    ),
  )
}

function explain(hotkey: string): readonly Explained[] {
  const records: Explained[] = []
  const line = (_: unknown, record: object) => void records.push(record as Explained)
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
    add: (sample, place) => accounts.add(sample, place),
    finish: (settled) => page.push(accounts.finish(settled)),
  })
  return { page, losses: (duel) => accounts.findLosses(duel) }
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
  if (duel === undefined) throw new Error(`no duel: ${contender}, ${epoch}`)
  return duel
}

const shortEnv = (env: string) => env.replace(/@.*/, '')

it('is a history with all that was told apart before', async () => {
  const seen = epochs.map(({ settled: { report, lanes }, sparse }, epoch) => {
    const { duels, seated } = told.page[epoch]!
    const unread = lanes.size - sparse.settled.lanes.size
    const duelling = report.duels.map(({ contender, envs, verdicts }, i) => {
      const looks = Object.keys(envs).map(shortEnv).join(' ')
      const isAside = Object.values(envs).some(({ setAside }) => setAside.includes('v5'))
      const ends = [...Object.values(verdicts), isAside ? 'v5 aside' : '', duels[i]?.end ?? '']
      return `${contender.hotkey} at [${looks}] ${ends.filter(Boolean).join(' ')}`.trimEnd()
    })
    const rest = [unread > 0 && `${unread} unread`, report.frozen && 'frozen', seated && 'seated']
    return [...duelling, ...rest].filter(Boolean).join(', ')
  })
  await expect(`${seen.join('\n')}\n`).toMatchFileSnapshot('snapshots/history.txt')
})

const each = epochs.map(({ settled }) => settled.epoch)

describe('an epoch', () => {
  it.each(each)('%i is for the page and af-verify what was decided', (epoch) => {
    const { settled } = epochs[epoch]!
    const { before, state, report } = settled
    const trust = Object.entries(state.trust).map(([hotkey, record]) => [hotkey, trustOf(record)])
    const shared = {
      epoch,
      root: stateRoot(state),
      ratio: before.ratio,
      trust: Object.fromEntries(trust),
    }
    const seated = epoch === 0 ? 'm1' : undefined
    const champion = before.champion?.hotkey ?? null
    const contenders = before.duels.map(({ contender }) => contender.hotkey)
    const record = { type: 'epoch', ...shared, champion, contenders, seated, report }
    expect(epochRecord(settled)).toMatchObject(record)
    const page = told.page[epoch]!
    expect(page).toMatchObject({ ...shared, champion: before.champion, frozen: report.frozen })
    expect(page.seated?.hotkey).toBe(seated)
    expect(page.duels).toMatchObject(
      report.duels.map(({ contender, standing }) => ({ contender, standing })),
    )
    for (const lane of page.lanes) expect(lane.trust).toBe(shared.trust[lane.validator])
  })

  it.each(each)('%i has the same looks and lanes for all of them', (epoch) => {
    const { duels, lanes } = told.page[epoch]!
    const { report } = epochs[epoch]!.settled
    const countsOf = ({ win, hold }: Pick<EnvReport, 'win' | 'hold'> | EnvFacts) =>
      [win.wins, win.trials, hold.wins, hold.trials].map(String)
    const shown = duels.map(({ looks }) =>
      looks.map((look) => [look.env, countsOf(look), look.decisivePpm, look.given]),
    )
    const reported = report.duels.map(({ envs }) =>
      Object.entries(envs).map(([env, look]) => {
        const { trials, played } = look.median ?? { trials: 0, played: 0 }
        const decisivePpm = look.median && Math.floor((1e6 * trials) / played)
        return [env, countsOf(look), decisivePpm, look.given]
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
})

it('af explain tells each epoch of a duel, in turn, as the page has it', () => {
  const own = (told.explained.get('m2') ?? []).filter(({ type }) => type === 'epoch')
  expect(own.map(({ epoch }) => epoch)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
  for (const { epoch, duel } of own) {
    const { id: _, stats: __, ...shown } = shownIn(epoch, 'm2')
    expect(duel).toEqual(shown)
  }
})

const SIDES = ['champion', 'contender'] as const

describe.each(DUELS)('the duel of $champion and $contender', ({ first, last, ...sides }) => {
  const ended = () => shownIn(last, sides.contender)

  it.each(SIDES)(
    'has the same end and challenges on the page, in af explain, and past: %s',
    (side) => {
      const { id, end, stats } = ended()
      const explained = told.explained.get(sides[side]) ?? []
      const [record, ...more] = explained.filter(
        (each) => each.type === 'duel' && formatDuelId(each) === id,
      )
      expect(more).toEqual([])
      const isWon = (end === 'crowned') === (side === 'contender')
      expect([record?.by, record?.ending]).toEqual([end, isWon ? 'won' : 'lost'])
      const counts = stats[side]
      expect(record).toMatchObject(counts)
      expect(counts.challenges).toBeGreaterThan(0)
      const lost = explained.filter(
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
      for (const each of told.losses(id)[side]) expect(places).toContain(place(each))
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
    },
  )

  it.each(SIDES)('has as many as the tallies have of these lanes: %s', (side) => {
    const { envs, challenges, won } = ended().stats[side]
    let [sum, wins] = [0, 0]
    for (const env of [MULT8, TICTACTOE]) {
      const looks = epochs
        .slice(first, last + 1)
        .flatMap(({ settled }) => settled.report.duels)
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

  it('has one result on its own page, and on its miner’s', () => {
    const { id, stats } = ended()
    const { won, lost } = stats.contender
    const shown = rendered(ContenderView, told.page, { id })
    const share = percent((1e6 * won) / (won + lost))
    const result = `${share} of the ${won + lost}`
    expect(shown).toContain(result)
    if (first < last) {
      const part = rendered(ContenderView, told.page.slice(first + 1), { id })
      expect(part).toContain(` (only epochs ${first + 1} to ${last}).`)
    }
    expect(shown).toContain(`it won ${won}, lost ${lost} and tied`)
    expect(rendered(MinerView, told.page, { hotkey: sides.contender })).toContain(result)
  })

  it('is drawn with the verdicts that it has, epoch by epoch', () => {
    for (let epoch = first; epoch <= last; epoch++) {
      const { id, verdicts: given } = shownIn(epoch, sides.contender)
      const shown = rendered(ContenderView, told.page.slice(0, epoch + 1), { id })
      const drawn = [...shown.matchAll(/(mult8|tictactoe): .* (?:%|challenge)\. (\w+)$/gm)].map(
        ([, ...row]) => row,
      )
      const verdicts = [MULT8, TICTACTOE].map((env) => [shortEnv(env), given[env] ?? 'open'])
      expect(drawn).toEqual(verdicts)
    }
    const { end, wins, counted, needed } = ended()
    if (end !== 'crowned') return
    const read = told.page.slice(0, last + 1)
    const race = rendered(RaceView, read, {})
    for (const part of [`won ${wins} of ${counted}`, `needed ${needed}`])
      expect(race).toContain(part)
  })
})

describe('after an epoch', () => {
  it.each(each)('%i af explain and af status tell it as af-verify does', (epoch) => {
    const { settled, sparse } = epochs[epoch]!
    const text = epochText(epochFacts(settled))
    expect(epochText(epochFacts(sparse.settled))).toBe(text)
    expect(sparse.settled.report).toEqual(settled.report)
    const status = told.status[epoch]!
    // The table of validators has them.
    const withoutLanes = text.split('\n').filter((line) => !line.startsWith('  lanes: '))
    const contenders = Math.max(1, status.state.duels.length)
    expect(
      statusTexts(status)
        .join('\n')
        .split('\n')
        .slice(3 + contenders),
    ).toEqual(withoutLanes)
  })

  it.each(each)('%i every lane is the same on its validator’s page, and everywhere', (epoch) => {
    const { lanes } = told.page[epoch]!
    const text = epochText(epochFacts(epochs[epoch]!.settled))
    const rows = told.status[epoch]!.rows.filter(({ lane }) => lane !== undefined)
    expect(rows.map(({ hotkey }) => hotkey)).toEqual(lanes.map(({ validator }) => validator))
    for (const { hotkey, lane, trust } of rows) {
      expect(text).toContain(`${hotkey}…${hotkey} ${formatLane(lane!)} (trust ${percent(trust)})`)
      const { fault, setAside } = lanes.find(({ validator }) => validator === hotkey)!
      const why = fault === undefined ? '' : `: ${fault}`
      const shown = rendered(ValidatorsView, told.page, { of: hotkey })
      const aside = setAside.map(({ env, contenders }) => `${env}: ${contenders.length} of .*`)
      const whole = aside.length > 0 ? '✔.*' : formatLane(lane!)
      const row = `(?<!\\d)${epoch}\n${whole}${why}\n${aside.join('')}\n${percent(trust)}\n`
      expect(shown).toMatch(new RegExp(row))
    }
  })

  it.each(each)(
    '%i the next one has the ratio, the champion and the duels that all foretell',
    (epoch) => {
      const { nextRatio, heir, nextDuels } = told.page[epoch]!
      const text = statusTexts(told.status[epoch]!).join('\n')
      expect(text).toContain(`ratio to beat ${percent(nextRatio)}\n`)
      expect(text).toContain(`champion  ${heir?.hotkey ?? 'none'};`)
      const shown = rendered(RaceView, told.page.slice(0, epoch + 1), {})
      expect(shown).toContain(percent(nextRatio))
      if (nextDuels.length === 0) expect(text).toContain('contender none\n')
      if (nextDuels.length === 0) expect(shown).toContain('No miner contends')
      for (const next of nextDuels) {
        const { contender, epochIndex, duelEpochs } = next
        const turn = `epoch ${epochIndex} of at most ${duelEpochs}`
        expect(text).toContain(`contender ${contender.hotkey}, ${turn}`)
        const { standing } =
          told.page[epoch]!.duels.find(({ id }) => id === formatDuelId(next)) ?? {}
        const isWaiting = standing === 'won' || epochIndex > duelEpochs
        const what = isWaiting ? 'has won, and waits for the others' : `contends, ${turn}`
        expect(shown).toContain(`${contender.hotkey} ${what}`)
      }
      const then = told.page[epoch + 1]
      if (then === undefined) return
      expect([then.champion, then.ratio]).toEqual([heir, nextRatio])
      const known = (each: DuelTurn) => [formatDuelId(each), each.epochIndex]
      expect(then.duels.map(known)).toEqual(nextDuels.map(known))
    },
  )

  it('the last, validators have as many lanes accepted and set aside for all', () => {
    const end = epochs.reduce<Verification | undefined>(
      (before, { settled }) => verificationAfter(before, settled, 'NONE'),
      undefined,
    )
    const counts = countLanes({ epochs: told.page })
    // Those that were set aside come first: v4 once, which had not seen what the others had.
    expect(counts.map(({ hotkey }) => hotkey)).toEqual(['v5', 'v4', 'v1', 'v2', 'v3'])
    for (const { hotkey, due, accepted, sealed, outliers } of counts) {
      expect(end?.suspect[hotkey] ?? 0).toBe(outliers)
      const shown = rendered(ValidatorsView, told.page, { of: hotkey })
      const counts = [outliers, sealed, accepted].map((count) => `${count} of ${due}`)
      expect(shown).toContain(`\nnone\n${counts.join('\n')}\n`)
    }
    expect(end?.suspect).toEqual({ v4: 1, v5: expect.any(Number) })
    expect(end?.ratio).toBe(told.page.at(-1)?.nextRatio)
  })
})

it('a seat that was empty is taken for af explain too', () => {
  expect(told.explained.get('m1')?.[0]).toMatchObject({ type: 'seated', epoch: 0 })
})
