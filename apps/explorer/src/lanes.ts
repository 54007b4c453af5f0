import type { LaneFacts } from '@affine/report'
import type { AppState } from './app-state.ts'

/** How often the lanes of a validator were due, sealed and accepted, and why they did not count. */
export interface DueLanes {
  readonly hotkey: string
  readonly due: number
  readonly sealed: number
  readonly accepted: number
  /** Too far from the others in some environment. */
  readonly aside: number
}

/** The counts of every validator that was due, over the epochs that were read. */
export function countLanes({ epochs }: Pick<AppState, 'epochs'>): readonly DueLanes[] {
  const lanes = new Map<string, LaneFacts[]>()
  for (const lane of epochs.flatMap((epoch) => epoch.lanes)) {
    const own = lanes.get(lane.validator) ?? []
    lanes.set(lane.validator, own)
    own.push(lane)
  }
  return [...lanes].map(([hotkey, own]) => {
    const count = (is: (lane: LaneFacts) => boolean): number => own.filter(is).length
    return {
      hotkey,
      due: own.length,
      sealed: count((lane) => lane.sealed),
      accepted: count((lane) => lane.accepted),
      aside: count(({ setAside }) => setAside.length > 0),
    }
  })
}

/** The trust of a validator after the last epoch that was read, in ppm. Protocol §8.9. */
export const trustIn = ({ epochs }: Pick<AppState, 'epochs'>, hotkey: string): number =>
  epochs.at(-1)?.trust[hotkey] ?? 500_000

/** What speaks against a validator, in words: proved lies, and results that are odd. */
export interface Charge extends DueLanes {
  readonly proved: readonly string[]
  readonly suspect: readonly string[]
}

/** A bucket that lost a file, or is not reached, says nothing of its validator's word. */
const NO_LIES = ['COPY_MISSING', 'MISSING_BLOCK', 'NEVER_SEALED']

/** The validators against which something speaks, the worst first. */
export function chargesIn(state: Pick<AppState, 'epochs'>): readonly Charge[] {
  const flaws = state.epochs.flatMap((epoch) => epoch.flaws)
  return countLanes(state)
    .map((counts): Charge => {
      const own = flaws.filter(({ validator }) => validator === counts.hotkey)
      const proved = own.map(({ code }) => code).filter((code) => !NO_LIES.includes(code))
      const { aside } = counts
      const many = `${aside} of ${counts.due} lanes too far from the others’`
      return { ...counts, proved: countTexts(proved), suspect: aside > 0 ? [many] : [] }
    })
    .filter(({ proved, suspect }) => proved.length + suspect.length > 0)
    .sort((a, b) => b.proved.length - a.proved.length || b.aside - a.aside)
}

const countTexts = (codes: readonly string[]): readonly string[] =>
  [...new Set(codes)].map((code) => `${code} × ${codes.filter((each) => each === code).length}`)
