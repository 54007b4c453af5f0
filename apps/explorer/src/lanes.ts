import type { LaneFacts } from '@affine/report'
import type { AppState } from './app-state.ts'

/** What became of the lanes of a validator that were due, and what it was caught at. */
export interface DueLanes {
  readonly hotkey: string
  readonly due: number
  readonly sealed: number
  readonly accepted: number
  /** Too far from the others in some environment. */
  readonly aside: number
  /** Lies that are proved, by their codes, as in "WRONG_REPLAY × 2". */
  readonly proved: readonly string[]
}

/** A bucket that lost a file, or is not reached, says nothing of its validator's word. */
const NO_LIES = ['COPY_MISSING', 'MISSING_BLOCK', 'NEVER_SEALED']

/** The counts of every validator that was due, over the epochs that were read: the worst first. */
export function countLanes({ epochs }: Pick<AppState, 'epochs'>): readonly DueLanes[] {
  const lanes = new Map<string, LaneFacts[]>()
  for (const lane of epochs.flatMap((epoch) => epoch.lanes)) {
    const own = lanes.get(lane.validator) ?? []
    lanes.set(lane.validator, own)
    own.push(lane)
  }
  const lies = epochs.flatMap(({ flaws }) => flaws.filter(({ code }) => !NO_LIES.includes(code)))
  const counts = [...lanes].map(([hotkey, own]): DueLanes => {
    const count = (is: (lane: LaneFacts) => boolean): number => own.filter(is).length
    const proved = lies.filter(({ validator }) => validator === hotkey)
    return {
      hotkey,
      due: own.length,
      sealed: count((lane) => lane.sealed),
      accepted: count((lane) => lane.accepted),
      aside: count(({ setAside }) => setAside.length > 0),
      proved: countTexts(proved.map(({ code }) => code)),
    }
  })
  return counts.sort((a, b) => b.proved.length - a.proved.length || b.aside - a.aside)
}

/** The trust of a validator after the last epoch that was read, in ppm. Protocol §8.9. */
export const trustIn = ({ epochs }: Pick<AppState, 'epochs'>, hotkey: string): number =>
  epochs.at(-1)?.trust[hotkey] ?? 500_000

const countTexts = (codes: readonly string[]): readonly string[] =>
  [...new Set(codes)].map((code) => `${code} × ${codes.filter((each) => each === code).length}`)
