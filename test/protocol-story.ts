import {
  type DuelSnapshot,
  decide,
  type Evidence,
  encodeBitmap,
  firstState,
  PROTOCOL,
  type Protocol,
  quotasOf,
  type Score,
  type State,
  stateRoot,
  type Tally,
  trustOf,
} from '../packages/duel/src/index.ts'

export type Pair = readonly [number, number]

export const entries = <Value>(record: Readonly<Record<string, Value>>) => Object.entries(record)
export const mapped = <Value, To>(
  record: Readonly<Record<string, Value>>,
  to: (value: Value, key: string) => To,
) => Object.fromEntries(entries(record).map(([key, value]) => [key, to(value, key)]))

/** The constants of the duel in numbers: two of the main network's environments. */
const TWO: Protocol = {
  ...PROTOCOL,
  envs: Object.fromEntries(
    entries(PROTOCOL.envs).filter(([env]) => ['mult8@0.1.0', 'tictactoe@0.1.0'].includes(env)),
  ),
}

/** What a lane saw, if whoever wins a challenge has its points. */
export const tallyOf = ([wins, losses]: Pair, played: number): Tally => ({
  wins,
  losses,
  played,
  contenderPoints: 1_000_000 * wins,
  championPoints: 1_000_000 * losses,
})

/** `numerator / denominator` with four decimals, rounded down. */
export function decimal(numerator: bigint, denominator: bigint): string {
  const digits = String((numerator * 10_000n) / denominator).padStart(5, '0')
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`
}

/**
 * The two sides of the test for a WIN, (w - nR)^2 and z^2 n R (1 - R), counts being in 1 / unit.
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
  /** By epoch: lanes, by validator, then environment, as wins and losses. */
  readonly epochs: readonly Readonly<Record<string, Readonly<Record<string, Pair>>>>[]
  /** By epoch: who does not attest. */
  readonly silent: readonly (readonly string[])[]
}

/**
 * Epochs from the first one on, decided one after another; every lane is sealed, whole, and
 * attested by all but the silent.
 */
export function story({ stakes, epochs, silent }: Story): unknown {
  const miner = (hotkey: string) => ({
    hotkey,
    model: `lab/${hotkey}`,
    revision: 'main',
    chute: hotkey,
  })
  const miners = ['m1', 'm2'].map((hotkey, i) => ({
    ...miner(hotkey),
    block: 100 + i,
    registered: 0,
  }))
  const hash = (digit: number) => String(digit).repeat(64)
  let state = firstState(TWO, 0)
  return epochs.map((lanes, epoch) => {
    const quotas = quotasOf(state)
    const attest = {
      epoch: state.epoch,
      bitmap: encodeBitmap(state.duel ?? { weights: {} }, new Set(Object.keys(lanes))),
      next: hash(7),
      stateRoot: stateRoot(state),
    }
    const snapshot: DuelSnapshot = {
      epoch: state.epoch + 1,
      protocol: TWO,
      hotkeys: [...Object.keys(stakes), 'm1', 'm2'],
      validators: entries(stakes).map(([hotkey, stake]) => ({
        hotkey,
        stake: BigInt(stake),
        ...(!silent[epoch]?.includes(hotkey) && { attest }),
      })),
      miners,
    }
    const tallies = mapped(lanes, (lane) =>
      mapped(lane, (counts, env) => tallyOf(counts, quotas[env] ?? 0)),
    )
    const seals = mapped(lanes, () => hash(8))
    const { state: next, report } = decide(state, { snapshot, seals, lanes: tallies })
    const told = { ...tell(state, report), ...afterwards(state, next) }
    state = next
    return told
  })
}

/** How many deviations a score is, lead / √spread, with two decimals, rounded down. */
function deviations({ lead, spread }: Score): string {
  let hundredths = 0n
  while (lead >= 0n && (hundredths + 1n) ** 2n * spread <= 10_000n * lead ** 2n && spread > 0n)
    hundredths += 1n
  return decimal(hundredths, 100n).slice(0, -2)
}

/** What an epoch's duel came to. */
function tell(before: State, { frozen, envs, outcome }: ReturnType<typeof decide>['report']) {
  const { duel, epoch } = before
  if (duel === undefined) return { epoch }
  const numbers = ({ wins, trials }: Evidence['win']) => [Number(wins), Number(trials)]
  const seen = mapped(envs, ({ setAside, win, hold, floor, sum, given }) => ({
    aside: setAside,
    win: numbers(win),
    floor: deviations(floor),
    sum: deviations(sum),
    hold: numbers(hold),
    given: given ?? 'continue',
  }))
  return { epoch, frozen, envs: seen, ...(outcome && { outcome }) }
}

/** The state that the epoch led to. */
function afterwards(before: State, after: State) {
  const { champion, duel, ratio, record } = after
  return {
    ...(before.duel && {
      trust: mapped(after.trust, (record) => ({ ...record, ppm: trustOf(record) })),
    }),
    champion: champion?.hotkey ?? 'none',
    ratio,
    ...(entries(record).length > 0 && { record }),
    ...(duel &&
      duel.id !== before.duel?.id && { contender: duel.contender.hotkey, weights: duel.weights }),
    root: stateRoot(after),
  }
}
