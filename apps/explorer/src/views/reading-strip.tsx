import { formatConclusion } from '@affine/report/sentences'
import type { ComponentChildren, JSX } from 'preact'
import type { AppState } from '../app-state.ts'
import { isNetworkName, type NamedNetwork, type NetworkFile } from '../network-file.ts'
import { formatCount, showOnLine } from '../visible.ts'
import type { ReadingProgress, ReadingSpan } from '../worker/reader.ts'

interface ReadingProps {
  readonly state: AppState
  readonly soFar: ReadingProgress
  readonly network: NamedNetwork | undefined
  /** Reason that there is no network. */
  readonly refusal: string | undefined
}

/** Shows the progress and the result of the recomputation, on every view. */
export function ReadingStrip(props: ReadingProps): JSX.Element {
  const [kind, said] = describeReading(props)
  return (
    <div class={`strip strip-${kind}`} role="status">
      {said}
    </div>
  )
}

type Strip = readonly [kind: 'good' | 'bad' | 'busy' | 'none', said: ComponentChildren]

function describeReading({ state, soFar, network, refusal = '' }: ReadingProps): Strip {
  const { ms, failure, beginning } = state
  if (network === undefined) return ['bad', showOnLine(refusal, 600)]
  if (failure !== undefined) {
    return ['bad', `Reading stopped: ${showOnLine(failure, 600)}`]
  }
  if (beginning === undefined) return ['busy', 'Reading the chain…']
  if (ms === undefined) return ['busy', progressBar(beginning, soFar)]
  if (state.epochs.length === 0) return ['none', explainNoEpoch(beginning)]
  const flaws = state.epochs.reduce((sum, epoch) => sum + epoch.flaws.length, 0)
  const seconds = (ms / 1000).toFixed(1)
  const many = formatCount(state.epochs.length, 'epoch')
  const done = `${many} recomputed in this browser in ${seconds} s`
  const named = network.isByLink ? ', for the network that this link names' : ''
  // The page compares no copies of blocks, and no states.
  const conclusion = formatConclusion({ flaws, uncompared: 'ALL_BUT_ONE' })
  const said = `${done}${named}. ${conclusion} `
  const lacking = state.health.filter(({ missing }) => missing > 0).length
  if (flaws + lacking === 0) return ['good', `✔ ${said}`]
  const lack = lacking === 0 ? '' : `${formatCount(lacking, 'bucket')} lacked files. `
  return ['bad', [said, lack, <a href="#/validators">See the validators.</a>]]
}

/** Explains that nothing was recomputed. */
function explainNoEpoch({ from, to, height, firstEpoch }: ReadingSpan): string {
  const at = `the chain is at block ${height}, in epoch ${to}`
  const first =
    from === firstEpoch ? `the network’s first epoch is ${from}` : `epoch ${from} is next`
  return `Nothing was recomputed yet: ${first}, and ${at}.`
}

function progressBar({ from, to }: ReadingSpan, soFar: ReadingProgress): JSX.Element {
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

/**
 * Shows below every view the network, its chain and buckets, and whether the site or a link named
 * it.
 */
export function SourceBar({ network, beginning }: SourceProps): JSX.Element {
  const { file, isByLink } = network
  return (
    <footer class="source">
      <b>Network</b> {describeNetwork(file, beginning)} · <b>chain</b> {describeChain(file)} ·{' '}
      <b>buckets</b> {describeBuckets(file)} · <b>named by</b>{' '}
      {isByLink ? 'this link, not by this site' : 'this site'}
      {'. The page read one copy of each block; '}
      <code>af-verify</code> compares all copies.
    </footer>
  )
}

/** Warns about a link that names a network. Stays visible while scrolling. */
export function LinkWarning({ own }: Pick<NamedNetwork, 'own'>): JSX.Element {
  return (
    <section class="link-warning" aria-label="Source of this network">
      <b>⚠ Named by this link, not by this site.</b> The link chose the chain and the buckets, and
      the results apply only to them.{' '}
      {own ? (
        <a href={location.pathname}>Show this site’s own network, {describeChain(own)}</a>
      ) : (
        'This site names no network.'
      )}
    </section>
  )
}

/**
 * Describes the network. A node may report any genesis; only a network with a name has a known one.
 */
function describeNetwork({ chain }: NetworkFile, beginning: ReadingSpan | undefined): string {
  const name = isNetworkName(chain) ? `${chain}, ` : ''
  if (beginning === undefined) return `${name}not read yet`
  return `${name}netuid ${beginning.netuid}, genesis ${beginning.genesis}`
}

const describeChain = ({ chain }: NetworkFile): string =>
  isNetworkName(chain) ? `${chain}’s public nodes` : showOnLine(chain, 200)

const describeBuckets = ({ buckets }: NetworkFile): string =>
  buckets === undefined
    ? 'where voters announced them'
    : `where voters announced them, plain names below ${showOnLine(buckets, 200)}`
