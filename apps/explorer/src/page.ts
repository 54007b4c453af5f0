import { explainEnd, type HotkeyFormatter, nameHotkeysBy } from '@affine/report/sentences'
import { useEffect, useState } from 'preact/hooks'
import { formatDuelId } from './address.ts'
import { type AppState, type DuelAccount, formatSpan } from './app-state.ts'
import type { AnswerTo, Feed, Question } from './feed.ts'
import type { Answers } from './worker/answers.ts'
import type { AnswerState } from './worker/worker.ts'

/** Props of components that show the state. */
export interface StateProps {
  readonly state: AppState
}

/** Props of every view. */
export interface Page extends StateProps, Pick<Feed, 'ask'> {}

/** Returns a function that names hotkeys by the network's file, or shortens them. */
export const hotkeyNames = ({ file }: AppState): HotkeyFormatter => nameHotkeysBy(file?.names ?? {})

/** Latest answers by question. With them, a view has its full height immediately after Back. */
const cachedAnswers = new Map<string, AnswerState<unknown>>()

/** Replaces a file by values that identify it, since `JSON.stringify` writes `{}` for any file. */
const identifyFile = (_key: string, value: unknown): unknown =>
  value instanceof File ? [value.name, value.size, value.lastModified] : value

/**
 * Returns the answer to a question, and until it arrives the previous answer to the same question.
 * Asks again when `question` or `by` changes, and ignores older answers.
 */
export function useAnswer<Name extends keyof Answers>(
  ask: Page['ask'],
  question: Question<Name>,
  by: readonly unknown[],
): AnswerState<AnswerTo<Name>> {
  const name = JSON.stringify(question, identifyFile)
  const [, render] = useState({})
  const hear = (answer: AnswerState<AnswerTo<Name>>): void => {
    cachedAnswers.set(name, answer)
    render({})
  }
  useEffect(() => ask(question, hear), [name, ...by])
  return (cachedAnswers.get(name) ?? {}) as AnswerState<AnswerTo<Name>>
}

/**
 * Returns whether the reading is in progress, stopped early or has ended. Without a network it has
 * stopped.
 */
export function readingState({ file, failure, ms }: AppState): 'reading' | 'stopped' | 'ended' {
  if (ms !== undefined) return 'ended'
  return file === undefined || failure !== undefined ? 'stopped' : 'reading'
}

/** Explains missing content: returns `none` if the reading has ended and recomputed an epoch. */
export function explainAbsence(state: AppState, none: string): string {
  const progress = readingState(state)
  if (progress === 'reading') return 'Reading…'
  if (state.epochs.length === 0) return 'Nothing was recomputed.'
  return progress === 'ended' ? none : 'Reading stopped early.'
}

/**
 * Describes in one sentence the end or the current result of a duel. Names the epochs that were
 * read if the duel's first epoch was not read. A change of constants restarts duels: protocol §9.2.
 */
export function describeResult(state: AppState, account: DuelAccount): string {
  const { duel, epochs, last } = account
  const name = hotkeyNames(state)(duel.contender.hotkey)
  const isNext = last.nextDuels.some((next) => formatDuelId(next) === duel.id)
  if (duel.end === undefined && !isNext)
    return `${name}: this duel began again under other constants.`
  const part = epochs[0]?.epoch === duel.start ? '' : ` (only ${formatSpan(account)})`
  return `${name} ${explainEnd(duel, duel.stats.contender, last.ratio)}${part}.`
}
