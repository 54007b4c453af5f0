import { explainEnd, type NameOf, naming } from '@affine/report/sentences'
import { useEffect, useState } from 'preact/hooks'
import { formatDuelId } from './address.ts'
import { type AppState, type DuelAccount, formatSpan } from './app-state.ts'
import type { Ask } from './feed.ts'
import { shorten } from './visible.ts'
import type { Answers } from './worker/answers.ts'

/** What is given to what shows the state alone. */
export interface StateProps {
  readonly state: AppState
}

/** What every view is given. */
export interface Page extends StateProps {
  readonly ask: Ask
}

/** Names a hotkey as the network's file does, or shortens it. */
export const hotkeyNames = ({ file }: AppState): NameOf => naming(file?.names ?? {}, shorten)

/** An answer that may not be there yet. */
export interface AnswerState<Value> {
  readonly value?: Value
  readonly error?: string
}

/** The last answer to each question: a reader that comes back sees a view as long as it was. */
const cachedAnswers = new Map<string, unknown>()

/**
 * What `ask` comes to for a question, until then what it came to before; asked anew when `question`
 * or `by` changes, and an older answer is dropped.
 */
export function useAnswer<Name extends keyof Answers>(
  ask: Ask,
  question: readonly [Name, ...Parameters<Answers[Name]>],
  by: readonly unknown[],
): AnswerState<AnswerTo<Name>> {
  const name = JSON.stringify(question)
  const [heard, setHeard] = useState<AnswerState<AnswerTo<Name>> & { readonly to?: string }>({})
  useEffect(() => {
    let isStale = false
    const hear = (answer: AnswerState<AnswerTo<Name>>): void => {
      if (!isStale) setHeard({ ...answer, to: name })
    }
    ask(...question).then(
      (value) => {
        cachedAnswers.set(name, value)
        hear({ value: value as AnswerTo<Name> })
      },
      (error: Error) => hear({ error: error.message }),
    )
    return () => {
      isStale = true
    }
  }, [name, ...by])
  if (heard.to === name) return heard
  return cachedAnswers.has(name) ? { value: cachedAnswers.get(name) as AnswerTo<Name> } : {}
}

type AnswerTo<Name extends keyof Answers> = Awaited<ReturnType<Answers[Name]>>

/**
 * Does the reading of a state go on, did it stop before its end, or has it ended? Where no network
 * is named, none begins.
 */
export function readingState({ file, failure, ms }: AppState): 'reading' | 'stopped' | 'ended' {
  if (file === undefined || failure !== undefined) return 'stopped'
  return ms === undefined ? 'reading' : 'ended'
}

/** What is said in the place of what a state does not have: `none` where everything was read. */
export function explainAbsence(state: AppState, none: string): string {
  const progress = readingState(state)
  if (progress === 'reading') return 'Reading…'
  if (state.epochs.length === 0) return 'Nothing was recomputed.'
  return progress === 'ended' ? none : 'The reading stopped before its end.'
}

/** The epoch for which a state is, as in " as of epoch 4"; empty where everything was read. */
export function describeEpoch(state: AppState): string {
  const last = state.epochs.at(-1)
  const isNow = last === undefined || readingState(state) === 'ended'
  return isNow ? '' : ` as of epoch ${last.epoch + 1}`
}

/**
 * In one sentence how a duel ended, or stands, and why; in which epochs, if some were not read.
 * Under other constants duels begin anew. Protocol §9.2.
 */
export function describeResult(state: AppState, account: DuelAccount): string {
  const { duel, epochs, last } = account
  const name = hotkeyNames(state)(duel.contender.hotkey)
  const isNext = last.nextDuels.some((next) => formatDuelId(next) === duel.id)
  if (duel.end === undefined && !isNext)
    return `${name}: this duel began again under other constants.`
  const part = epochs[0]?.epoch === duel.start ? '' : ` (${formatSpan(account)} alone)`
  return `${name} ${explainEnd(duel, duel.stats.contender, last.ratio)}${part}.`
}

/** What may be wrong where a reading stopped, if anything can be told. */
export const describeHint = ({ health }: AppState): string =>
  health.length > 0 && health.every(({ files }) => files === 0)
    ? '. No bucket had any file: is their address right?'
    : ''
