import { ChainError } from '@affine/chain'
import type { Event, Problem, ValidatorTask } from '@affine/engine'
import type { Late } from '@affine/engine/node'
import { epochFacts, epochRecord, epochText, type NameOf } from '@affine/report'
import { type Output, printable } from '@affine/terminal'

/** Prints the events of one validator, for people and for machines. */
export function narrate(event: Event, screen: Output, nameOf: NameOf): void {
  switch (event.type) {
    case 'state': {
      const { epoch } = event.state
      screen.line(`starts with the state of epoch ${epoch}`, { type: 'state', epoch })
      break
    }
    case 'epoch':
      screen.line(epochText(epochFacts(event.settled), nameOf), epochRecord(event.settled))
      break
    case 'sample':
      screen.status(`epoch ${event.epoch}: ${event.left} challenges left in the lane`)
      break
    case 'sent':
      screen.line(`  ${taskText(event.task)} is in block ${event.block}`, event)
      break
    case 'withheld':
      screen.line(
        `  would send ${taskText(event.task)} (dry run: nothing is sent without --emit)`,
        event,
      )
      break
    case 'slow':
      warn(
        screen,
        `the bucket of ${event.hotkey} is slow: this epoch goes on without it; you need not act`,
      )
      break
    case 'problem':
      sayProblem(event, screen)
  }
}

/**
 * Refusals that come of a restart, or of a chain that is slow or full: what was sent before may
 * hold, or the time for it is over.
 */
const PASSING = new Set([
  'AncientBirthBlock',
  'CommitmentSetRateLimitExceeded',
  'CommittingWeightsTooFast',
  'DrandBehind',
  'ExhaustsResources',
  'RateLimitExceeded',
  'SettingWeightsTooFast',
  'SpaceLimitExceeded',
  'Stale',
])
const NEXT = '; it is sent again if its epoch allows it, and you need not act'

/** Prints a problem, which came `unsaid` times since it was printed last. */
export function sayProblem(problem: Problem, screen: Output, unsaid = 0): void {
  const { task, error } = problem
  const { message } = error
  const times = unsaid === 1 ? 'once more' : `${unsaid} more times`
  const often = unsaid === 0 ? '' : ` (${times} since it was last said)`
  const again = task.kind === 'node' ? '; trying again' : ''
  const said = `${printable(`${taskText(task)}: ${message}`, 600)}${again}` // models' names
  const passes = error instanceof ChainError && PASSING.has(error.code)
  const type = passes ? 'warning' : 'problem'
  const text = passes ? `! ${said}${NEXT}${often}` : `  ✘ ${said}${often}`
  const facts = { ...problem, type, error: undefined, code: codeOf(error), message }
  const tone = passes ? 'warning' : 'bad'
  screen.line([{ text, tone }], { ...facts, ...(unsaid > 0 && { unsaid }) })
}

function taskText(task: ValidatorTask): string {
  switch (task.kind) {
    case 'head':
      return 'the head'
    case 'attest':
      return `attestation of epoch ${task.epoch}`
    case 'lane':
      return `lane of ${task.hotkey} in epoch ${task.epoch}`
    case 'miner':
      return `miner ${task.hotkey ?? `${task.model} at ${task.chute}`}`
    case 'chutes':
      return 'Chutes'
    case 'node':
      return 'node'
    default:
      return `${task.kind} of epoch ${task.epoch}`
  }
}

/** Returns the code of an error or of its cause, with what specifies it; else the error's name. */
export function codeOf(error: Error): string {
  const { cause = {} } = error
  const { code = Object(cause).code ?? error.name, fault, status } = Object(error)
  return [code, fault, status].filter((part) => part !== undefined).join(' ')
}

const LATE: Readonly<Record<Late, string>> = {
  'no-block': 'no block came',
  'no-progress': 'it made no progress',
}

/** Prints what has not happened for `seconds`, for which the process ends. */
export function sayStalled(late: readonly Late[], seconds: number, screen: Output): void {
  const reasons = late.map((each) => LATE[each]).join(', and ')
  const text = `${reasons} in ${seconds} s: the process ends, so that it is started again`
  const record = { type: 'problem', code: 'stalled', late, seconds }
  screen.line([{ text: `  ✘ stalled: ${text}`, tone: 'bad' }], record)
}

/** Prints a warning for the operator. */
export function warn(screen: Output, text: string): void {
  screen.line([{ text: `! ${text}`, tone: 'warning' }], { type: 'warning', text })
}

/** How long a problem is not said again. */
const PAUSE_MS = 600_000
/** Of kinds of problems that are remembered. */
const MOST_KINDS = 100

/**
 * Returns a function that returns how often a problem came since it was last printed, or undefined
 * if it is not to be printed now: it is printed at once, and then every ten minutes. Problems are
 * the same if they have the same code and node, and their tasks differ in the epoch only.
 */
export function repeatedProblems(now: () => number): (problem: Problem) => number | undefined {
  const known = new Map<string, { readonly at: number; readonly unsaid: number }>()
  return ({ task, phase, error }) => {
    const node = error instanceof ChainError ? error.node : undefined
    const kind = JSON.stringify([{ ...task, epoch: undefined }, phase, codeOf(error), node])
    const { at, unsaid } = known.get(kind) ?? { at: Number.NEGATIVE_INFINITY, unsaid: 0 }
    const isDue = now() - at >= PAUSE_MS
    known.delete(kind)
    known.set(kind, isDue ? { at: now(), unsaid: 0 } : { at, unsaid: unsaid + 1 })
    for (const old of [...known.keys()].slice(0, -MOST_KINDS)) known.delete(old)
    return isDue ? unsaid : undefined
  }
}
