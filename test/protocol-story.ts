import {
  type Candidate,
  computeTrust,
  type DuelSnapshot,
  decide,
  type Evidence,
  encodeBitmap,
  firstState,
  isWon,
  type LaneTally,
  PROTOCOL,
  type Protocol,
  type Report,
  type Score,
  type State,
  stateRoot,
} from '../packages/duel/src/index.ts'

export type Pair = readonly [number, number]

export const entries = <Value>(record: Readonly<Record<string, Value>>) => Object.entries(record)
export const mapped = <Value, To>(
  record: Readonly<Record<string, Value>>,
  to: (value: Value, key: string) => To,
) => Object.fromEntries(entries(record).map(([key, value]) => [key, to(value, key)]))

/** Rules of the worked example: two of the main network's environments. */
const TWO: Protocol = {
  ...PROTOCOL,
  envs: Object.fromEntries(
    entries(PROTOCOL.envs).filter(([env]) => ['mult8@0.1.0', 'tictactoe@0.1.0'].includes(env)),
  ),
}

/** Returns `numerator / denominator` with four decimals, rounded down. */
export function decimal(numerator: bigint, denominator: bigint): string {
  const digits = String((numerator * 10_000n) / denominator).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`
}

/**
 * Returns the two sides of the test for a win, (w - nR)^2 and z^2 n R (1 - R). Counts are in 1 /
 * unit.
 */
export function sides(
  wins: bigint,
  trials: bigint,
  unit: bigint,
  ratio: number,
  zSquaredPpm: number,
): readonly string[] {
  const lead = wins * 1_000_000n - trials * BigInt(ratio)
  const spread = BigInt(zSquaredPpm) * trials * BigInt(ratio) * BigInt(1_000_000 - ratio)
  return [decimal(lead * lead, (unit * 1_000_000n) ** 2n), decimal(spread, unit * 10n ** 18n)]
}

export interface Story {
  readonly stakes: Readonly<Record<string, number>>
  /** Lanes of each epoch as wins and losses by validator, contender and environment. */
  readonly epochs: readonly Readonly<Record<string, LaneCounts>>[]
  /** Validators that do not attest, by epoch. */
  readonly silent: readonly (readonly string[])[]
}
type LaneCounts = Readonly<Record<string, Readonly<Record<string, Pair>>>>

const minerOf = (hotkey: string, block: number): Candidate => ({
  hotkey,
  model: `lab/${hotkey}`,
  revision: 'main',
  chute: hotkey,
  block,
  registered: 0,
})
const MINERS = [minerOf('m1', 100), minerOf('m2', 101), minerOf('m3', 102)]
const hash = (digit: number) => String(digit).repeat(64)

/**
 * Decides epochs from the first one on. Every lane is sealed, valid, and attested by all except the
 * silent validators.
 */
export function story({ stakes, epochs, silent }: Story): unknown {
  let state = firstState(TWO, 0)
  return epochs.map((lanes, epoch) => {
    const attest = {
      epoch,
      bitmap: encodeBitmap(state.voters, new Set(Object.keys(lanes))),
      next: hash(7),
      stateRoot: stateRoot(state),
    }
    const snapshot: DuelSnapshot = {
      epoch: epoch + 1,
      protocol: TWO,
      hotkeys: [...Object.keys(stakes), ...MINERS.map(({ hotkey }) => hotkey)],
      validators: entries(stakes).map(([hotkey, stake]) => ({
        hotkey,
        stake: BigInt(stake),
        ...(!silent[epoch]?.includes(hotkey) && { attest }),
      })),
      miners: MINERS,
    }
    const tallies = mapped(lanes, (lane) =>
      mapped(lane, (envs) =>
        mapped(envs, ([wins, losses]): LaneTally => {
          return [wins, losses, 1_000_000 * wins, 1_000_000 * losses]
        }),
      ),
    )
    const seals = mapped(lanes, () => hash(8))
    const { state: next, report } = decide(state, { snapshot, seals, lanes: tallies })
    const shown = { ...describeEpoch(state, report), ...describeState(next, report) }
    state = next
    return shown
  })
}

/** Returns a score in deviations, lead / √spread, with two decimals, rounded down. */
export function deviations({ lead, spread }: Score): string {
  let hundredths = 0n
  while (lead >= 0n && (hundredths + 1n) ** 2n * spread <= 10_000n * lead ** 2n && spread > 0n)
    hundredths += 1n
  return decimal(hundredths, 100n).slice(0, -2)
}

/** Returns wins and trials in millionths. */
export const numbers = ({ wins, trials }: Evidence['win']): Pair => [Number(wins), Number(trials)]

/** Returns the duels of an epoch, with the environments of the duels that are judged in it. */
function describeEpoch({ epoch, voters, duels }: State, { frozen, ...report }: Report) {
  if (duels.length === 0) return { epoch, frozen }
  const shown = report.duels.map(({ contender, standing, envs }, place) => {
    const isJudged = !frozen && !isWon(duels[place] ?? { verdicts: {} }, TWO)
    const seen = mapped(envs, ({ setAside, win, hold, score, given }) => ({
      aside: setAside,
      win: numbers(win),
      score: deviations(score),
      hold: numbers(hold),
      given: given ?? 'continue',
    }))
    return [contender.hotkey, { standing, ...(isJudged && seen) }] as const
  })
  return { epoch, frozen, voters, duels: Object.fromEntries(shown) }
}

/** Returns the state that results from the epoch. */
function describeState(after: State, report: Report) {
  const { champion, duels, ratio, record, trust } = after
  const hasTrust = report.duels.length > 0 && !report.frozen
  return {
    ...(hasTrust && { trust: mapped(trust, (each) => ({ ...each, ppm: computeTrust(each) })) }),
    ...(report.crowned && { crowned: report.crowned }),
    champion: champion?.hotkey ?? 'none',
    ratio,
    ...(entries(record).length > 0 && { record }),
    contenders: duels.map(({ contender }) => contender.hotkey),
    root: stateRoot(after),
  }
}
