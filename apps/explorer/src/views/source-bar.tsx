import type { JSX } from 'preact'
import { isNamed, type NamedNetwork, type NetworkFile } from '../network-file.ts'
import { visibleLine } from '../visible.ts'
import type { ReadingSpan } from '../worker/reader.ts'

interface SourceProps {
  readonly network: NamedNetwork
  /** Undefined until the chain was read. */
  readonly beginning: ReadingSpan | undefined
}

/** Below every view: the network, where it is read from, and whether site or link named it. */
export function SourceBar({ network, beginning }: SourceProps): JSX.Element {
  const { file, isByLink } = network
  return (
    <footer class="source">
      <b>Network</b> {networkWords(file, beginning)} · <b>chain</b> {chainWords(file)} ·{' '}
      <b>buckets</b> {bucketWords(file)} · <b>named by</b>{' '}
      {isByLink ? 'this link, not by this site' : 'this site'}
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
