import { formatCount } from '@affine/report/sentences'
import type { ComponentChildren } from 'preact'
import type { AppState } from '../app-state.ts'
import { hotkeyNames, type StateProps } from '../page.ts'
import { formatDuration, showOnLine } from '../visible.ts'
import type { ChainHead, ReadingSpan } from '../worker/reader.ts'

/**
 * Shows on every view the progress and the result of the recomputation, and the newest block. A new
 * block is not announced to screen readers.
 */
export function ReadingStrip({ state }: StateProps) {
  const [kind, content] = describeReading(state)
  return (
    <section class={`strip ${kind}`} aria-label="What was verified">
      <span role="status">{content}</span> {state.head && describeHead(state.head)}
    </section>
  )
}

type Strip = readonly [kind: 'good' | 'warn' | 'bad' | 'busy' | 'none', content: ComponentChildren]

function describeReading(state: AppState): Strip {
  const { file, ms, failure, beginning, epochs } = state
  if (beginning === undefined || ms === undefined) {
    const stopped = file === undefined ? '' : 'Reading stopped: '
    if (failure !== undefined) return ['bad', stopped + showOnLine(failure, 600)]
    return ['busy', beginning ? progressBar(beginning, state.epochsRead) : 'Reading the chain…']
  }
  const { from, to, isTrusted } = beginning
  if (epochs.length === 0) {
    const why = `the first epoch to recompute is ${from}, and the chain was in epoch ${to}`
    return ['none', `Nothing was recomputed yet: ${why}.`]
  }
  const done = `${formatCount(epochs.length, 'epoch')} recomputed in ${(ms / 1000).toFixed(1)} s`
  const trusted = isTrusted ? `, from the attested state of epoch ${from}` : ''
  return describeResult(state, `${done}${trusted}.`)
}

/** Describes what was verified. `done` describes the epochs that were read. */
function describeResult(state: AppState, done: string): Strip {
  const faulty = listFaulty(state)
  const results = faulty.length === 0 ? 'result' : 'result that counts'
  const copies = 'Copies were not compared; af-verify compares them.'
  const text = `${done} Every ${results} is valid. ${copies}`
  const { failure } = state
  if (faulty.length === 0 && failure === undefined) return ['good', `✔ ${text}`]
  const shown = faulty.length > MAX_NAMED ? [...faulty.slice(0, MAX_NAMED), 'others'] : faulty
  return [
    'warn',
    <>
      ! {text}{' '}
      {shown.length > 0 && (
        <a href="#/validators">{`Faulty or missing data: ${shown.join(', ')}.`}</a>
      )}
      {failure && ` The page no longer follows the chain: ${showOnLine(failure, 600)}`}
    </>,
  ]
}

/** Maximum number of validators in the strip. */
const MAX_NAMED = 3

/** Names each validator with a flaw, or whose bucket did not serve a requested file. */
function listFaulty(state: AppState): readonly string[] {
  const flawed = state.epochs.flatMap(({ flaws }) => flaws.map(({ validator }) => validator))
  const lacking = state.health
    .filter(({ missing, failure }) => missing > 0 || failure)
    .map(({ hotkey }) => hotkey)
  return [...new Set([...flawed, ...lacking])].map(hotkeyNames(state))
}

/** The year 2020 in Unix milliseconds. The clock of a simulated chain begins at 0. */
const EARLIEST = 1_577_836_800_000

/** Describes the newest block and the time from it to the next decision. */
function describeHead({ block, time, blocksLeft, secondsLeft }: ChainHead): string {
  const clock = `${new Date(time).toUTCString().slice(5, 22)} UTC`
  const date = time < EARLIEST ? `${formatDuration(time / 1000)} after the chain began` : clock
  const left = `${formatCount(blocksLeft, 'block')}, about ${formatDuration(secondsLeft)}`
  return `Last block: ${block}, ${date}; next decision in ${left}.`
}

const progressBar = ({ from, to }: ReadingSpan, epochsRead = 0) => (
  <label>
    Recomputing epoch {from + epochsRead} of {to}{' '}
    <progress max={Math.max(1, to - from)} value={epochsRead} />
  </label>
)

/** Shows the sources of the network's chain and buckets. */
export function SourceBar({ state: { file, beginning } }: StateProps) {
  if (file === undefined) return null
  const subnet = beginning && `, netuid ${beginning.netuid}, genesis ${beginning.genesis}`
  const below = file.buckets && `, plain names below ${showOnLine(file.buckets)}`
  return (
    <footer class="source">
      <b>Chain</b> {showOnLine(file.chain)}
      {subnet}; <b>buckets</b> where voters announced them{below}
    </footer>
  )
}
