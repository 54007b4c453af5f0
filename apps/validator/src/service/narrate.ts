import { ChainError } from '@affine/chain'
import type { Event, Problem, ValidatorTask } from '@affine/engine'
import type { Late } from '@affine/engine/health'
import { describeEpoch, exportEpoch, formatEpoch, type HotkeyFormatter } from '@affine/report'
import { formatCount } from '@affine/report/sentences'
import { type Output, printable } from '@affine/terminal'

export function narrate(event: Event, screen: Output, nameOf: HotkeyFormatter): void {
  switch (event.type) {
    case 'state': {
      const { epoch } = event.state
      screen.line(`starting with the state of epoch ${epoch}`, { type: 'state', epoch })
      break
    }
    case 'epoch':
      screen.line(formatEpoch(describeEpoch(event.settled), nameOf), exportEpoch(event.settled))
      break
    case 'sample':
      screen.status(
        `epoch ${event.epoch}: ${formatCount(event.left, 'challenge')} left in the lane`,
      )
      break
    case 'sent':
      screen.line(`  ${formatTask(event.task)} in block ${event.block}`, event)
      break
    case 'withheld':
      screen.line(`  would send ${formatTask(event.task)} (dry run: see --emit)`, event)
      break
    case 'slow':
      warn(
        screen,
        `the bucket of ${event.hotkey} is slow and skipped in this epoch; no action needed`,
      )
      break
    case 'problem':
      printProblem(event, screen)
  }
}

/**
 * Codes of refused transactions that need no action: an earlier transaction may already have taken
 * effect, or the chain is slow or full.
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
const NEXT = '; it is retried until its deadline; no action needed'

export function printProblem(problem: Problem, screen: Output): void {
  const { task, error } = problem
  const { message } = error
  const again = task.kind === 'node' ? '; retrying' : ''
  const sentence = `${printable(`${formatTask(task)}: ${message}`, 600)}${again}` // models' names
  const passes = error instanceof ChainError && PASSING.has(error.code)
  const type = passes ? 'warning' : 'problem'
  const text = passes ? `! ${sentence}${NEXT}` : `  ✘ ${sentence}`
  const facts = { ...problem, type, error: undefined, code: getErrorCode(error), message }
  const tone = passes ? 'warning' : 'bad'
  screen.line([{ text, tone }], facts)
}

const TASKS = { head: 'the head', chutes: 'Chutes', node: 'node' }

function formatTask(task: ValidatorTask): string {
  if (task.kind === 'miner') return `miner ${task.hotkey ?? `${task.model} at ${task.chute}`}`
  if (task.kind === 'lane') return `lane of ${task.hotkey} in epoch ${task.epoch}`
  if (task.kind === 'attest') return `attestation of epoch ${task.epoch}`
  return 'epoch' in task ? `${task.kind} of epoch ${task.epoch}` : TASKS[task.kind]
}

/**
 * Returns the code of an error or of its cause, with its fault or status. Returns the error's name
 * if it has no code.
 */
export function getErrorCode(error: Error): string {
  const { cause = {} } = error
  const { code = Object(cause).code ?? error.name, fault, status } = Object(error)
  return [code, fault, status].filter((part) => part !== undefined).join(' ')
}

/** Prints what is overdue after `seconds`, and that the process ends. */
export function printStall(late: Late, seconds: number, screen: Output): void {
  const what = `${late.replace('-', ' ')} in ${seconds} s`
  const text = `${what}: the process ends, and its supervisor restarts it`
  const record = { type: 'problem', code: 'stalled', late, seconds }
  screen.line([{ text: `  ✘ stalled: ${text}`, tone: 'bad' }], record)
}

export function warn(screen: Output, text: string): void {
  const line = `! ${printable(text, 1000)}`
  screen.line([{ text: line, tone: 'warning' }], { type: 'warning', text })
}

/** Minimum time between two prints of the same problem. */
const PAUSE_MS = 600_000
/** Maximum number of problems that are remembered. */
const MAX_KINDS = 100

/**
 * Returns a function to call at each problem, which reports whether to print it: immediately, and
 * then at most every ten minutes. Problems are identical if they have the same code, phase and
 * node, and their tasks differ only in the epoch.
 */
export function createProblemFilter(now: () => number): (problem: Problem) => boolean {
  /** The times of the last prints, oldest first. */
  const printed = new Map<string, number>()
  return ({ task, phase, error }) => {
    const node = error instanceof ChainError ? error.node : undefined
    const kind = JSON.stringify([{ ...task, epoch: undefined }, phase, getErrorCode(error), node])
    if (now() - (printed.get(kind) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return false
    printed.delete(kind)
    printed.set(kind, now())
    for (const old of [...printed.keys()].slice(0, -MAX_KINDS)) printed.delete(old)
    return true
  }
}
