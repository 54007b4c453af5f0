import type { EnvFacts, LaneFacts, ValidatorStatus } from '@affine/report'
import { findSide, formatEpochs } from '@affine/report/sentences'
import type { NetworkFile } from './network-file.ts'
import type { BucketHealth } from './worker/buckets.ts'
import type { EpochAccount, ShownDuel } from './worker/epoch-accounts.ts'
import type { Findings } from './worker/reader.ts'

/** Everything known about a network so far. */
export interface AppState extends Findings {
  readonly file?: NetworkFile | undefined
  readonly epochs: readonly EpochAccount[]
  readonly health: readonly BucketHealth[]
}

export const EMPTY_STATE: AppState = { epochs: [], health: [] }

/** Returns the state with new findings. */
export const addFindings = (state: AppState, found: Findings): AppState => ({
  ...state,
  ...found,
  epochs: [...state.epochs, ...(found.epochs ?? [])],
})

/** One duel after its latest epoch, and its epochs. */
export interface DuelAccount {
  readonly duel: ShownDuel
  readonly epochs: readonly EpochAccount[]
  /** The interim analyses of its environments, epoch by epoch. */
  readonly analyses: readonly DatedAnalysis[]
  /** The latest of these epochs. */
  readonly last: EpochAccount
}

interface DatedAnalysis extends EnvFacts {
  readonly epoch: number
}

/** Lists the duels of a state, oldest first. */
export function listDuels({ epochs }: Pick<AppState, 'epochs'>): readonly DuelAccount[] {
  const duels = new Map<string, DuelAccount>()
  for (const account of epochs) {
    for (const duel of account.duels) {
      const { epochs = [], analyses = [] } = duels.get(duel.id) ?? {}
      duels.set(duel.id, {
        duel,
        epochs: [...epochs, account],
        analyses: [
          ...analyses,
          ...duel.analyses.map((analysis) => ({ ...analysis, epoch: account.epoch })),
        ],
        last: account,
      })
    }
  }
  return [...duels.values()]
}

/** Returns the duels of a hotkey. */
export const findDuels = (state: AppState, hotkey: string): readonly DuelAccount[] =>
  listDuels(state).filter(({ duel }) => findSide(hotkey, duel) !== undefined)

/** Returns the latest analysis of each environment of a duel. */
export const latestAnalyses = ({ analyses }: DuelAccount): readonly DatedAnalysis[] => [
  ...new Map(analyses.map((analysis) => [analysis.env, analysis])).values(),
]

/** Formats the epochs of a duel that were read, as in "epochs 3 to 5". */
export const formatSpan = ({ epochs: [first], last }: DuelAccount): string =>
  formatEpochs(first?.epoch ?? 0, last.epoch)

/** Reports whether a hotkey is a validator: whether it has trust, or is idle. */
export const isValidator = ({ epochs, validators = [] }: AppState, hotkey: string): boolean =>
  Object.hasOwn(epochs.at(-1)?.trust ?? {}, hotkey) ||
  validators.some((each) => each.hotkey === hotkey && each.isIdle)

/** Consecutive epochs with one champion, or with a vacant throne. */
export interface Term {
  readonly hotkey: string | undefined
  readonly from: number
  /** Exclusive end: the first epoch after the term. */
  readonly to: number
}

/** Lists the terms of a state. The last one contains the first undecided epoch. */
export function listTerms({ epochs }: Pick<AppState, 'epochs'>): readonly Term[] {
  const reigns: Term[] = []
  const holders = epochs.map(({ epoch, champion }) => ({ epoch, hotkey: champion?.hotkey }))
  const last = epochs.at(-1)
  if (last) holders.push({ epoch: last.epoch + 1, hotkey: last.heir?.hotkey })
  for (const { epoch, hotkey } of holders) {
    const before = reigns.at(-1)
    if (before !== undefined && before.hotkey === hotkey)
      reigns[reigns.length - 1] = { ...before, to: epoch + 1 }
    else reigns.push({ hotkey, from: epoch, to: epoch + 1 })
  }
  return reigns
}

/** Counts of a validator's lanes, its proved flaws, and its state on chain once that was read. */
export interface ValidatorCounts {
  readonly hotkey: string
  readonly stake: ValidatorStatus['stake'] | undefined
  readonly isIdle: boolean | undefined
  readonly due: number
  readonly accepted: number
  /** Epochs with an outlier in some environment. */
  readonly outliers: number
  /** Proved flaws by code, as in "WRONG_REPLAY × 2". */
  readonly proved: readonly string[]
}

/** A lost file or an unreachable bucket proves nothing against its validator. */
const UNPROVED = ['COPY_MISSING', 'MISSING_BLOCK', 'STATE_MISSING']

/**
 * Counts the lanes of every validator that had one in the epochs that were read, worst validator
 * first, then of the idle validators.
 */
export function countLanes({
  epochs,
  validators = [],
}: Pick<AppState, 'epochs' | 'validators'>): readonly ValidatorCounts[] {
  const lanes = epochs.flatMap((epoch) => epoch.lanes)
  const flaws = epochs.flatMap((each) => each.flaws.filter(({ code }) => !UNPROVED.includes(code)))
  const idle = validators.filter(({ isIdle }) => isIdle)
  const hotkeys = new Set([
    ...lanes.map(({ validator }) => validator),
    ...idle.map(({ hotkey }) => hotkey),
  ])
  const counts = [...hotkeys].map((hotkey): ValidatorCounts => {
    const own = lanes.filter(({ validator }) => validator === hotkey)
    const count = (is: (lane: LaneFacts) => boolean): number => own.filter(is).length
    const proved = flaws.filter(({ validator }) => validator === hotkey)
    const { stake, isIdle } = validators.find((each) => each.hotkey === hotkey) ?? {}
    return {
      hotkey,
      stake,
      isIdle,
      due: own.length,
      accepted: count((lane) => lane.accepted),
      outliers: count(({ setAside }) => setAside.length > 0),
      proved: formatCounts(proved.map(({ code }) => code)),
    }
  })
  return counts.sort((a, b) => b.proved.length - a.proved.length || b.outliers - a.outliers)
}

/** Returns the trust of a validator after the latest epoch, in ppm. Protocol §8.9. */
export const findTrust = ({ epochs }: Pick<AppState, 'epochs'>, hotkey: string): number =>
  epochs.at(-1)?.trust[hotkey] ?? 500_000

const formatCounts = (codes: readonly string[]): readonly string[] =>
  [...new Set(codes)].map((code) => `${code} × ${codes.filter((each) => each === code).length}`)
