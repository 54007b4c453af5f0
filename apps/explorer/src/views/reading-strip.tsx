import { conclusionText } from '@affine/report/sentences'
import type { ComponentChildren, JSX } from 'preact'
import type { AppState } from '../app-state.ts'
import { isNamed, type NamedNetwork, type NetworkFile } from '../network-file.ts'
import { hintText } from '../page.ts'
import { countText, visibleLine } from '../visible.ts'
import type { ReadingSpan, ReadSoFar } from '../worker/reader.ts'

interface ReadingProps {
  readonly state: AppState
  readonly soFar: ReadSoFar
  readonly network: NamedNetwork | undefined
  /** Why there is no network. */
  readonly refusal: string | undefined
}

/** How far the page has come with recomputing, and what it came to: on every view. */
export function ReadingStrip(props: ReadingProps): JSX.Element {
  const [kind, said] = stripOf(props)
  return (
    <div class={`strip strip-${kind}`} role="status">
      {said}
    </div>
  )
}

type Strip = readonly [kind: 'good' | 'bad' | 'busy' | 'none', said: ComponentChildren]

function stripOf({ state, soFar, network, refusal = '' }: ReadingProps): Strip {
  const { ms, failure, beginning } = state
  if (network === undefined) return ['bad', visibleLine(refusal, 600)]
  if (failure !== undefined) {
    const why = visibleLine(failure, 600) + hintText(state)
    return ['bad', `It cannot be read any further: ${why}`]
  }
  if (beginning === undefined) return ['busy', 'Reading the chain…']
  if (ms === undefined) return ['busy', progressBar(beginning, soFar)]
  if (state.epochs.length === 0) return ['none', noEpochWords(beginning)]
  const flaws = state.epochs.reduce((sum, epoch) => sum + epoch.flaws.length, 0)
  const seconds = (ms / 1000).toFixed(1)
  const many = countText(state.epochs.length, 'epoch')
  const done = `${many} recomputed in this browser in ${seconds} s`
  const named = network.isByLink ? ', in what this link names' : ''
  // The page reads one copy of each block, and no state but the first.
  const conclusion = conclusionText({ flaws, uncompared: 'ALL_BUT_ONE' })
  const said = `${done}${named}. ${conclusion} `
  const lacking = state.health.filter(({ missing }) => missing > 0).length
  if (flaws + lacking === 0) return ['good', `✔ ${said}`]
  const lack = lacking === 0 ? '' : `${countText(lacking, 'bucket')} lacked what it should have. `
  return ['bad', [said, lack, <a href="#/validators">See the validators.</a>]]
}

/** Why there is nothing to show: that nothing failed says nothing. */
function noEpochWords({ from, to, height, firstEpoch }: ReadingSpan): string {
  const at = `the chain is at block ${height}, in epoch ${to}`
  const first =
    from === firstEpoch ? `the network’s first epoch is ${from}` : `epoch ${from} is next`
  return `Nothing was recomputed yet: ${first}, and ${at}.`
}

function progressBar({ from, to }: ReadingSpan, soFar: ReadSoFar): JSX.Element {
  const { epochs, files, challenges } = soFar
  return (
    <label>
      Recomputing epoch {from + epochs} of {to}: {files} files, {challenges} challenges{' '}
      <progress max={Math.max(1, to - from)} value={epochs} />
    </label>
  )
}

interface SourceProps {
  readonly network: NamedNetwork
  /** Undefined until the chain was read. */
  readonly beginning: ReadingSpan | undefined
}

/** Below every view: the network, where it is read from, and who named it. */
export function SourceBar({ network, beginning }: SourceProps): JSX.Element {
  const { file, isByLink } = network
  return (
    <footer class="source">
      <b>Network</b> {networkWords(file, beginning)} · <b>chain</b> {chainWords(file)} ·{' '}
      <b>buckets</b> {bucketWords(file)} · <b>named by</b>{' '}
      {isByLink ? 'this link, not by this site' : 'this site'}
      {'; one copy of each block was read: '}
      <code>af-verify</code> compares them all.
    </footer>
  )
}

/** It stays in view however far one scrolls. */
export function LinkWarning({ own }: Pick<NamedNetwork, 'own'>): JSX.Element {
  return (
    <section class="link-warning" aria-label="Who named this network">
      <b>⚠ Named by this link, not by this site.</b> The link chose the chain and the buckets, and
      this page is true for them only.{' '}
      {own ? (
        <a href={location.pathname}>Show this site’s own network, {chainWords(own)}</a>
      ) : (
        'This site names no network.'
      )}
    </section>
  )
}

/** A node may say any genesis: only what the page looks up by its name has one. */
function networkWords({ chain }: NetworkFile, beginning: ReadingSpan | undefined): string {
  const name = isNamed(chain) ? `${chain}, ` : ''
  if (beginning === undefined) return `${name}not read yet`
  return `${name}netuid ${beginning.netuid}, genesis ${beginning.genesis}`
}

const chainWords = ({ chain }: NetworkFile): string =>
  isNamed(chain) ? `${chain}’s public nodes` : visibleLine(chain, 200)

const bucketWords = ({ buckets }: NetworkFile): string =>
  buckets === undefined
    ? 'where voters announced them'
    : `where voters announced them, plain names below ${visibleLine(buckets, 200)}`
