import { percent } from '@affine/report/sentences'
import type { AppState } from './app-state.ts'

/** Does a reading go on, did it stop before its end, or has it ended? */
type Progress = 'reading' | 'stopped' | 'ended'

/** How far the reading of a state is. Where no network is named, none begins. */
export function progressOf({ file, failure, ms }: AppState): Progress {
  if (file === undefined || failure !== undefined) return 'stopped'
  return ms === undefined ? 'reading' : 'ended'
}

/** What is said in the place of what a state does not have: `none` where everything was read. */
export function absentText(state: AppState, none: string): string {
  const progress = progressOf(state)
  if (progress === 'reading') return 'Reading…'
  if (state.epochs.length === 0) return 'Nothing was recomputed.'
  return progress === 'ended' ? none : 'The reading stopped before its end.'
}

/** The epoch for which a state is, as in " as of epoch 4"; empty where everything was read. */
export function asOfText(state: AppState): string {
  const last = state.epochs.at(-1)
  const isNow = last === undefined || progressOf(state) === 'ended'
  return isNow ? '' : ` as of epoch ${last.epoch + 1}`
}

/** The ratio to beat, and where it goes while nobody contends. Protocol §8.10. */
export function ratioText(state: AppState): string {
  const { nextRatio = 0 } = state.epochs.at(-1) ?? {}
  const isFalling = nextRatio > (state.beginning?.leastRatio ?? 0)
  const then = isFalling ? ', and goes down while nobody contends' : ''
  return `The ratio to beat is ${percent(nextRatio)}${asOfText(state)}${then}.`
}

/** What may be wrong where a reading stopped, if anything can be told. */
export const hintText = ({ health }: AppState): string =>
  health.length > 0 && health.every(({ files }) => files === 0)
    ? '. No bucket had any file: is their address right?'
    : ''
