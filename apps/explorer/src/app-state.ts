import type { EnvFacts, LaneFacts } from '@affine/report'
import { findSide, formatEpochs } from '@affine/report/sentences'
import type { NetworkFile } from './network-file.ts'
import type { BucketHealth } from './worker/buckets.ts'
import type { EpochAccount, ShownDuel } from './worker/epoch-accounts.ts'
import type { Findings, FoundNews } from './worker/worker.ts'

/** All that is known of a network so far. */
export interface AppState extends Findings {
  readonly file?: NetworkFile | undefined
  readonly epochs: readonly EpochAccount[]
  readonly health: readonly BucketHealth[]
}

export const EMPTY_STATE: AppState = { epochs: [], health: [] }

/** The state with what was just heard. */
export function addFindings(state: AppState, batch: readonly FoundNews[]): AppState {
  if (batch.length === 0) return state
  const epochs = [...state.epochs, ...batch.flatMap(({ account }) => account ?? [])]
  return Object.assign({}, state, ...batch.map(({ found }) => found), { epochs })
}

/** One duel, as it stood at its last epoch, and its epochs. */
export interface DuelAccount {
  readonly duel: ShownDuel
  readonly epochs: readonly EpochAccount[]
  /** The looks at its environments, epoch by epoch. */
  readonly analyses: readonly DatedAnalysis[]
  /** The last of them. */
  readonly last: EpochAccount
}

interface DatedAnalysis {
  readonly epoch: number
  readonly analysis: EnvFacts
}

/** The duels of a state, in the order in which they began. */
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
          ...duel.looks.map((analysis) => ({ epoch: account.epoch, analysis })),
        ],
        last: account,
      })
    }
  }
  return [...duels.values()]
}

/** The duels that a hotkey was in. */
export const findDuels = (state: AppState, hotkey: string): readonly DuelAccount[] =>
  listDuels(state).filter(({ duel }) => findSide(hotkey, duel) !== undefined)

/** The last look at each environment of a duel. */
export const latestAnalyses = ({ analyses }: DuelAccount): readonly DatedAnalysis[] => [
  ...new Map(analyses.map((dated) => [dated.analysis.env, dated])).values(),
]

/** The epochs of a duel that were read, as in "epochs 3 to 5". */
export const formatSpan = ({ epochs: [first], last }: DuelAccount): string =>
  formatEpochs(first?.epoch ?? 0, last.epoch)

/** Is a hotkey a validator, by its lanes, or else by what it committed? */
export function isValidator({ epochs, beginning }: AppState, hotkey: string): boolean {
  if (Object.hasOwn(epochs.at(-1)?.trust ?? {}, hotkey)) return true
  return beginning?.validators.includes(hotkey) ?? false
}

/** Epochs in a row in which one hotkey, or nobody, has the throne. */
export interface Term {
  readonly hotkey: string | undefined
  readonly from: number
  /** The first epoch that is not of it any more. */
  readonly to: number
}

/** The reigns of a state, the last up to the epoch that was not decided yet. */
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

/** What became of the lanes of a validator that were due, and what is proved against it. */
export interface LaneCounts {
  readonly hotkey: string
  readonly due: number
  readonly sealed: number
  readonly accepted: number
  /** Too far from the others in some environment. */
  readonly outliers: number
  /** Flaws that are proved, by their codes, as in "WRONG_REPLAY × 2". */
  readonly proved: readonly string[]
}

/** A bucket that lost a file, or is not reached, proves nothing against its validator. */
const UNPROVED = ['COPY_MISSING', 'MISSING_BLOCK', 'STATE_MISSING']

/** The counts of every validator that was due, over the epochs that were read: the worst first. */
export function countLanes({ epochs }: Pick<AppState, 'epochs'>): readonly LaneCounts[] {
  const lanes = epochs.flatMap((epoch) => epoch.lanes)
  const flaws = epochs.flatMap((each) => each.flaws.filter(({ code }) => !UNPROVED.includes(code)))
  const hotkeys = new Set(lanes.map(({ validator }) => validator))
  const counts = [...hotkeys].map((hotkey): LaneCounts => {
    const own = lanes.filter(({ validator }) => validator === hotkey)
    const count = (is: (lane: LaneFacts) => boolean): number => own.filter(is).length
    const proved = flaws.filter(({ validator }) => validator === hotkey)
    return {
      hotkey,
      due: own.length,
      sealed: count((lane) => lane.sealed),
      accepted: count((lane) => lane.accepted),
      outliers: count(({ setAside }) => setAside.length > 0),
      proved: formatCounts(proved.map(({ code }) => code)),
    }
  })
  return counts.sort((a, b) => b.proved.length - a.proved.length || b.outliers - a.outliers)
}

/** The trust of a validator after the last epoch that was read, in ppm. Protocol §8.9. */
export const findTrust = ({ epochs }: Pick<AppState, 'epochs'>, hotkey: string): number =>
  epochs.at(-1)?.trust[hotkey] ?? 500_000

const formatCounts = (codes: readonly string[]): readonly string[] =>
  [...new Set(codes)].map((code) => `${code} × ${codes.filter((each) => each === code).length}`)
