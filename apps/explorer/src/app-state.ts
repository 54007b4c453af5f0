import type { EnvFacts } from '@affine/report'
import { findSide, formatEpochs } from '@affine/report/sentences'
import type { NetworkFile } from './network-file.ts'
import type { BucketHealth } from './worker/buckets.ts'
import type { EpochAccount, ShownDuel } from './worker/epoch-accounts.ts'
import type { Findings } from './worker/reader.ts'

/** Everything that was read of a network so far. */
export interface AppState extends Findings {
  readonly file?: NetworkFile | undefined
  readonly epochs: readonly EpochAccount[]
  readonly health: readonly BucketHealth[]
}

export const EMPTY_STATE: AppState = { epochs: [], health: [] }

export const addFindings = (state: AppState, found: Findings): AppState => ({
  ...state,
  ...found,
  epochs: [...state.epochs, ...(found.epochs ?? [])],
})

/** A duel after its latest epoch that was read. */
export interface DuelAccount {
  readonly duel: ShownDuel
  readonly epochs: readonly EpochAccount[]
  /** Interim analyses of its environments, oldest first. */
  readonly analyses: readonly DatedAnalysis[]
  /** The latest of `epochs`. */
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
      const dated = duel.analyses.map((analysis) => ({ ...analysis, epoch: account.epoch }))
      const all = { epochs: [...epochs, account], analyses: [...analyses, ...dated] }
      duels.set(duel.id, { duel, ...all, last: account })
    }
  }
  return [...duels.values()]
}

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

/** Lists the terms, oldest first. The last term contains the first undecided epoch. */
export function listTerms({ epochs }: Pick<AppState, 'epochs'>): readonly Term[] {
  const terms: Term[] = []
  const holders = epochs.map(({ epoch, champion }) => ({ epoch, hotkey: champion?.hotkey }))
  const last = epochs.at(-1)
  if (last) holders.push({ epoch: last.epoch + 1, hotkey: last.nextChampion?.hotkey })
  for (const { epoch, hotkey } of holders) {
    const before = terms.at(-1)?.hotkey === hotkey ? terms.pop() : undefined
    terms.push({ hotkey, from: before?.from ?? epoch, to: epoch + 1 })
  }
  return terms
}
